package timers

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

// ringer makes timers ring; the dialogue does.
type ringer interface {
	Ring(ctx context.Context, ids, once []int64) error
	Silence(ctx context.Context, ids []int64) ([]int64, error)
}

// bell stands between the timers, which are made first, and the dialogue.
type bell struct {
	bus      *event.Bus
	zone     *time.Location // of the household
	log      *slog.Logger
	orders   chan []timer.Event
	rings    chan []timer.Event // what the dialogue has not been told yet
	silences chan silencing
	waking   *atomic.Bool // an alarm with a station is looked after
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

// ringsAhead is how many moments at which something ends may wait for the dialogue, and ordersAhead
// how many at which orders are due may wait to be carried out.
const ringsAhead, ordersAhead = 1000, 100

func newBell(bus *event.Bus, zone *time.Location, log *slog.Logger) bell {
	return bell{
		bus: bus, zone: zone, log: log, orders: make(chan []timer.Event, ordersAhead),
		rings: make(chan []timer.Event, ringsAhead), silences: make(chan silencing),
		waking: new(atomic.Bool),
	}
}

// Ring publishes what ended, and leaves it to run to make it ring. Orders do not ring.
func (b bell) Ring(ended []timer.Event) {
	if ended = b.take(ended); len(ended) == 0 {
		return
	}
	var again []event.Timer
	for _, e := range ended {
		shown := shown([]timer.Timer{e.Timer}, b.zone)[0]
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

// take queues the orders that are due for Orders, and returns the rest.
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

// Silence ends the ringing of some timers, and returns those that rang.
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

// run makes what has ended ring, until ctx ends. It begins only once the speaker is open, because
// what ended while the box was off would not be heard before. Of alarms with a station one at a time is looked after,
// by a goroutine of run.
func (b bell) run(ctx context.Context, s sounders) error {
	var wake *wakeup
	over := make(chan woken)
	var all sync.WaitGroup
	defer all.Wait()
	defer b.waking.Store(false)
	rings, speaker := (chan []timer.Event)(nil), s.speaker
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-speaker:
			speaker, rings = nil, b.rings
		case ask := <-b.silences:
			rang, err := s.ringer.Silence(ctx, ask.ids)
			if ids := wake.ids(ask.ids); len(ids) > 0 {
				wake.cancel()
				s.radio.Stop()
				rang = append(rang, ids...)
			}
			ask.reply <- silenced{rang, err}
		case w := <-over:
			if w.wakeup == wake {
				wake = nil
				b.waking.Store(false)
			}
			if w.why == "" {
				b.ring(ctx, s.ringer, w.ended)
			} else {
				b.over(w, s.over)
			}
		case ended := <-rings:
			rest, radio := apart(ended)
			if len(rest) > 0 {
				b.ring(ctx, s.ringer, rest)
			}
			if len(radio) > 0 {
				wake = b.begin(ctx, s, wake, radio, over, &all)
			}
		}
	}
}

// begin wakes with a station, once the wakeup before is over, and tells over why it ended.
func (b bell) begin(ctx context.Context, s sounders, before *wakeup, ended []timer.Event, over chan<- woken,
	all *sync.WaitGroup,
) *wakeup {
	rings, cancel := context.WithCancel(ctx)
	w := &wakeup{ended, cancel, make(chan struct{})}
	b.waking.Store(true)
	all.Go(func() {
		defer cancel()
		if before != nil {
			before.cancel()
			<-before.done
		}
		why := b.wake(rings, s.radio, ended[0].Timer.Do)
		close(w.done)
		select {
		case over <- woken{w, why}:
		case <-ctx.Done():
		}
	})
	return w
}

// sounders are what is heard of what ended.
type sounders struct {
	ringer  ringer
	radio   radio
	speaker <-chan struct{}   // closed once the speaker is open
	over    func(ids []int64) // they ring no more
}

// ring makes what ended ring, including what is to be announced only once.
func (b bell) ring(ctx context.Context, by ringer, ended []timer.Event) {
	var rings, told []int64
	for _, e := range ended {
		if e.Once {
			told = append(told, e.Timer.ID)
		} else {
			rings = append(rings, e.Timer.ID)
		}
	}
	if err := by.Ring(ctx, rings, told); err != nil && ctx.Err() == nil {
		b.log.Error("ring", "component", "timer", "timer", ended[0].Timer.ID, "error", err)
	}
}
