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
	"hearthd/audio/device"
	"hearthd/config"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/household"
	"hearthd/daemon/listen"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
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
	manners    manners
	bus        *event.Bus
	conditions *health.Conditions
	unread     unread
	store      *memory.Store
	recall     *recollection
	mind       *mind // nil: there is none
	models     []*ollama.Client
	mixer      *audio.Mixer
	dialogue   *dialogue.Dialogue
	timers     *timer.Timers
	bell       bell
	orders     orders
	clock      *wallclock.Clock
	zone       *time.Location
	capture    *device.Capture
	listener   *listen.Listener
	meter      *meter
	sense      *sense
	keeper     *wordKeeper
	servers    []supervise.Part // wake word servers
	broker     *mqtt.Bridge
	wire       *mqtt.Feed // of the other boxes
	household  *household.Household
	matcher    *matching
	loudness   household.Loudness // of what the microphone hears
	reloads    *reloader
	turns      *timeline.Recorder
	guests     guests
	tail       *tail                           // of the log
	page       atomic.Pointer[control.Console] // where the web page is; nil: there is none yet

	microphone chan device.State // cap 1; the newest
	settled    chan struct{}     // closed when it is known that no frame will come for now
	speaker    chan struct{}     // closed when it is known whether the speaker works
	up         chan struct{}     // closed when it is ready
	muted      atomic.Bool
	lostAt     atomic.Pointer[time.Time] // when capture was lost, immune to a clock that is set; nil: it runs
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
	kept := newTail()
	d := &Daemon{
		opt: opt, cfg: &opt.Config, log: slog.New(dialogue.TurnLog(kept.over(opt.Log.Handler()))), tail: kept, node: node,
		begun: time.Now(), bus: event.NewBus(),
		microphone: make(chan device.State, 1), settled: make(chan struct{}),
		speaker: make(chan struct{}), up: make(chan struct{}),
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
	journal := newJournal(d.bus, d.conditions, d.log)
	traces, err := d.buildTraces()
	if err != nil {
		return nil, err
	}
	if err := d.openStore(ctx); err != nil {
		return nil, err
	}
	journal.store = d.store
	d.sense = newSense(&d.cfg.Listen, builtIn)
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
	if err := d.buildDialogue(ctx, house, playback.voice); err != nil {
		return nil, err
	}
	if err := d.buildEars(playback.voice); err != nil {
		return nil, err
	}
	d.reloads = newReloader(d, house)
	servers, err := d.mcpServers(house.registry)
	if err != nil {
		return nil, err
	}
	api, err := control.New(control.Options{
		Configuration: d.reloads, Probe: d.probe, Household: byHand{host{d, house}, d.timers, d.reloads}, Lines: d.tail, Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: d.whereConsole, Broker: d.ownBroker,
		Backup: d.backup,
		Kept:   d.kept(), Keep: d.keep,
		Listener: socket, Speaker: d.dialogue, Bus: d.bus, Status: d.status, Withdraw: func(ctx context.Context) error { return d.broker.Withdraw(ctx) }, Fleet: func(ctx context.Context) (any, error) { return d.broker.Fleet(ctx) }, Meter: d.meter.watch, Wake: d.keeper,
		Memory: archive{owner{d.recall, func() { d.forgetProcess(house) }}}, Thinkers: d.thinkers, Lists: d.store.Lists, Tools: console{house, d.cfg.Memory.People}, Servers: servers, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	page, err := d.buildConsole(house, api.Handler())
	if err != nil {
		return nil, err
	}
	if d.broker, err = d.buildBroker(ctx, house); err != nil {
		return nil, err
	}
	watchdog, err := d.buildWatchdog()
	if err != nil {
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
		{Name: "journal", Policy: supervise.Restart, Run: journal.Run},
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
		{Name: "microphone", Policy: supervise.Fatal, Run: d.followMicrophone},
		{Name: "capture", Policy: supervise.Fatal, Run: d.capture.Run},
		{Name: "listen", Policy: supervise.Fatal, Run: d.listener.Run},
		{Name: "levels", Policy: supervise.Restart, Run: d.watchLevels},
	}, page, traces, d.servers, []supervise.Part{
		{Name: "ready", Policy: supervise.Fatal, Run: d.ready},
		{Name: "reload", Policy: supervise.Restart, Run: d.reloads.Run},
		{Name: "memory pages", Policy: supervise.Restart, Run: d.keepSmall},
		{Name: "watchdog", Policy: supervise.Fatal, Run: watchdog.Run},
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

func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	s, err := d.dialogue.Status(ctx)
	if err != nil {
		return control.Status{}, err
	}
	spending, err := d.spending(ctx)
	if err != nil {
		return control.Status{}, err
	}
	return control.Status{
		Responder: spending,
		Node:      d.node, Version: d.opt.Version, State: s.State, Muted: s.Muted, Volume: s.Volume, Turns: s.Turn,
		UptimeS: int64(time.Since(d.begun).Seconds()),
		Frames:  d.capture.Frames(), Dropped: d.capture.Dropped(), Broker: d.broker.State(), Boxes: d.household.There(),
		Conditions: d.conditions.List(), Timers: d.running(),
		Policy: d.policy(), DND: d.manners.dnd.Load(), Transcripts: d.cfg.Log.Transcripts, Recordings: recordings(d.now()),
	}, nil
}
