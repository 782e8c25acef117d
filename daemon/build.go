package daemon

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"hearthd/daemon/control"
	"hearthd/daemon/devices"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/footprint"
	"hearthd/daemon/household"
	"hearthd/daemon/journal"
	"hearthd/daemon/manager"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peers"
	"hearthd/daemon/recall"
	"hearthd/daemon/responder"
	"hearthd/daemon/sentences"
	"hearthd/daemon/settings"
	"hearthd/daemon/state"
	"hearthd/daemon/supervise"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timers"
	"hearthd/llm/thinker"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/calc"
	"hearthd/tools/clock"
	"hearthd/tools/list"
	"hearthd/tools/random"
	"hearthd/tools/remember"
	"hearthd/tools/units"
)

// build makes every part, each of parts that are finished, and gives them in the order in
// which they start. The control API closes socket.
func (d *Daemon) build(ctx context.Context, socket net.Listener) ([]supervise.Part, error) {
	events := d.bus.Subscribe("journal", journal.Queue)
	for _, next := range []func(context.Context) error{
		d.buildMemory, d.buildSound, d.buildTimers, d.buildPeers, d.buildAssistant, d.buildDialogue,
	} {
		if err := next(ctx); err != nil {
			return nil, err
		}
	}
	manager, err := manager.New(manager.Options{
		Notifier: d.opt.Notifier, Watchdog: d.opt.Watchdog, Begun: d.begun, Ears: d.sound.ears, Turns: speaker{d.dialogue},
		Bus: d.bus, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	a := d.assistant
	guests := &guests{
		base: d.base, assistant: a, settings: d.settings, timers: d.timers, recall: d.recall, numbers: &d.numbers,
	}
	d.holders.Add(d.recall.Forget, d.turns.Forget, d.engines.Forget, d.tail.Forget, guests.forget)
	reloads := &reloader{
		base: d.base, assistant: a, ears: d.sound.ears, guests: guests, dialogue: d.dialogue, turns: d.turns, recall: d.recall,
		up: manager.Up(), origins: d.opt.Origins,
	}
	faces, err := d.buildFaces(socket, guests, reloads)
	if err != nil {
		return nil, err
	}
	hardware, err := d.hardware(d.dialogue)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]supervise.Part{
		{Name: "journal", Policy: supervise.Restart, Run: journal.New(events, d.store, d.conditions, d.log).Run},
		{Name: "timeline", Policy: supervise.Restart, Run: d.turns.Run},
		{Name: "memory", Policy: supervise.Restart, Run: d.recall.Run},
		{Name: "playback", Policy: supervise.Fatal, Run: d.sound.playback.Run},
		{Name: "tools", Policy: supervise.Fatal, Run: a.finish},
		{Name: "dialogue", Policy: supervise.Fatal, Run: d.dialogue.Run},
	}, a.thinker.Parts(), d.engines.Parts(), a.responder.Parts(), a.sources, a.homes.parts, a.devices.Parts(), hardware,
		d.timers.Parts(d.dialogue, d.sound.speaker), faces, d.sound.ears.Parts(d.dialogue.SetMicrophone), d.traces, []supervise.Part{
			{Name: "ready", Policy: supervise.Fatal, Run: manager.Tell},
			{Name: "reload", Policy: supervise.Restart, Run: reloads.Run},
			{Name: "memory pages", Policy: supervise.Restart, Run: func(ctx context.Context) error {
				return footprint.Run(ctx, footprint.Options{Up: manager.Up(), Quiet: d.activity.Quiet, Log: d.log})
			}},
			{Name: "watchdog", Policy: supervise.Fatal, Run: manager.Watch},
		}), nil
}

// buildMemory opens what is kept, and reads what people chose.
func (d *Daemon) buildMemory(ctx context.Context) (err error) {
	if d.turns, d.traces, err = d.newTurns(); err != nil {
		return err
	}
	if d.store, err = d.folder.Open(ctx, state.Options{
		Spare: d.opt.RuntimeDir, Conditions: d.conditions, Memory: memory.Options{
			KeepTurns: d.cfg.Memory.Turns, KeepNotes: d.cfg.Memory.Notes, MaxBytes: int64(d.cfg.Memory.MaxMB) << 20, Log: d.log,
		},
	}); err != nil {
		return err
	}
	if d.settings, err = settings.Open(ctx, settings.Options{
		Store: d.store, Bus: d.bus, Volume: d.cfg.Audio.Volume, Words: d.cfg.Wake.Choices(), Responder: d.cfg.Choices() != nil,
		Quiet: d.quietHour,
	}); err != nil {
		return err
	}
	meanings, model, err := d.engines.Meanings()
	d.recall = recall.New(recall.Options{
		Store: d.store, Quiet: d.activity.Quiet, Meanings: meanings, Model: model, Log: d.log,
		Home: memory.Profile{Place: d.cfg.Memory.Place, Units: d.cfg.Memory.Units},
	})
	return err
}

// buildSound makes what the box hears and speaks with.
func (d *Daemon) buildSound(context.Context) (err error) {
	d.sound, err = d.newSound(d.settings.Heeds)
	return err
}

// buildTimers makes what ends, rings or is due.
func (d *Daemon) buildTimers(context.Context) (err error) {
	d.timers, err = timers.New(timers.Options{
		Store: d.store, Bus: d.bus, Conditions: d.conditions, Location: d.zone, Hour24: d.cfg.Tools.Clock24h,
		Snooze: d.cfg.Tools.Ring.Snooze, Log: d.log,
	})
	return err
}

// buildPeers makes what knows the other boxes, and the matcher, which knows their names.
func (d *Daemon) buildPeers(context.Context) (err error) {
	d.assistant = &assistant{registry: tools.NewRegistry(), matcher: sentences.NewMatcher(nil, d.settings.Heeds)}
	d.peers, err = peers.New(peers.Options{
		Config: &d.cfg.MQTT, Node: d.node, Timers: d.timers, Speakers: d.speakers, Quiet: d.settings.Quiet,
		Names: d.assistant.matcher, Log: d.log,
	})
	return err
}

// buildFaces makes what shows the box to others: the broker's bridge, the control API and the
// console.
func (d *Daemon) buildFaces(socket net.Listener, guests *guests, reloads *reloader) ([]supervise.Part, error) {
	a, page := d.assistant, &page{base: d.base}
	host := host{d.settings, d.base, d.dialogue, d.peers, a, d.end}
	var err error
	if d.broker, err = d.buildBroker(host, d.peers.Wire, d.sound.microphone); err != nil {
		return nil, err
	}
	d.holders.Add(d.broker.Forget)
	api, err := control.New(control.Options{
		Configuration: reloads, Probe: d.probe, Household: consoleChanges{host, d.store, d.timers, reloads}, Lines: d.tail,
		Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: page.console, Broker: d.ownBroker,
		Backup: d.folder.Backup, Kept: d.kept(), Keep: d.keep, Listener: socket, Speaker: d.dialogue, Bus: d.bus, Status: d.status,
		Withdraw: d.broker.Withdraw, Fleet: func(ctx context.Context) (any, error) { return d.broker.Fleet(ctx) },
		Meter: d.sound.ears.Meter, Wake: d.sound.ears, Memory: recall.NewArchive(recall.NewOwner(d.recall, d.holders.Forget)),
		Thinkers: a.thinker.List, Lists: d.store.Lists, Tools: console{a, d.cfg.Memory.People}, Servers: a.servers, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	counts, err := d.buildMetrics(d.sound.microphone, a.thinker)
	if err != nil {
		return nil, err
	}
	calls, err := guests.exchange()
	if err != nil {
		return nil, err
	}
	return append([]supervise.Part{
		{Name: "household", Policy: supervise.Restart, Run: d.peers.Run},
		{Name: "mqtt", Policy: supervise.Restart, Run: d.broker.Run},
		{Name: "control", Policy: supervise.Fatal, Run: api.Run},
	}, page.build(api.Handler(), counts, calls)...), nil
}

// buildAssistant makes the tools, what understands requests for them, and who thinks.
func (d *Daemon) buildAssistant(ctx context.Context) error {
	h := d.assistant
	clockTools, err := clock.New(clock.Options{Location: d.zone, Hour24: d.cfg.Tools.Clock24h})
	if err != nil {
		return err
	}
	listTools, err := list.New(list.Options{Store: d.store})
	if err != nil {
		return err
	}
	memoryTools, err := remember.New(recall.NewOwner(d.recall, d.holders.Forget))
	if err != nil {
		return err
	}
	serviceTools, err := d.serviceTools(d.cfg, d.recall)
	if err != nil {
		return err
	}
	calendarTools, err := d.calendarTools(d.cfg)
	if err != nil {
		return err
	}
	if h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Log: d.log}); err != nil {
		return err
	}
	h.toolbox = answer.NewToolbox(d.bus, h.exec, d.cfg.Log.Transcripts)
	d.holders.Add(h.toolbox.Forget)
	for _, t := range [][]tools.Tool{d.peers.SharedTimers(d.timers.Tools()), clockTools, d.peers.SharedLists(listTools), {units.New(units.Options{British: british(d.zone, d.recall)}), calc.New()}, random.New(random.Options{}), memoryTools, d.speakers.Tools(h.toolbox), d.peers.Tools(), serviceTools, calendarTools} {
		if err := h.registry.Register(t...); err != nil {
			return err
		}
	}
	services := toolNames(append(serviceTools, calendarTools...))
	h.services.Store(&services)
	// Declared tools come last, so that they cannot take the name of one of ours.
	h.declared = d.declaredTools(h.registry)
	if err := d.buildUnderstanding(h); err != nil {
		return err
	}
	if h.homes, err = d.buildHomes(); err != nil {
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
	h.sources = append(h.servers.parts(), documents...)
	return err
}

// buildDevices offers what the homes have.
func (d *Daemon) buildDevices(ctx context.Context, h *assistant) (*devices.Devices, error) {
	o := devices.Options{
		Source: h.homes.source, Found: h.homes.found, Config: &d.cfg.Tools.Home, Now: d.now, Area: d.cfg.MQTT.Area,
		Store: d.store, Registry: h.registry, Toolbox: h.toolbox, Names: h.matcher, Timers: d.timers.Timers, Due: d.timers.Orders(),
		Speakers: d.speakers, Conditions: d.conditions, Log: d.log,
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
		Config: c, Now: d.now, Key: d.secrets.Get(c.Responder.Key), Zone: d.zone, Local: d.settings.Local, Blind: d.sound.sense.Blind(),
		People: d.recall, Registry: h.registry, Services: func() []string { return *h.services.Load() },
		Store: d.store, Used: d.engines.Used, Conditions: d.conditions, Log: d.log,
	}
	if h.thinker != nil {
		o.Thinkers = h.thinker
	}
	return responder.New(ctx, o, h.files.Domains, h.files.Prompts)
}

// depends is what an answer to anybody may depend on beside its question.
func (d *base) depends() string {
	return strings.Join([]string{d.zone.String(), d.cfg.STT.Language, d.opt.Version, strconv.FormatUint(d.reloaded.Load(), 10)}, "\n") + "\n"
}

// buildDialogue joins ears, thinkers, tools and voice.
func (d *Daemon) buildDialogue(ctx context.Context) error {
	h := d.assistant
	last, err := d.store.LastTurn(ctx)
	if err != nil {
		return err
	}
	d.numbers.Store(last)
	a := d.answers(h, d.bus, d.sound.voice, d.timers, d.recall)
	if h.thinker != nil {
		a.Thinker = h.thinker
	}
	if h.responder != nil {
		a.Responder, a.Guard = h.responder.Own(), h.responder.Own()
	}
	if agent := h.homes.agent; agent != nil && d.cfg.Tools.Home.Conversation {
		a.Thinker = thinkers.WithAgent(a.Thinker, agent, h.devices, d.cfg.STT.Language)
	}
	answers, err := answer.New(a)
	if err != nil {
		return err
	}
	o := dialogue.Options{
		Log: d.log, Bus: d.bus, Recogniser: h.hears, Voice: d.sound.voice, Answers: answers,
		Matcher: h.matcher,
		Inbox:   d.sound.inbox, Ears: d.sound.ears,
		Wake: d.cfg.Wake.Engine, FollowUp: d.cfg.Wake.FollowUp, Chime: d.cfg.Wake.Chime,
		Transcripts: d.cfg.Log.Transcripts, People: d.cfg.Memory.People,
		Settings: d.settings, Activity: d.activity, Turns: &d.numbers,
		Health: d.engines.Hearing(h.hears), Sounds: &d.turns.Sounds,
	}
	if d.sound.sense.Blind() {
		o.Blind = true
		if o.Wake == dialogue.WakePhrase {
			o.Wake = dialogue.WakeButton
		}
	}
	if d.cfg.MQTT.House != "" {
		o.Contest = contest{d.peers.Household, d.sound.ears}
	}
	if h.responder != nil {
		o.Responder = h.responder.Own()
	}
	if d.dialogue, err = dialogue.New(o); err != nil {
		return err
	}
	d.speakers.Enter("", speaker{d.dialogue})
	return nil
}

// contest is the household as the dialogue sees it.
type contest struct {
	household *household.Household
	ears      interface{ Level() float32 }
}

// Contend asks whether this box answers.
func (c contest) Contend(b dialogue.Bid, tell func(dialogue.Verdict)) bool {
	return c.household.Contend(household.Bid{
		Busy: b.Busy, Score: b.Score, Level: c.ears.Level(), Since: b.Since,
	}, func(v household.Verdict) { tell(dialogue.Verdict(v)) })
}
