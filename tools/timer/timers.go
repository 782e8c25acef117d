package timer

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	maxTimers = 50
	// clockCheck is how often the wall clock is compared with the timers, and
	// clockDrift what it may differ: NTP slews less than that between restarts.
	clockCheck = 30 * time.Second
	clockDrift = 2 * time.Second
	// storeTime bounds the write that goes on while the daemon shuts down.
	storeTime = 3 * time.Second
)

// Timer is a timer that was set and has not ended.
type Timer struct {
	ID     int64
	Label  string // may be empty
	Length time.Duration
	Ends   time.Time // wall clock
}

// Event says that a timer ended. Missed: it ended while the box was off.
type Event struct {
	Timer  Timer
	Missed bool
}

// store keeps timers. What it confirmed survives a crash.
type store interface {
	Timers(ctx context.Context) ([]Timer, error)
	AddTimer(ctx context.Context, t Timer) (id int64, err error)
	MoveTimer(ctx context.Context, id int64, ends time.Time) error
	RemoveTimers(ctx context.Context, ids ...int64) error
}

// Options says what timers need.
type Options struct {
	Store store
	// Changed is given the running timers, the next one first, whenever they
	// changed, one call at a time; it must not block. May be nil.
	Changed func([]Timer)
	Now     func() time.Time // the wall clock; nil: time.Now
	Log     *slog.Logger
}

// Timers is the running timers. It is safe for use by several goroutines.
type Timers struct {
	store store
	tell  func([]Timer)
	now   func() time.Time
	log   *slog.Logger
	fired chan Event
	wake  chan struct{} // holds one: the next end may have changed

	change sync.Mutex // held while the store and the list change together
	loaded bool

	telling sync.Mutex // keeps the calls of tell in order

	mu      sync.Mutex // never held while waiting for the store
	running []running  // by due
	missed  []Timer
}

type running struct {
	Timer
	due time.Time // monotonic
}

// New makes timers. Run loads and rings them.
func New(o Options) (*Timers, error) {
	if o.Store == nil || o.Log == nil {
		return nil, errors.New("make timers: a store and a logger are needed")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Changed == nil {
		o.Changed = func([]Timer) {}
	}
	return &Timers{
		store: o.Store, tell: o.Changed, now: o.Now, log: o.Log,
		fired: make(chan Event), wake: make(chan struct{}, 1),
	}, nil
}

// Fired gives the timers that ended. It is never closed; Run waits until an
// event is received.
func (t *Timers) Fired() <-chan Event { return t.fired }

// List gives the running timers, the next one first.
func (t *Timers) List() []Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Timer, len(t.running))
	for i, r := range t.running {
		list[i] = r.Timer
	}
	return list
}

// Run rings timers until ctx ends, and then returns nil. It fails only when the
// stored timers cannot be read.
func (t *Timers) Run(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	t.followClock(ctx)
	t.changed()
	for _, m := range t.takeMissed() {
		t.fire(ctx, Event{Timer: m, Missed: true})
	}
	next := time.NewTimer(0)
	defer next.Stop()
	check := time.NewTicker(clockCheck)
	defer check.Stop()
	for ctx.Err() == nil {
		ended, wait := t.takeEnded()
		if len(ended) > 0 {
			t.changed()
			for _, e := range ended {
				t.fire(ctx, Event{Timer: e})
			}
			continue
		}
		next.Reset(wait)
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-next.C:
		case <-check.C:
			t.followClock(ctx)
		}
	}
	return nil
}

func (t *Timers) takeMissed() []Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	missed := t.missed
	t.missed = nil
	return missed
}

// takeEnded takes what has ended off the list, and says how long it is to the
// next end.
func (t *Timers) takeEnded() (ended []Timer, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.running) > 0 {
		if wait = time.Until(t.running[0].due); wait > 0 {
			return ended, wait
		}
		ended = append(ended, t.running[0].Timer)
		t.running = slices.Delete(t.running, 0, 1)
	}
	return ended, time.Hour // wake ends the wait
}

// fire hands over an event, and then forgets the timer.
func (t *Timers) fire(ctx context.Context, e Event) {
	select {
	case t.fired <- e:
	case <-ctx.Done():
		return // it stays stored and will be reported as missed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if err := t.store.RemoveTimers(ctx, e.Timer.ID); err != nil {
		t.log.Error("ended timer not forgotten", "error", err)
	}
}

// changed tells the observer and Run.
func (t *Timers) changed() {
	select {
	case t.wake <- struct{}{}:
	default: // Run has not looked since the last time
	}
	t.telling.Lock()
	defer t.telling.Unlock()
	t.tell(t.List())
}
