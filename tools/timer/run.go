package timer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"hearthd/tools/phrase"
)

// lateAfter is how late something that is set for a time of day may ring without being called
// missed.
const lateAfter = time.Minute

// New makes timers. Run loads and rings them.
func New(o Options) (*Timers, error) {
	if o.Store == nil || o.Bell == nil || o.Location == nil || o.Snooze <= 0 || o.Log == nil {
		return nil, errors.New("make timers: a store, a bell, a location, a time to snooze and a logger are needed")
	}
	if o.Book == nil {
		o.Book = phrase.English()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Boot == nil {
		o.Boot = func() (int64, time.Duration) { return 0, 0 }
	}
	if o.Mute == nil {
		o.Mute = func() bool { return false }
	}
	if o.Trusted == nil {
		o.Trusted = func() bool { return true }
	}
	if o.Station == nil {
		o.Station = func(string) (string, bool) { return "", false }
	}
	if o.Changed == nil {
		o.Changed = func([]Timer) {}
	}
	return &Timers{Options: o, wake: make(chan struct{}, 1), save: make(chan struct{}, 1),
		unheard: map[int64]Timer{}}, nil
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
	t.followClock()
	t.ringOn()
	var saving sync.WaitGroup
	saving.Go(func() { t.saveLoop(ctx) })
	defer func() {
		saving.Wait()
		t.storeAll(ctx)
	}()
	next := time.NewTimer(0)
	defer next.Stop()
	for ctx.Err() == nil {
		ended, wait := t.takeEnded()
		if len(ended) > 0 {
			t.ring(ended)
			continue
		}
		next.Reset(wait)
		select {
		case <-ctx.Done():
		case <-t.wake:
		case <-next.C:
		}
	}
	return nil
}

// takeEnded takes what has ended off the list, except for what repeats, and returns how long
// it is until the next end.
func (t *Timers) takeEnded() (ended []Event, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wall := t.wall()
	n := 0
	var again []entry
	for ; n < len(t.entries); n++ {
		e := t.entries[n]
		if e.rests() || time.Until(e.due) > 0 {
			break
		}
		late := wall.Sub(e.Ends)
		if e.daily() && late < 0 { // the clock has just been set back
			e.due = time.Now().Add(-late)
			again = append(again, e)
			continue
		}
		e.Rang = e.Ends
		t.stamp(&e)
		ended = append(ended, e.ended(late))
		if next, ok := t.next(e.Timer, wall); ok {
			e.Ends, e.due, e.missed = next, time.Now().Add(next.Sub(wall)), false
			again = append(again, e)
		}
	}
	t.entries = append(slices.Delete(t.entries, 0, n), again...)
	t.sort()
	if len(ended) > 0 {
		t.remember(ended)
		return ended, 0
	}
	if len(t.entries) == 0 || t.entries[0].rests() {
		return nil, time.Hour // or until there is a timer
	}
	return nil, time.Until(t.entries[0].due)
}

// ended is the event for the end of e, so late.
func (e *entry) ended(late time.Duration) Event {
	missed := e.missed || e.daily() && late > lateAfter
	return Event{Timer: e.Timer, Missed: missed, Once: missed && tooLate(e.Kind, late)}
}
