// Package manager reports the state of the box to the service manager (systemd): that it is up,
// what it does, that it is alive, that it stops. It only observes; each of its parts runs on the
// goroutine of its caller.
package manager

import (
	"context"
	"log/slog"
	"time"

	"hearthd/daemon/ears"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/systemd"
)

// turns is the turn machine.
type turns interface {
	Beats() uint64
	State(ctx context.Context) (event.State, error)
}

// Options are the service manager, and the parts whose state is reported.
type Options struct {
	Notifier   *systemd.Notifier
	Watchdog   time.Duration // interval that systemd asks for, or 0
	Begun      time.Time     // of the process
	Ears       *ears.Ears
	Turns      turns
	Bus        *event.Bus
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Manager reports to the service manager.
type Manager struct {
	opt      Options
	watchdog *systemd.Watchdog
	up       chan struct{}
}

// New checks the options.
func New(opt Options) (*Manager, error) {
	w, err := systemd.NewWatchdog(systemd.WatchdogOptions{
		Notifier: opt.Notifier, Interval: opt.Watchdog, Log: opt.Log,
		Checks: []systemd.Check{
			{Name: "listen", Alive: systemd.Advancing(opt.Ears.Frames, opt.Ears.ExpectsNoFrames)},
			{Name: "dialogue", Alive: systemd.Advancing(opt.Turns.Beats, nil)},
		},
	})
	return &Manager{opt: opt, watchdog: w, up: make(chan struct{})}, err
}

// Up is closed when the box is up: a frame was captured, or it is known that there will
// be none for now.
func (m *Manager) Up() <-chan struct{} { return m.up }

// Watch lets the manager know that the box still hears and thinks, until ctx ends.
func (m *Manager) Watch(ctx context.Context) error { return m.watchdog.Run(ctx) }

// Tell reports that the box is up, then keeps the line that systemctl status shows, and reports at
// the end that hearthd stops.
func (m *Manager) Tell(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-m.opt.Ears.Hearing():
	case <-m.opt.Ears.Settled():
	}
	if err := m.opt.Notifier.Ready(); err != nil {
		m.opt.Log.Warn("tell systemd", "component", "systemd", "error", err)
	}
	close(m.up)
	m.opt.Log.Info("ready", "component", "daemon", "message_id", systemd.MessageReady,
		"took_ms", time.Since(m.opt.Begun).Milliseconds())
	return m.narrate(ctx)
}

// narrate keeps the line of systemctl status.
func (m *Manager) narrate(ctx context.Context) error {
	defer m.stopping()
	sub := m.opt.Bus.Subscribe("systemd", 64)
	defer sub.Close()
	for {
		state, err := m.opt.Turns.State(ctx)
		if err != nil {
			return nil // ctx ended, or the dialogue did and the group with it
		}
		text := string(state)
		for _, c := range m.opt.Conditions.List() {
			text += "; " + c.Text
		}
		if err := m.opt.Notifier.Status(text); err != nil {
			m.opt.Log.Debug("tell systemd", "component", "systemd", "error", err)
		}
		for told := false; !told; {
			select {
			case <-ctx.Done():
				return nil
			case e := <-sub.C():
				switch e.(type) {
				case *event.StateChanged, *event.ConditionChanged:
					told = true
				}
			}
		}
	}
}

func (m *Manager) stopping() {
	m.opt.Log.Info("stopping", "component", "daemon", "message_id", systemd.MessageStopping)
	if err := m.opt.Notifier.Stopping(); err != nil {
		m.opt.Log.Debug("tell systemd", "component", "systemd", "error", err)
	}
}
