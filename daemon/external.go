package daemon

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/control"
	"hearthd/daemon/doctor"
	"hearthd/daemon/recall"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
)

// buildExternal makes the parts through which others see and command the box: the broker's bridge, the
// control API and the console.
func (d *Daemon) buildExternal(socket net.Listener, guests *guests, reloads *reloader) ([]supervise.Part, error) {
	a, page := d.assistant, d.newWebConsole()
	host := host{d.settings, d.base, d.dialogue, d.peers, d.media, a, d.end}
	var err error
	if d.broker, err = d.buildBroker(host, d.store, d.peers.Wire, d.sound.microphone); err != nil {
		return nil, err
	}
	d.holders.Add(d.broker.Forget)
	api, err := control.New(control.Options{
		Configuration: reloads, Probe: d.probe, Household: apiChanges{host, d.timers, reloads},
		Lines: d.tail,
		Turns: d.turns.Turns, Sounds: &d.turns.Sounds, Console: page.console, Broker: d.ownBroker,
		Backup: d.folder.Backup, Kept: d.kept(), Keep: d.keep, Listener: socket, Speaker: d.dialogue, Bus: d.bus,
		Status:   d.status,
		Withdraw: d.broker.Withdraw, Fleet: d.broker.Fleet,
		Meter: d.sound.ears.Meter.Watch, Wake: d.sound.ears.Words, Voices: d.prints,
		Memory:   recall.NewArchive(recall.NewOwner(d.recall, d.book, d.holders.Forget)),
		Thinkers: a.thinker.List, Lists: a.lists.Lists, Tools: apiTools{a, d.cfg.Memory.People},
		Log: d.log,
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
	satellite, err := d.buildSatellite(host)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]supervise.Part{
		{Name: "peers", Policy: supervise.Restart, Run: d.peers.Run},
		{Name: "mqtt", Policy: supervise.Restart, Run: d.broker.Run},
		{Name: "control", Policy: supervise.Fatal, Run: api.Run},
	}, satellite, page.serve(api.Handler(), counts, calls)), nil
}

// openSocket takes the control socket that systemd passed, or makes it.
func (d *base) openSocket() (net.Listener, error) {
	if l, ok := d.opt.Sockets.Listeners["control"]; ok {
		if own := d.cfg.Control.Socket; own != "" && own != l.Addr().String() {
			d.log.Warn("control.socket not used, systemd passed another", "component", "control", "socket",
				l.Addr().String())
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

// keep hands a stream to systemd for the next process.
func (d *Daemon) keep(c syscall.Conn) error { return d.opt.Notifier.Store(keptStreams, c) }

// probe makes a check, or none, and identifies the daemon that answers.
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
		Responder: spending, Time: time.Now().In(d.zone), Wake: d.cfg.Wake.Engine,
		Node: d.node, Version: d.opt.Version, State: s.State, Muted: s.Muted, Volume: s.Volume, Turns: s.Turn,
		UptimeS: int64(time.Since(d.begun).Seconds()),
		Frames:  d.sound.microphone.Frames(), Dropped: d.sound.microphone.Dropped(), Broker: d.broker.State(),
		Boxes:      d.peers.Online(),
		Conditions: d.conditions.List(), Timers: d.timers.Shown(), Ringing: d.timers.Ringing(),
		Media:  d.media.Shown(),
		Policy: d.policy(d.settings), DND: d.settings.DND(), Transcripts: d.cfg.Log.Transcripts,
		Recordings: recordings(d.now()), Heard: d.heard(),
	}, nil
}

// heard counts who has heard the turns that are kept.
func (d *Daemon) heard() map[string]int {
	counts := make(map[string]int)
	for _, t := range d.turns.Turns(timeline.Query{Limit: math.MaxInt}) {
		if t.HeardBy != "" {
			counts[t.HeardBy]++
		}
	}
	return counts
}

// spending is what status shows of the responder's cost; nil when there is no responder.
func (d *Daemon) spending(ctx context.Context) (*api.Spending, error) {
	c := &d.now().Responder
	if c.URL == "" {
		return nil, nil
	}
	day, month, err := d.store.Spent(ctx, time.Now())
	return &api.Spending{Day: day, Month: month, Daily: c.Daily, Monthly: c.Monthly, Currency: c.Prices.Currency}, err
}
