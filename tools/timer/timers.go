package timer

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

const (
	maxTimers = 2000
	// clockDrift is how far an end on the wall clock may be off before it is stored again.
	clockDrift = 2 * time.Second
)

// Kind is the kind of a Timer.
type Kind string

// The kinds.
const (
	Countdown Kind = "timer"
	Alarm     Kind = "alarm"
	Reminder  Kind = "reminder"
	Order     Kind = "order" // does not ring: something is done then
)

// Timer is something that rings at its end, or an order that is carried out then.
type Timer struct {
	ID     int64
	Kind   Kind
	Label  string        // what it is for; may be empty
	Person string        // whom a reminder is for; empty: the household
	Do     string        // the call of an order; the station with which an alarm rings
	Length time.Duration // from when it was set to Ends; 0: it is for a time of day
	Ends   time.Time     // wall clock
	Left   time.Duration // time left while it is paused; 0: it runs
	Repeat when.Repeat
	Starts time.Time     // floating; the first time of one that repeats
	Rang   time.Time     // the end for which it rings now; zero: it does not ring
	Boot   int64         // the boot of the box to which Due belongs; 0: Due is not known
	Due    time.Duration // its end, as time since that boot

	Unheard time.Time // the end for which it rang until it gave up, of which nobody was told yet; zero: none
	Mute    bool      // the speaker was not there then
}

// Event says that a timer ended.
type Event struct {
	Timer  Timer
	Missed bool // it ended while the box was off, or its clock wrong
	Again  bool // this is not the first event: the box went off while it rang
	Once   bool // it ended so long ago that it is told once and does not ring
}

// store keeps timers. What it has confirmed survives a crash.
type store interface {
	Timers(ctx context.Context) ([]Timer, error)
	AddTimers(ctx context.Context, timers ...Timer) (ids []int64, err error)
	ChangeTimers(ctx context.Context, changed []Timer, gone []int64) error
}

// bell makes the noise.
type bell interface {
	// Ring rings for what ended at one moment. It must not wait for the end of the ringing.
	Ring(ended []Event)
	// Silence ends the ringing of the timers with these ids, or of all for nil, and returns
	// the ids of those that were ringing.
	Silence(ctx context.Context, ids []int64) ([]int64, error)
}

// change is what a call did last.
type change struct {
	added         []int64
	changed, gone []entry // as they were before
	at            time.Time
}

// settle does what was asked about with those that the answer chooses, by their ids.
type settle func(ctx context.Context, ids []int64) (tools.Result, error)

// open is a question which of several is meant, in the order in which they were told.
type open struct {
	kind Kind
	ids  []int64
	do   settle
}

// Options are what Timers need.
type Options struct {
	Store store
	Bell  bell
	// Changed is called with all timers, the next one first, whenever they have changed,
	// one call at a time. It must not block, and may be nil.
	Changed func([]Timer)
	Now     func() time.Time // the wall clock; nil: time.Now
	// ClockSet gets a value when the wall clock was set, or can be trusted from now on. It
	// may be nil.
	ClockSet <-chan struct{}
	// Boot returns a number that differs for each boot of the box, or 0, and the time since
	// that boot, by a clock that nobody can set. nil: that is not known.
	Boot func() (id int64, since time.Duration)
	// Trusted reports whether the wall clock can be trusted; nil: it always can.
	Trusted func() bool
	// Mute reports whether the speaker is known not to work; nil: it works.
	Mute     func() bool
	Location *time.Location
	Area     string        // the room of the box, or empty
	Book     *phrase.Book  // what is said; nil: in English
	Snooze   time.Duration // unless somebody asks for another one
	// Station is the radio station that people call so, of which "radio" is any; nil: there is none.
	Station func(name string) (string, bool)
	Log     *slog.Logger
}

// Timers is everything that was set. It is safe for use by several goroutines.
type Timers struct {
	Options
	wake chan struct{} // holds one: the next end may have changed
	save chan struct{} // holds one: there is something to store

	recent tools.Recent[[]int64] // ids of those that were spoken of
	asked  tools.Recent[*open]   // the question which is meant
	done   change                // the last of a call

	change sync.Mutex // held while the store and the list change together
	loaded bool

	telling sync.Mutex // keeps the calls of Changed in order

	mu       sync.Mutex // never held while waiting for the store
	entries  []entry    // in the order in which they ring, those that rest last
	rung     []rung     // what rang lately, the oldest first
	unheard  map[int64]Timer
	unstored []int64  // ids of timers whose changes are not yet stored
	toRing   []int64  // ids of timers that ring as soon as that is stored
	bells    []func() // rings for them
}

type entry struct {
	Timer
	due    time.Time // monotonic end; if it rests, when it began to rest
	missed bool      // it ended while the box was off
	waits  bool      // it is for a time of day, and the clock cannot be trusted
	guess  bool      // it was loaded while the clock could not be trusted
}

// rests reports whether time does not run for e.
func (e *entry) rests() bool { return e.waits || e.Left > 0 }

// daily reports whether e is for a time of day.
func (e *entry) daily() bool { return e.Length == 0 }

// List lists everything that is set, the next one first, and the paused ones last.
func (t *Timers) List() []Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Timer, len(t.entries))
	for i, e := range t.entries {
		list[i] = e.Timer
	}
	return list
}

// wall is the time without the monotonic reading, so that a difference between two shows that
// the clock was set.
func (t *Timers) wall() time.Time { return t.Now().Round(0) }

// next is when e, which repeats, rings next.
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
		// In an hour that occurs twice it rings once: the next time is after the second.
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

// changed wakes Run, and calls Changed.
func (t *Timers) changed() {
	poke(t.wake)
	t.telling.Lock()
	defer t.telling.Unlock()
	t.Changed(t.List())
}

// poke puts a value into c, unless it is full.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rung is something that ended lately. Its Rang is set while it rings and is stored as
// ringing.
type rung struct {
	Event
	at time.Time
}

func (r *rung) rings() bool { return !r.Timer.Rang.IsZero() }

// stamp notes when e ends, by the clock that nobody can set.
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
