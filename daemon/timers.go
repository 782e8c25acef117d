package daemon

import (
	"context"

	"hearthd/daemon/event"
	"hearthd/memory"
	"hearthd/tools/timer"
)

// timerStore is the store as the timers see it.
type timerStore struct{ *memory.Store }

func (s timerStore) Timers(ctx context.Context) ([]timer.Timer, error) {
	kept, err := s.Store.Timers(ctx)
	list := make([]timer.Timer, len(kept))
	for i, t := range kept {
		list[i] = timer.Timer(t)
	}
	return list, err
}

func (s timerStore) AddTimer(ctx context.Context, t timer.Timer) (int64, error) {
	return s.Store.AddTimer(ctx, memory.Timer(t))
}

func (d *Daemon) timersChanged(list []timer.Timer) {
	d.bus.Publish(&event.TimersChanged{Timers: shown(list)})
}

// running is what status shows of the timers.
func (d *Daemon) running() []event.Timer { return shown(d.timers.List()) }

func shown(list []timer.Timer) []event.Timer {
	out := make([]event.Timer, len(list))
	for i, t := range list {
		out[i] = event.Timer{ID: t.ID, Label: t.Label, Ends: t.Ends}
	}
	return out
}

// ringTimers announces the timers that end. Those that ended while the box was
// off are known before the speaker is open, and would not be heard.
func (d *Daemon) ringTimers(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.speaker:
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-d.timers.Fired():
			d.bus.Publish(&event.TimerFired{Timer: shown([]timer.Timer{e.Timer})[0], Missed: e.Missed})
			if err := d.dialogue.Ring(ctx, e.Spoken()); err != nil && ctx.Err() == nil {
				d.log.Error("announce timer", "component", "timer", "timer", e.Timer.ID, "error", err)
			}
		}
	}
}
