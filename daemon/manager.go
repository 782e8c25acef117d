package daemon

import (
	"context"
	"time"

	"hearthd/daemon/event"
	"hearthd/systemd"
)

// buildWatchdog lets systemd know that the box still hears and thinks.
func (d *Daemon) buildWatchdog() (*systemd.Watchdog, error) {
	return systemd.NewWatchdog(systemd.WatchdogOptions{
		Notifier: d.opt.Notifier, Interval: d.opt.Watchdog, Log: d.log,
		Checks: []systemd.Check{
			{Name: "listen", Alive: systemd.Advancing(d.ears.Frames, d.ears.RestsRightly)},
			{Name: "dialogue", Alive: systemd.Advancing(d.dialogue.Beats, nil)},
		},
	})
}

// ready tells systemd that the box is up: a frame was captured, or it is known
// that there will be none for now.
func (d *Daemon) ready(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.ears.Hearing():
	case <-d.microphone.Settled():
	}
	if err := d.opt.Notifier.Ready(); err != nil {
		d.log.Warn("tell systemd", "component", "systemd", "error", err)
	}
	close(d.up)
	d.log.Info("ready", "component", "daemon", "message_id", systemd.MessageReady,
		"took_ms", time.Since(d.begun).Milliseconds())
	return d.narrate(ctx)
}

// narrate keeps the line that systemctl status shows, and says at the end that
// hearthd stops.
func (d *Daemon) narrate(ctx context.Context) error {
	defer d.stopping()
	sub := d.bus.Subscribe("systemd", 64)
	defer sub.Close()
	for {
		s, err := d.dialogue.Status(ctx)
		if err != nil {
			return nil // ctx ended, or the dialogue did and the group with it
		}
		text := string(s.State)
		for _, c := range d.conditions.List() {
			text += "; " + c.Text
		}
		if err := d.opt.Notifier.Status(text); err != nil {
			d.log.Debug("tell systemd", "component", "systemd", "error", err)
		}
		for told := false; !told; {
			select {
			case <-ctx.Done():
				return nil
			case e := <-sub.C():
				switch e.(type) {
				case *event.StateChanged, *event.Condition:
					told = true
				}
			}
		}
	}
}

func (d *Daemon) stopping() {
	d.log.Info("stopping", "component", "daemon", "message_id", systemd.MessageStopping)
	if err := d.opt.Notifier.Stopping(); err != nil {
		d.log.Debug("tell systemd", "component", "systemd", "error", err)
	}
}
