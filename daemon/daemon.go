package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/ears"
	"hearthd/daemon/event"
	"hearthd/daemon/footprint"
	"hearthd/daemon/health"
	"hearthd/daemon/household"
	"hearthd/daemon/journal"
	"hearthd/daemon/manager"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/daemon/wallclock"
	"hearthd/llm/ollama"
	"hearthd/memory"
	"hearthd/systemd"
	"hearthd/tools/timer"
)

// Options is what the daemon is given by its main.
type Options struct {
	Config     config.Config
	Version    string
	StateDir   string // the store
	RuntimeDir string // the control socket, working files of engines
	Log        *slog.Logger
	Notifier   *systemd.Notifier
	Watchdog   time.Duration   // interval that systemd asks for, or 0
	Sockets    systemd.Sockets // passed by systemd: the listener "control", and streams of events

	// File is where Config is from, and Origins where in it; Load reads it anew. Nil:
	// nothing is reloaded.
	File    string
	Origins config.Origins
	Load    func() (config.Config, config.Origins, error)
	Hangup  <-chan os.Signal // asks for a reload
	Level   *slog.LevelVar   // of Log; nil: it stays
}

// Daemon is one hearthd.
type Daemon struct {
	opt  Options
	cfg  *config.Config                // that it started with
	live atomic.Pointer[config.Config] // the same, but for what a reload changed
	log  *slog.Logger
	node string

	begun      time.Time
	end        context.CancelCauseFunc // of Run
	numbers    atomic.Uint64           // the highest turn id that was ever given
	settings   *settings.Settings
	bus        *event.Bus
	conditions *health.Conditions
	unread     unread
	store      *memory.Store
	recall     *recall.Recollection
	mind       *mind // nil: there is none
	models     []*ollama.Client
	mixer      *audio.Mixer
	inbox      *dialogue.Inbox
	dialogue   *dialogue.Dialogue
	timers     *timer.Timers
	bell       bell
	orders     orders
	clock      *wallclock.Clock
	zone       *time.Location
	microphone *ears.Microphone
	sense      *ears.Sense
	ears       *ears.Ears
	broker     *mqtt.Bridge
	wire       *mqtt.Feed // of the other boxes
	household  *household.Household
	matcher    *matching
	reloads    *reloader
	turns      *timeline.Recorder
	guests     guests
	tail       *journal.Tail               // of the log
	page       atomic.Pointer[api.Console] // where the web page is; nil: there is none yet

	speaker  chan struct{} // closed when it is known whether the speaker works
	manager  *manager.Manager
	activity *dialogue.Activity
}

// New checks the options and opens nothing.
func New(opt Options) (*Daemon, error) {
	if opt.StateDir == "" || opt.RuntimeDir == "" || opt.Log == nil || opt.Notifier == nil {
		return nil, errors.New("new daemon: folders, log and notifier are needed")
	}
	if ps := opt.Config.Validate(); len(ps) > 0 {
		return nil, fmt.Errorf("new daemon: %w", ps)
	}
	node := opt.Config.Node
	if node == "" {
		name, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("name node: %w", err)
		}
		node = contract.Node(name)
	}
	kept := journal.NewTail()
	d := &Daemon{
		opt: opt, cfg: &opt.Config, log: slog.New(answer.TurnLog(kept.Over(opt.Log.Handler()))), tail: kept, node: node,
		begun: time.Now(), bus: event.NewBus(),
		speaker: make(chan struct{}), activity: new(dialogue.Activity),
	}
	d.conditions = health.New(d.bus)
	d.live.Store(d.cfg)
	return d, nil
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
	traces, err := d.buildTraces()
	if err != nil {
		return nil, err
	}
	if err := d.openStore(ctx); err != nil {
		return nil, err
	}
	if d.settings, err = d.buildSettings(ctx); err != nil {
		return nil, err
	}
	setup := Ears(d.cfg, d.opt.StateDir)
	d.sense = ears.NewSense(&setup)
	d.microphone, err = ears.NewMicrophone(ears.MicrophoneOptions{
		Device: d.cfg.Audio.Capture, Off: d.cfg.Wake.Engine == dialogue.WakeOff, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	playback, err := d.buildVoice()
	if err != nil {
		return nil, err
	}
	if err := d.buildRecall(); err != nil {
		return nil, err
	}
	if err := d.buildHousehold(); err != nil {
		return nil, err
	}
	house, err := d.buildHouse(ctx)
	if err != nil {
		return nil, err
	}
	d.mind = house.thinker
	d.inbox = dialogue.NewInbox(spottedWords(setup.Words))
	d.ears, err = ears.New(ears.Options{
		Setup: setup, Microphone: d.microphone, Sense: d.sense, Far: d.mixer.Reference(), Speaking: playback.voice.Speaking,
		Heeds: d.settings.Heeds, Turns: d.inbox, Responder: d.cfg.Choices() != nil, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	if err := d.buildDialogue(ctx, house, playback.voice); err != nil {
		return nil, err
	}
	d.manager, err = manager.New(manager.Options{
		Notifier: d.opt.Notifier, Watchdog: d.opt.Watchdog, Begun: d.begun, Ears: d.ears, Turns: d.dialogue,
		Bus: d.bus, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	d.reloads = newReloader(d, house, d.manager.Up())
	servers, err := d.mcpServers(house.registry)
	if err != nil {
		return nil, err
	}
	api, err := control.New(control.Options{
		Configuration: d.reloads, Probe: d.probe, Household: byHand{host{d.settings, d, house}, d.timers, d.reloads}, Lines: d.tail, Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: d.whereConsole, Broker: d.ownBroker,
		Backup: d.backup,
		Kept:   d.kept(), Keep: d.keep,
		Listener: socket, Speaker: d.dialogue, Bus: d.bus, Status: d.status, Withdraw: func(ctx context.Context) error { return d.broker.Withdraw(ctx) }, Fleet: func(ctx context.Context) (any, error) { return d.broker.Fleet(ctx) }, Meter: d.ears.Meter, Wake: d.ears,
		Memory: recall.NewArchive(recall.NewOwner(d.recall, func() { d.forgetProcess(house) })), Thinkers: d.thinkers, Lists: d.store.Lists, Tools: console{house, d.cfg.Memory.People}, Servers: servers, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	page, err := d.buildConsole(house, api.Handler())
	if err != nil {
		return nil, err
	}
	if d.broker, err = d.buildBroker(house); err != nil {
		return nil, err
	}
	documents, err := d.buildKnowledge(house.registry)
	if err != nil {
		return nil, err
	}
	hardware, err := d.hardware()
	if err != nil {
		return nil, err
	}
	return slices.Concat([]supervise.Part{
		{Name: "journal", Policy: supervise.Restart, Run: journal.New(events, d.store, d.conditions, d.log).Run},
		{Name: "timeline", Policy: supervise.Restart, Run: d.turns.Run},
		{Name: "memory", Policy: supervise.Restart, Run: d.recall.Run},
		{Name: "playback", Policy: supervise.Fatal, Run: playback.device.Run},
		{Name: "tools", Policy: supervise.Fatal, Run: house.finish},
		{Name: "dialogue", Policy: supervise.Fatal, Run: d.dialogue.Run},
	}, d.mind.parts(), house.cloud.parts(), servers.parts(), documents, house.devices.parts, hardware, []supervise.Part{
		{Name: "clock", Policy: supervise.Restart, Run: d.clock.Run},
		{Name: "timers", Policy: supervise.Restart, Run: d.timers.Run},
		{Name: "bell", Policy: supervise.Fatal, Run: d.bell.Run},
		{Name: "orders", Policy: supervise.Restart, Run: func(ctx context.Context) error { return d.orders.run(ctx, house) }},
		{Name: "household", Policy: supervise.Restart, Run: d.household.Run},
		{Name: "mqtt", Policy: supervise.Restart, Run: d.broker.Run},
		{Name: "control", Policy: supervise.Fatal, Run: api.Run},
	}, d.ears.Parts(d.dialogue.SetMicrophone), page, traces, []supervise.Part{
		{Name: "ready", Policy: supervise.Fatal, Run: d.manager.Tell},
		{Name: "reload", Policy: supervise.Restart, Run: d.reloads.Run},
		{Name: "memory pages", Policy: supervise.Restart, Run: func(ctx context.Context) error {
			return footprint.Run(ctx, footprint.Options{Up: d.manager.Up(), Quiet: d.activity.Quiet, Log: d.log})
		}},
		{Name: "watchdog", Policy: supervise.Fatal, Run: d.manager.Watch},
	}), nil
}

// openSocket takes the control socket that systemd passed, or makes it.
func (d *Daemon) openSocket() (net.Listener, error) {
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
func (d *Daemon) kept() []net.Conn {
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
		Frames:  d.microphone.Frames(), Dropped: d.microphone.Dropped(), Broker: d.broker.State(), Boxes: d.household.There(),
		Conditions: d.conditions.List(), Timers: d.running(),
		Policy: d.policy(), DND: d.settings.DND(), Transcripts: d.cfg.Log.Transcripts, Recordings: recordings(d.now()),
	}, nil
}
