package timer

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"hearthd/tools/when"
)

const (
	maxTimers = 2000
	// clockDrift is how far a wall-clock end may be off before it is stored again.
	clockDrift = 2 * time.Second
)

// Kind tells what rings.
type Kind string

// The kinds.
const (
	Countdown Kind = "timer"
	Alarm     Kind = "alarm"
	Reminder  Kind = "reminder"
	Order     Kind = "order" // rings nobody: something is to be done
)

// Timer is something that was set, and rings at its end, or is an order that is carried
// out then.
type Timer struct {
	ID     int64
	Kind   Kind
	Label  string        // what it is for; may be empty
	Do     string        // of an order: the call that does it
	Length time.Duration // from when it was set to Ends; 0: it is for a time of day
	Ends   time.Time     // wall clock
	Left   time.Duration // of one that is paused; 0: it runs
	Repeat when.Repeat
	Starts time.Time // floating; of those that repeat, the time of day of the first
	Rang   time.Time // the end for which it rings now; zero: it does not
	Boot   int64     // which boot of the box Due is of; 0: Due is not known
	Due    time.Duration
}

// Event says that a timer ended.
type Event struct {
	Timer  Timer
	Missed bool // it did while the box was off, or its clock wrong
	Again  bool // this was said before: the box went off while it rang
	Once   bool // that is so long ago that it is told once, and does not ring
}

// store keeps timers. What it confirmed survives a crash.
type store interface {
	Timers(ctx context.Context) ([]Timer, error)
	AddTimers(ctx context.Context, timers ...Timer) (ids []int64, err error)
	ChangeTimers(ctx context.Context, changed []Timer, gone []int64) error
}

// bell is what rings.
type bell interface {
	// Ring lets ring what ended at one moment. It must not wait for the ringing.
	Ring(ended []Event)
	// Silence ends the ringing of those with these ids, of all for nil, and gives
	// the ids of those that it ended.
	Silence(ctx context.Context, ids []int64) ([]int64, error)
}

// Options says what timers need.
type Options struct {
	Store store
	Bell  bell
	// Changed is given all timers, the next one first, whenever they changed, one
	// call at a time; it must not block. May be nil.
	Changed func([]Timer)
	Now     func() time.Time // the wall clock; nil: time.Now
	// ClockSet gets a value when the wall clock was set, or may be trusted from now
	// on. May be nil.
	ClockSet <-chan struct{}
	// Boot gives a number of its own for each boot of the box, or 0, and the time
	// since then, by a clock that nobody sets. nil: that is not known.
	Boot func() (id int64, since time.Duration)
	// Trusted reports whether the wall clock may be right; nil: it always may.
	Trusted  func() bool
	Location *time.Location
	Hour24   bool          // "15:20" instead of "3:20 PM"
	Snooze   time.Duration // unless another one is asked for
	Log      *slog.Logger
}

// Timers is all that was set. It is safe for use by several goroutines.
type Timers struct {
	Options
	wake chan struct{} // holds one: the next end may have changed
	keep chan struct{} // holds one: there is something unkept

	change sync.Mutex // held while the store and the list change together
	loaded bool

	telling sync.Mutex // keeps the calls of Changed in order

	mu      sync.Mutex // never held while waiting for the store
	entries []entry    // in the order in which they ring, those that rest last
	rung    []rung     // lately, the oldest first
	unkept  []int64    // ids of those that changed and are not yet stored so
	unrung  []int64    // and of those that wait for that to ring
	bells   []func()   // by which they do
}

type entry struct {
	Timer
	due    time.Time // monotonic; of those that rest, when they began to
	missed bool      // it ended while the box was off
	waits  bool      // it is for a time of day, and the clock is not right
	guess  bool      // it was loaded when the clock was not right
}

func (e *entry) rests() bool { return e.waits || e.Left > 0 }

// daily reports whether e is for a time of day.
func (e *entry) daily() bool { return e.Length == 0 }

// List gives what is to ring, the next one first, and last those that are paused.
func (t *Timers) List() []Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Timer, len(t.entries))
	for i, e := range t.entries {
		list[i] = e.Timer
	}
	return list
}

// wall is the wall clock without the monotonic reading, so that differences
// show when it was set.
func (t *Timers) wall() time.Time { return t.Now().Round(0) }

// next gives the time at which e comes again.
func (t *Timers) next(e Timer, wall time.Time) (time.Time, bool) {
	if e.Repeat == "" {
		return time.Time{}, false
	}
	after := when.Float(e.Ends, t.Location)
	if now := when.Float(wall, t.Location); now.After(after) {
		after = now
	}
	for range 4 {
		f, ok := e.Repeat.Next(e.Starts, after)
		if !ok {
			return time.Time{}, false
		}
		// An hour that comes twice rings once: what follows is after the second.
		if next := when.Resolve(f, t.Location); next.After(wall) && next.After(e.Ends) {
			return next, true
		}
		after = f
	}
	return time.Time{}, false
}

func (t *Timers) sort() {
	slices.SortStableFunc(t.entries, func(a, b entry) int {
		if a.rests() != b.rests() {
			if a.rests() {
				return 1
			}
			return -1
		}
		if a.rests() {
			return cmp.Compare(a.ID, b.ID)
		}
		return a.due.Compare(b.due)
	})
}

func (t *Timers) snapshot() []entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.entries)
}

func index(list []entry, id int64) int {
	return slices.IndexFunc(list, func(e entry) bool { return e.ID == id })
}

// changed tells the observer and Run.
func (t *Timers) changed() {
	poke(t.wake)
	t.telling.Lock()
	defer t.telling.Unlock()
	t.Changed(t.List())
}

// poke leaves a value in c, unless whoever reads it has not taken the last one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rung is what ended lately. While it rings, and is stored as ringing, its Rang is
// set.
type rung struct {
	Event
	at time.Time
}

func (r *rung) rings() bool { return !r.Timer.Rang.IsZero() }

// stamp notes when e ends by the clock that nobody sets.
func (t *Timers) stamp(e *entry) {
	if e.Boot, e.Due = 0, 0; e.daily() || e.rests() {
		return
	}
	id, since := t.Boot()
	e.Boot, e.Due = id, since+time.Until(e.due)
}

func ids(list []entry) []int64 {
	all := make([]int64, len(list))
	for i, e := range list {
		all[i] = e.ID
	}
	return all
}
