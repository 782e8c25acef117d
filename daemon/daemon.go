package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	"hearthd/daemon/footprint"
	"hearthd/daemon/journal"
	"hearthd/daemon/manager"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/memory"
	"hearthd/tools"
)

// Daemon is one hearthd.
type Daemon struct {
	*base
	end      context.CancelCauseFunc // of Run
	numbers  atomic.Uint64           // the highest turn id that was ever given
	settings *settings.Settings
	store    *memory.Store
	models   *models
	recall   *recall.Recollection
	sound    *sound
	time     *timekeeping
	peers    *peers
	house    *house
	dialogue *dialogue.Dialogue
	guests   *guests
	turns    *timeline.Recorder
	broker   *mqtt.Bridge
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
	state, err := hold(d.opt.StateDir)
	if err != nil {
		return err
	}
	defer state.Close()
	d.dropSnapshots()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	parts, err := d.build(ctx, socket)
	if d.store != nil {
		defer d.close()
	}
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

func (d *Daemon) close() {
	if err := d.store.Close(); err != nil {
		d.log.Error("close store", "component", "memory", "error", err)
	}
}

// build makes every part, in the order in which they start. The control API
// closes socket.
func (d *Daemon) build(ctx context.Context, socket net.Listener) ([]supervise.Part, error) {
	events := d.bus.Subscribe("journal", journal.Queue)
	var traces []supervise.Part
	var err error
	if d.turns, traces, err = d.buildTraces(); err != nil {
		return nil, err
	}
	if d.store, err = d.openStore(ctx); err != nil {
		return nil, err
	}
	if d.settings, err = d.buildSettings(ctx, d.store); err != nil {
		return nil, err
	}
	if d.sound, err = d.buildSound(d.settings); err != nil {
		return nil, err
	}
	d.models = &models{base: d.base}
	if d.recall, err = d.models.recall(d.store, d.activity.Quiet); err != nil {
		return nil, err
	}
	if d.time, err = d.buildTimers(d.store); err != nil {
		return nil, err
	}
	d.house = &house{registry: tools.NewRegistry(), matcher: newMatching(nil)}
	if d.peers, err = d.buildPeers(func(names []string) { d.boxesNamed(d.house.matcher, names) }); err != nil {
		return nil, err
	}
	d.peers.timers, d.peers.here = d.time.timers, d.here
	house := d.house
	if err := d.buildHouse(ctx, house); err != nil {
		return nil, err
	}
	if err := d.buildDialogue(ctx, house); err != nil {
		return nil, err
	}
	manager, err := manager.New(manager.Options{
		Notifier: d.opt.Notifier, Watchdog: d.opt.Watchdog, Begun: d.begun, Ears: d.sound.ears, Turns: d.dialogue,
		Bus: d.bus, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	d.guests = &guests{
		base: d.base, house: house, settings: d.settings, timers: d.time.timers, recall: d.recall, numbers: &d.numbers,
	}
	reloads := &reloader{
		base: d.base, house: house, ears: d.sound.ears, guests: d.guests, dialogue: d.dialogue, turns: d.turns, recall: d.recall,
		up: manager.Up(), origins: d.opt.Origins,
	}
	host := host{d.settings, d.base, d.dialogue, house, d.end}
	servers, err := d.mcpServers(house.registry, d.store)
	if err != nil {
		return nil, err
	}
	page := &page{base: d.base}
	api, err := control.New(control.Options{
		Configuration: reloads, Probe: d.probe, Household: byHand{host, d.store, d.time.timers, reloads}, Lines: d.tail, Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: page.console, Broker: d.ownBroker,
		Backup: func(ctx context.Context, give func(string, int64, io.Reader) error) error {
			return d.backup(ctx, d.store, give)
		},
		Kept: d.kept(), Keep: d.keep,
		Listener: socket, Speaker: d.dialogue, Bus: d.bus, Status: d.status, Withdraw: func(ctx context.Context) error { return d.broker.Withdraw(ctx) }, Fleet: func(ctx context.Context) (any, error) { return d.broker.Fleet(ctx) }, Meter: d.sound.ears.Meter.Watch, Wake: d.sound.ears.Words,
		Memory: recall.NewArchive(recall.NewOwner(d.recall, func() { d.forgetProcess(house) })), Thinkers: func() []api.Thinker { return d.thinkers(house.thinker) }, Lists: d.store.Lists, Tools: console{house, d.cfg.Memory.People}, Servers: servers, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	counts, err := d.buildMetrics(d.sound.microphone, house.thinker)
	if err != nil {
		return nil, err
	}
	calls, err := d.guests.exchange()
	if err != nil {
		return nil, err
	}
	pages := page.build(api.Handler(), counts, calls)
	if d.broker, err = d.buildBroker(host, d.peers.wire, d.sound.microphone); err != nil {
		return nil, err
	}
	documents, err := d.buildKnowledge(house.registry, d.store, d.recall, d.activity.Quiet)
	if err != nil {
		return nil, err
	}
	hardware, err := d.hardware(d.dialogue)
	if err != nil {
		return nil, err
	}
	carrier := carrier{d.base, d.time.timers, house.devices, house.exec, d.dialogue}
	return slices.Concat([]supervise.Part{
		{Name: "journal", Policy: supervise.Restart, Run: journal.New(events, d.store, d.conditions, d.log).Run},
		{Name: "timeline", Policy: supervise.Restart, Run: d.turns.Run},
		{Name: "memory", Policy: supervise.Restart, Run: d.recall.Run},
		{Name: "playback", Policy: supervise.Fatal, Run: d.sound.playback.Run},
		{Name: "tools", Policy: supervise.Fatal, Run: house.finish},
		{Name: "dialogue", Policy: supervise.Fatal, Run: d.dialogue.Run},
	}, house.thinker.parts(), house.cloud.parts(), servers.parts(), documents, house.devices.parts, hardware, []supervise.Part{
		{Name: "clock", Policy: supervise.Restart, Run: d.time.clock.Run},
		{Name: "timers", Policy: supervise.Restart, Run: d.time.timers.Run},
		{Name: "bell", Policy: supervise.Fatal, Run: func(ctx context.Context) error { return d.time.bell.run(ctx, d.dialogue, d.sound.speaker) }},
		{Name: "orders", Policy: supervise.Restart, Run: func(ctx context.Context) error { return carrier.run(ctx, d.time.bell.orders) }},
		{Name: "peers", Policy: supervise.Restart, Run: d.peers.boxes.Run},
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

// here is the machine that the turn of ctx belongs to: a guest's, or the box's.
func (d *Daemon) here(ctx context.Context) *dialogue.Dialogue {
	return cmp.Or(machineOf(ctx), d.dialogue)
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
	spending, err := d.spending(ctx, d.store)
	if err != nil {
		return api.Status{}, err
	}
	return api.Status{
		Responder: spending,
		Node:      d.node, Version: d.opt.Version, State: s.State, Muted: s.Muted, Volume: s.Volume, Turns: s.Turn,
		UptimeS: int64(time.Since(d.begun).Seconds()),
		Frames:  d.sound.microphone.Frames(), Dropped: d.sound.microphone.Dropped(), Broker: d.broker.State(), Boxes: d.peers.boxes.Online(),
		Conditions: d.conditions.List(), Timers: shown(d.time.timers.List()),
		Policy: d.policy(d.settings), DND: d.settings.DND(), Transcripts: d.cfg.Log.Transcripts, Recordings: recordings(d.now()),
	}, nil
}
