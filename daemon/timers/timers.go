// Package timers has the timers, alarms, reminders and orders of the box, the clock that they use,
// and the bell that makes them ring. The goroutines are those of its Parts; any goroutine may use
// it.
package timers

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/queue"
	"hearthd/daemon/supervise"
	"hearthd/daemon/wallclock"
	"hearthd/memory"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
	"hearthd/tools/when"
)

// Options are the parts that timers work with.
type Options struct {
	Store      *memory.Store
	Bus        *event.Bus
	Conditions *health.Conditions
	Location   *time.Location
	Area       string // of the box
	Book       *phrase.Book
	Snooze     time.Duration
	Station    func(name string) (string, bool) // the radio station that people call so; "radio" is any
	Log        *slog.Logger
}

// Timers are the timers of the box.
type Timers struct {
	*timer.Timers
	clock *wallclock.Clock
	bell  bell
}

// New makes the timers and the clock that they use.
func New(o Options) (*Timers, error) {
	set := queue.NewBell()
	clock, err := wallclock.New(wallclock.Options{Floor: built(), Changed: func(trusted bool) {
		if trusted {
			o.Conditions.Clear("clock")
		} else {
			o.Conditions.Set("clock", health.Warning, "The clock is not set; alarms wait until it is.")
		}
		set.Ring()
	}})
	if err != nil {
		return nil, err
	}
	t := &Timers{clock: clock, bell: newBell(o.Bus, o.Location, o.Log)}
	t.Timers, err = timer.New(timer.Options{
		Store: timerStore{o.Store}, Bell: t.bell, ClockSet: set, Trusted: clock.Trusted,
		Boot: wallclock.NewBoot("").Since,
		Mute: func() bool { return o.Conditions.Holds("speaker") },
		Changed: func(list []timer.Timer) {
			o.Bus.Publish(&event.TimersChanged{Timers: shown(list, o.Location)})
			text := t.Unheard()
			if text != "" { // which holds what somebody said, and conditions are logged
				text = "Something rang until it gave up, and nobody was told of it; the next answer of the box says what."
			}
			o.Conditions.Keep("unheard", health.Warning, text)
		},
		Location: o.Location, Area: o.Area, Book: o.Book, Snooze: o.Snooze, Station: o.Station, Log: o.Log,
	})
	return t, err
}

// Parts run clock and timers, and make by ring what has ended, or with play a station for it, once speaker is closed:
// then it is known whether the speaker works.
func (t *Timers) Parts(by ringer, with radio, speaker <-chan struct{}) []supervise.Part {
	return []supervise.Part{
		{Name: "clock", Policy: supervise.Restart, Run: t.clock.Run},
		{Name: "timers", Policy: supervise.Restart, Run: t.Run},
		{Name: "bell", Policy: supervise.Fatal, Run: func(ctx context.Context) error {
			return t.bell.run(ctx, sounders{by, with, speaker, t.Ended})
		}},
	}
}

// Orders delivers the orders that are due.
func (t *Timers) Orders() <-chan []timer.Event { return t.bell.orders }

// Waking reports whether an alarm wakes somebody with a station now. It does not block.
func (t *Timers) Waking() bool { return t.bell.waking.Load() }

// Shown are the timers as events show them.
func (t *Timers) Shown() []event.Timer { return shown(t.List(), t.bell.zone) }

// Ringing are those that ring now, even if the speaker does not work.
func (t *Timers) Ringing() []event.Timer { return shown(t.Timers.Ringing(), t.bell.zone) }

// firstRelease is a time before which there was no hearthd, so that a clock before it is wrong.
var firstRelease = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// built is when this program was built, as far as it knows.
func built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return firstRelease
	}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil && t.After(firstRelease) {
			return t
		}
	}
	return firstRelease
}

// shown tells the times in the zone of the household, in which they were spoken; a client may stand in another.
func shown(list []timer.Timer, zone *time.Location) []event.Timer {
	out := make([]event.Timer, len(list))
	for i, t := range list {
		out[i] = event.Timer{ID: t.ID, Kind: string(t.Kind), Label: t.Label, Ends: t.Ends, LeftS: t.Left.Seconds(),
			Repeat: string(t.Repeat)}
		if t.Kind == timer.Alarm {
			out[i].Station = t.Do
		}
		if t.Left > 0 {
			out[i].Ends = time.Now().Add(t.Left)
		}
		out[i].Ends = out[i].Ends.In(zone)
	}
	return out
}

// timerStore is the store in the form that the timers use.
type timerStore struct{ *memory.Store }

func (s timerStore) Timers(ctx context.Context) ([]timer.Timer, error) {
	kept, err := s.Store.Timers(ctx)
	list := make([]timer.Timer, len(kept))
	for i, t := range kept {
		list[i] = timer.Timer{
			ID: t.ID, Kind: timer.Kind(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Person: t.Person,
			Repeat: when.Repeat(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
			Unheard: t.Unheard, Mute: t.Mute,
		}
	}
	return list, err
}

func (s timerStore) AddTimers(ctx context.Context, list ...timer.Timer) ([]int64, error) {
	return s.Store.AddTimers(ctx, toStore(list)...)
}

func (s timerStore) ChangeTimers(ctx context.Context, changed []timer.Timer, gone []int64) error {
	return s.Store.ChangeTimers(ctx, toStore(changed), gone)
}

func toStore(list []timer.Timer) []memory.Timer {
	out := make([]memory.Timer, len(list))
	for i, t := range list {
		out[i] = memory.Timer{
			ID: t.ID, Kind: string(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Person: t.Person,
			Repeat: string(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
			Unheard: t.Unheard, Mute: t.Mute,
		}
	}
	return out
}
