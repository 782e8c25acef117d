package daemon

import (
	"context"
	"strconv"
	"strings"

	"hearthd/daemon/devices"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/recall"
	"hearthd/daemon/responder"
	"hearthd/daemon/supervise"
	"hearthd/daemon/thinkers"
	"hearthd/llm/thinker"
	"hearthd/media"
	"hearthd/media/directory"
	"hearthd/media/podcast"
	"hearthd/tools"
	"hearthd/tools/calc"
	"hearthd/tools/clock"
	"hearthd/tools/list"
	mediatools "hearthd/tools/media"
	"hearthd/tools/random"
	"hearthd/tools/remember"
	"hearthd/tools/units"
)

// buildAssistant makes the tools, the matcher and the recogniser that find requests for them, and the thinkers.
func (d *Daemon) buildAssistant(ctx context.Context) error {
	h := d.assistant
	var err error
	h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Reader: h.matcher, Log: d.log})
	if err != nil {
		return err
	}
	h.toolbox = answer.NewToolbox(d.bus, h.exec, d.book, d.cfg.Log.Transcripts)
	d.holders.Add(h.toolbox.Forget)
	if h.homes, err = d.buildHomes(); err != nil {
		return err
	}
	if err := d.buildTools(h); err != nil {
		return err
	}
	if err := d.buildUnderstanding(h); err != nil {
		return err
	}
	if h.devices, err = d.buildDevices(ctx, h); err != nil {
		return err
	}
	if c := d.cfg; c.Thinker.URL != "" || len(c.Thinker.Providers) > 0 || c.Responder.URL != "" {
		h.files = thinkers.Load(c, d.conditions, d.log)
	}
	if h.thinker, err = d.buildThinkers(h); err != nil {
		return err
	}
	if h.responder, err = d.buildResponder(ctx, h); err != nil {
		return err
	}
	d.holders.Add(h.responder.Forget, h.thinker.Forget)
	if h.servers, err = d.mcpServers(h.registry, d.store); err != nil {
		return err
	}
	documents, err := d.buildKnowledge(h.registry, d.store, d.recall, d.activity.Quiet)
	h.sources = append([]supervise.Part{{Name: "mcp", Policy: supervise.Restart, Run: h.servers.Run}}, documents...)
	return err
}

// buildTools registers the tools that are always there, and those from files and services.
func (d *Daemon) buildTools(h *assistant) error {
	clockTools, err := clock.New(clock.Options{Location: d.zone, Book: d.book})
	if err != nil {
		return err
	}
	keeps := list.Options{Store: d.store, Book: d.book}
	if d.cfg.Tools.List.Source == "homeassistant" {
		keeps.Store = list.NewHouse(h.homes.house, d.book)
	}
	if h.lists = keeps.Store; d.cfg.MQTT.ListsAt != "" && d.cfg.MQTT.ListsAt != d.node {
		h.lists = listsAt(d.cfg.MQTT.ListsAt)
	}
	listTools, err := list.New(keeps)
	if err != nil {
		return err
	}
	memoryTools, err := remember.New(recall.NewOwner(d.recall, d.book, d.holders.Forget), d.book)
	if err != nil {
		return err
	}
	serviceTools, err := d.serviceTools(d.cfg, d.recall, h.homes)
	if err != nil {
		return err
	}
	h.playing = d.playing(h)
	halt := func(ctx context.Context) (tools.Result, bool, error) { return h.devices.Halt(ctx) }
	spokenOf := func(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
		if d.media.Player.Now().State != media.Stopped {
			return tools.Result{}, false, nil
		}
		return h.devices.PlayerSpokenOf(ctx, do, percent)
	}
	for _, t := range [][]tools.Tool{
		d.peers.SharedTimers(d.timers.Tools()), clockTools, d.peers.SharedLists(listTools),
		random.New(random.Options{Book: d.book}), memoryTools,
		{units.New(units.Options{Book: d.book, British: british(d.zone, d.recall),
			Metric: d.cfg.Tools.Intents.Language != "en"}), calc.New(d.book)},
		d.speakers.Tools(h.toolbox, halt, spokenOf), mediatools.New(h.playing), d.peers.Tools(), serviceTools,
		{h.exec.Undo()},
	} {
		if err := h.registry.Register(t...); err != nil {
			return err
		}
	}
	services := toolNames(serviceTools)
	h.services.Store(&services)
	// Declared tools come last, so that they cannot take the name of one of ours.
	h.declared = d.declaredTools(h.registry)
	return nil
}

// playing says what the tools of music work with.
func (d *Daemon) playing(h *assistant) mediatools.Options {
	web := d.web()
	o := mediatools.Options{
		Book: d.book, Player: d.media.Player, Stations: d.media.Stations, Sources: d.media.Sources(),
		Library: d.media.Library(), Memory: d.store, Present: d.media.Present,
		Episodes: func(ctx context.Context, s media.Station) ([]media.Item, error) {
			return podcast.Episodes(ctx, web, s)
		},
		Length: d.sources.Length,
		All:    d.media.All(), AllAt: d.cfg.Media.Everywhere,
		Elsewhere: func(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
			return h.devices.Playing(ctx, do, percent)
		},
		Timers: d.timers.Toggle, There: d.peers.There,
	}
	if at := d.cfg.Media.Directory; at != "" {
		o.Directory = func(ctx context.Context, words string) ([]media.Found, error) {
			return directory.Search(ctx, web, at, words)
		}
	}
	return o
}

// buildDevices offers the devices of the homes.
func (d *Daemon) buildDevices(ctx context.Context, h *assistant) (*devices.Devices, error) {
	o := devices.Options{
		Source: h.homes.source, Found: h.homes.found, Config: &d.cfg.Tools.Home, Now: d.now, Area: d.cfg.MQTT.Area,
		Store: d.store, Registry: h.registry, Toolbox: h.toolbox, Names: h.matcher, Timers: d.timers.Timers,
		Due: d.timers.Orders(), Announce: d.speakers.Announce,
		Own: h.playing.Do, Louder: d.speakers.Louder,
		Conditions: d.conditions, Book: d.book, Log: d.log,
	}
	if h.homes.hub != nil {
		o.Messages = h.homes.hub
	}
	return devices.New(ctx, o)
}

// buildThinkers is nil where there is no model to think with.
func (d *Daemon) buildThinkers(h *assistant) (*thinkers.Thinkers, error) {
	usual, chats, err := d.engines.Chats()
	if err != nil || usual == nil {
		return nil, err
	}
	o := thinkers.Options{
		Book:   d.book,
		Config: d.cfg, Files: h.files,
		Thinker: thinker.Options{
			Chat: usual, Chats: chats, Tools: thinkersTools{h.registry, h.toolbox}, Sayings: h.matcher,
			Memory: d.recall, Answers: d.recall, Meanings: d.recall.Meanings(), Location: d.zone, Log: d.log,
			Announce: d.speakers.Tell(""),
			Depends: func(ctx context.Context, person string) (string, error) {
				on, err := d.recall.Depends(ctx, person)
				return d.depends() + on, err
			},
		},
	}
	if d.cfg.Memory.Reflect {
		o.Reflector = thinker.ReflectorOptions{Journal: d.recall, Busy: func() bool { return !d.activity.Quiet() }}
	}
	return thinkers.New(o)
}

// buildResponder is nil where nobody answers by speech.
func (d *Daemon) buildResponder(ctx context.Context, h *assistant) (*responder.Responder, error) {
	c := d.cfg
	if c.Responder.URL == "" || c.Route.Policy == contract.Local {
		return nil, nil
	}
	o := responder.Options{
		Config: c, Now: d.now, Key: d.secrets.Get(c.Responder.Key), Zone: d.zone, Local: d.settings.Local,
		NoDetector: d.sound.sense.NoDetector(),
		People:     d.recall, Registry: h.registry, Book: d.book, Services: func() []string { return *h.services.Load() },
		Store: d.store, Used: d.engines.Used, Conditions: d.conditions, Log: d.log,
	}
	if h.thinker != nil {
		o.Thinker = h.thinker.Thinker
	}
	return responder.New(ctx, o, h.files.Domains, h.files.Prompts)
}

// depends lists everything that an answer may depend on beside its question.
func (d *base) depends() string {
	return strings.Join([]string{d.zone.String(), d.cfg.STT.Language, d.opt.Version,
		strconv.FormatUint(d.reloaded.Load(), 10)}, "\n") + "\n"
}
