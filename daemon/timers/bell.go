package timers

import (
	"context"
	"log/slog"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

// ringer is who lets ring, as the dialogue does.
type ringer interface {
	Ring(ctx context.Context, ids, once []int64) error
	Silence(ctx context.Context, ids []int64) ([]int64, error)
}

// bell stands between the timers, which are made first, and the dialogue.
type bell struct {
	bus      *event.Bus
	log      *slog.Logger
	orders   chan []timer.Event
	rings    chan []timer.Event // what the dialogue does not know yet
	silences chan silencing
}

// silencing asks for the end of the ringing of some timers.
type silencing struct {
	ids   []int64
	reply chan silenced // cap 1
}

type silenced struct {
	rang []int64
	err  error
}

// ringsAhead is how many moments at which something ends the dialogue may be behind, and
// ordersAhead those at which orders are due for who carries them out.
const ringsAhead, ordersAhead = 1000, 100

func newBell(bus *event.Bus, log *slog.Logger) bell {
	return bell{
		bus: bus, log: log, orders: make(chan []timer.Event, ordersAhead),
		rings: make(chan []timer.Event, ringsAhead), silences: make(chan silencing),
	}
}

// Ring publishes what ended, and leaves it to run to ring. Orders ring nobody.
func (b bell) Ring(ended []timer.Event) {
	if ended = b.take(ended); len(ended) == 0 {
		return
	}
	var again []event.Timer
	for _, e := range ended {
		shown := shown([]timer.Timer{e.Timer})[0]
		if e.Again {
			again = append(again, shown)
		} else {
			b.bus.Publish(&event.TimerFired{Timer: shown, Missed: e.Missed})
		}
	}
	if len(again) > 0 {
		b.bus.Publish(&event.RingResumed{Timers: again})
	}
	b.rings <- ended
}

// take leaves the orders that are due to who carries them out, and gives the rest back.
func (b bell) take(ended []timer.Event) (rest []timer.Event) {
	var due []timer.Event
	for _, e := range ended {
		if e.Timer.Kind == timer.Order {
			due = append(due, e)
		} else {
			rest = append(rest, e)
		}
	}
	if len(due) > 0 {
		b.orders <- due
	}
	return rest
}

// Silence ends the ringing of some timers, and gives those that rang.
func (b bell) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	s := silencing{ids, make(chan silenced, 1)}
	select {
	case b.silences <- s:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-s.reply:
		return r.rang, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run lets ring what has ended, until ctx ends. What ended while the box was off is known
// before the speaker is open, and would not be heard.
func (b bell) run(ctx context.Context, by ringer, speaker <-chan struct{}) error {
	rings := (chan []timer.Event)(nil)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-speaker:
			speaker, rings = nil, b.rings
		case s := <-b.silences:
			rang, err := by.Silence(ctx, s.ids)
			s.reply <- silenced{rang, err}
		case ended := <-rings:
			if err := ring(ctx, by, ended); err != nil && ctx.Err() == nil {
				b.log.Error("ring", "component", "timer", "timer", ended[0].Timer.ID, "error", err)
			}
		}
	}
}

// ring lets ring what ended, and what is to be told once.
func ring(ctx context.Context, by ringer, ended []timer.Event) error {
	var rings, told []int64
	for _, e := range ended {
		if e.Once {
			told = append(told, e.Timer.ID)
		} else {
			rings = append(rings, e.Timer.ID)
		}
	}
	return by.Ring(ctx, rings, told)
}
