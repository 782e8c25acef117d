package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/doctor"
	"hearthd/daemon/footprint"
	"hearthd/daemon/journal"
	"hearthd/daemon/manager"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/peers"
	"hearthd/daemon/recall"
	"hearthd/daemon/sentences"
	"hearthd/daemon/settings"
	"hearthd/daemon/state"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/daemon/timers"
	"hearthd/memory"
	"hearthd/tools"
)

// Daemon is one hearthd.
type Daemon struct {
	*base
	end       context.CancelCauseFunc // of Run
	numbers   atomic.Uint64           // the highest turn id that was ever given
	settings  *settings.Settings
	store     *memory.Store
	recall    *recall.Recollection
	sound     *sound
	timers    *timers.Timers
	peers     *peers.Peers
	assistant *assistant
	dialogue  *dialogue.Dialogue
	turns     *timeline.Recorder
	broker    *mqtt.Bridge
}

// New checks the options and opens nothing.
func New(opt Options) (*Daemon, error) {
	b, err := newBase(opt)
	if err != nil {
		return nil, err
	}
	return &Daemon{base: b}, nil
}

// Run is hearthd from start to stop. It returns nil when ctx ended and all was
// given back.
func (d *Daemon) Run(ctx context.Context) error {
	if err := os.MkdirAll(d.opt.RuntimeDir, 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	ctx, d.end = context.WithCancelCause(ctx)
	defer d.end(nil)
	// First of all, for they show whether another hearthd has these folders.
	folder, err := state.Hold(d.opt.StateDir, d.log)
	if err != nil {
		return err
	}
	defer folder.Close()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	parts, err := d.build(ctx, folder, socket)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	group := supervise.New(d.log)
	for _, p := range parts {
		group.Add(p)
	}
	if err := group.Run(ctx); err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), ErrRestart) {
		return ErrRestart
	}
	return nil
}

// build makes every part, in the order in which they start. The control API
// closes socket.
func (d *Daemon) build(ctx context.Context, folder *state.Folder, socket net.Listener) ([]supervise.Part, error) {
	events := d.bus.Subscribe("journal", journal.Queue)
	var traces []supervise.Part
	var err error
	if d.turns, traces, err = d.buildTraces(); err != nil {
		return nil, err
	}
	if d.store, err = folder.Open(ctx, state.Options{
		Spare: d.opt.RuntimeDir, Conditions: d.conditions, Memory: memory.Options{
			KeepTurns: d.cfg.Memory.Turns, KeepNotes: d.cfg.Memory.Notes, MaxBytes: int64(d.cfg.Memory.MaxMB) << 20, Log: d.log,
		},
	}); err != nil {
		return nil, err
	}
	if d.settings, err = d.buildSettings(ctx, d.store); err != nil {
		return nil, err
	}
	if d.sound, err = d.buildSound(d.settings); err != nil {
		return nil, err
	}
	meanings, model, err := d.engines.Meanings()
	if err != nil {
		return nil, err
	}
	d.recall = recall.New(recall.Options{
		Store: d.store, Quiet: d.activity.Quiet, Meanings: meanings, Model: model, Log: d.log,
		Home: memory.Profile{Place: d.cfg.Memory.Place, Units: d.cfg.Memory.Units},
	})
	if d.timers, err = timers.New(timers.Options{
		Store: d.store, Bus: d.bus, Conditions: d.conditions, Location: d.zone, Hour24: d.cfg.Tools.Clock24h, Snooze: d.cfg.Tools.Ring.Snooze, Log: d.log,
	}); err != nil {
		return nil, err
	}
	d.assistant = &assistant{registry: tools.NewRegistry(), matcher: sentences.NewMatcher(nil, d.settings.Heeds)}
	if d.peers, err = peers.New(peers.Options{
		Config: &d.cfg.MQTT, Node: d.node, Timers: d.timers, Speakers: d.speakers, Quiet: d.settings.Quiet, Names: d.assistant.matcher, Log: d.log,
	}); err != nil {
		return nil, err
	}
	h := d.assistant
	if err := d.buildAssistant(ctx, h); err != nil {
		return nil, err
	}
	if err := d.buildDialogue(ctx, h); err != nil {
		return nil, err
	}
	d.holders.Add(d.recall.Forget, d.turns.Forget, d.engines.Forget, d.tail.Forget)
	manager, err := manager.New(manager.Options{
		Notifier: d.opt.Notifier, Watchdog: d.opt.Watchdog, Begun: d.begun, Ears: d.sound.ears, Turns: speaker{d.dialogue},
		Bus: d.bus, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	guests := &guests{
		base: d.base, assistant: h, settings: d.settings, timers: d.timers, recall: d.recall, numbers: &d.numbers,
	}
	d.holders.Add(guests.forget)
	reloads := &reloader{
		base: d.base, assistant: h, ears: d.sound.ears, guests: guests, dialogue: d.dialogue, turns: d.turns, recall: d.recall,
		up: manager.Up(), origins: d.opt.Origins,
	}
	host := host{d.settings, d.base, d.dialogue, d.peers, h, d.end}
	servers, err := d.mcpServers(h.registry, d.store)
	if err != nil {
		return nil, err
	}
	if d.broker, err = d.buildBroker(host, d.peers.Wire, d.sound.microphone); err != nil {
		return nil, err
	}
	d.holders.Add(d.broker.Forget)
	page := &page{base: d.base}
	api, err := control.New(control.Options{
		Configuration: reloads, Probe: d.probe, Household: consoleChanges{host, d.store, d.timers, reloads}, Lines: d.tail, Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: page.console, Broker: d.ownBroker,
		Backup: folder.Backup,
		Kept:   d.kept(), Keep: d.keep,
		Listener: socket, Speaker: d.dialogue, Bus: d.bus, Status: d.status, Withdraw: d.broker.Withdraw, Fleet: func(ctx context.Context) (any, error) { return d.broker.Fleet(ctx) }, Meter: d.sound.ears.Meter, Wake: d.sound.ears,
		Memory: recall.NewArchive(recall.NewOwner(d.recall, d.holders.Forget)), Thinkers: func() []api.Thinker { return h.thinker.List() }, Lists: d.store.Lists, Tools: console{h, d.cfg.Memory.People}, Servers: servers, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	counts, err := d.buildMetrics(d.sound.microphone, h.thinker)
	if err != nil {
		return nil, err
	}
	calls, err := guests.exchange()
	if err != nil {
		return nil, err
	}
	pages := page.build(api.Handler(), counts, calls)
	documents, err := d.buildKnowledge(h.registry, d.store, d.recall, d.activity.Quiet)
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
		{Name: "tools", Policy: supervise.Fatal, Run: h.finish},
		{Name: "dialogue", Policy: supervise.Fatal, Run: d.dialogue.Run},
	}, h.thinker.Parts(), d.engines.Parts(), h.responder.Parts(), servers.parts(), documents, h.homes.parts, h.devices.Parts(), hardware, d.timers.Parts(d.dialogue, d.sound.speaker), []supervise.Part{
		{Name: "household", Policy: supervise.Restart, Run: d.peers.Run},
		{Name: "mqtt", Policy: supervise.Restart, Run: d.broker.Run},
		{Name: "control", Policy: supervise.Fatal, Run: api.Run},
	}, d.sound.ears.Parts(d.dialogue.SetMicrophone), pages, traces, []supervise.Part{
		{Name: "ready", Policy: supervise.Fatal, Run: manager.Tell},
		{Name: "reload", Policy: supervise.Restart, Run: reloads.Run},
		{Name: "memory pages", Policy: supervise.Restart, Run: func(ctx context.Context) error {
			return footprint.Run(ctx, footprint.Options{Up: manager.Up(), Quiet: d.activity.Quiet, Log: d.log})
		}},
		{Name: "watchdog", Policy: supervise.Fatal, Run: manager.Watch},
	}), nil
}

// probe makes a check, or none, and says which daemon it is that answers.
func (d *base) probe(ctx context.Context, check string, cold bool) (api.Probed, error) {
	dir, err := filepath.Abs(d.opt.StateDir)
	if err != nil {
		return api.Probed{}, fmt.Errorf("find state folder: %w", err)
	}
	p := api.Probed{PID: os.Getpid(), Begun: d.begun.Round(0), StateDir: dir, Findings: []doctor.Finding{}}
	if check != "" {
		p.Findings, err = d.opt.Probe(ctx, d.now(), check, cold)
	}
	return p, err
}

// openSocket takes the control socket that systemd passed, or makes it.
func (d *base) openSocket() (net.Listener, error) {
	if l, ok := d.opt.Sockets.Listeners["control"]; ok {
		if own := d.cfg.Control.Socket; own != "" && own != l.Addr().String() {
			d.log.Warn("control.socket not used, systemd passed another", "component", "control", "socket", l.Addr().String())
		}
		return l, nil
	}
	path := d.cfg.Control.Socket
	if path == "" {
		path = filepath.Join(d.opt.RuntimeDir, "control.sock")
	}
	return control.Socket(path)
}

// keptStreams is the name under which systemd keeps the streams of events over a restart.
const keptStreams = "events"

// kept are the streams of events that the last process left with systemd.
func (d *base) kept() []net.Conn {
	streams := d.opt.Sockets.Connections[keptStreams]
	if len(streams) > 0 {
		if err := d.opt.Notifier.Unstore(keptStreams); err != nil {
			d.log.Warn("take over streams", "component", "control", "error", err)
		}
	}
	return streams
}

// keep leaves a stream with systemd for the next process.
func (d *Daemon) keep(c syscall.Conn) error { return d.opt.Notifier.Store(keptStreams, c) }

func (d *Daemon) status(ctx context.Context) (api.Status, error) {
	s, err := d.dialogue.Status(ctx)
	if err != nil {
		return api.Status{}, err
	}
	spending, err := d.spending(ctx)
	if err != nil {
		return api.Status{}, err
	}
	return api.Status{
		Responder: spending,
		Node:      d.node, Version: d.opt.Version, State: s.State, Muted: s.Muted, Volume: s.Volume, Turns: s.Turn,
		UptimeS: int64(time.Since(d.begun).Seconds()),
		Frames:  d.sound.microphone.Frames(), Dropped: d.sound.microphone.Dropped(), Broker: d.broker.State(), Boxes: d.peers.There(),
		Conditions: d.conditions.List(), Timers: d.timers.Shown(),
		Policy: d.policy(d.settings), DND: d.settings.DND(), Transcripts: d.cfg.Log.Transcripts, Recordings: recordings(d.now()),
	}, nil
}

// spending is what status shows of the responder; nil when there is none.
func (d *Daemon) spending(ctx context.Context) (*api.Spending, error) {
	c := &d.now().Responder
	if c.URL == "" {
		return nil, nil
	}
	day, month, err := d.store.Spent(ctx, time.Now())
	return &api.Spending{Day: day, Month: month, Daily: c.Daily, Monthly: c.Monthly, Currency: c.Prices.Currency}, err
}
