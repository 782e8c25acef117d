package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/doctor"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/peers"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/state"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/daemon/timers"
	"hearthd/memory"
)

// Daemon is one hearthd.
type Daemon struct {
	*base
	end       context.CancelCauseFunc // of Run
	numbers   atomic.Uint64           // the highest turn id that was ever given
	folder    *state.Folder
	settings  *settings.Settings
	store     *memory.Store
	recall    *recall.Recollection
	sound     *sound
	timers    *timers.Timers
	peers     *peers.Peers
	assistant *assistant
	dialogue  *dialogue.Dialogue
	turns     *timeline.Recorder
	traces    []supervise.Part // of turns, to a collector
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
	var err error
	if d.folder, err = state.Hold(d.opt.StateDir, d.log); err != nil {
		return err
	}
	defer d.folder.Close()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	parts, err := d.build(ctx, socket)
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
