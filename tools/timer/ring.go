package timer

import (
	"context"
	"slices"
	"time"
)

const (
	// snoozable is how long after it rang something may be put off that does not
	// ring any more.
	snoozable = 10 * time.Minute
	maxRung   = 2 * maxTimers
)

// rung is what ended lately.
type rung struct {
	Event
	at time.Time
}

// remember keeps events for the bell and for who puts them off. t.mu is held.
func (t *Timers) remember(events []Event) {
	now := time.Now()
	for _, e := range events {
		t.rung = append(t.rung, rung{e, now})
	}
	t.rung = slices.Delete(t.rung, 0, max(0, len(t.rung)-maxRung))
}

// lately gives what rang and fits, the newest of each id, the oldest first.
func (t *Timers) lately(fits func(rung) bool) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Event
	for i, r := range t.rung {
		again := func(o rung) bool { return o.Timer.ID == r.Timer.ID }
		if fits(r) && !slices.ContainsFunc(t.rung[i+1:], again) {
			list = append(list, r.Event)
		}
	}
	return list
}

// Spoken is what is said while those with these ids ring, all of them together.
func (t *Timers) Spoken(ids []int64) string {
	return t.saidRinging(t.lately(func(r rung) bool { return slices.Contains(ids, r.Timer.ID) }))
}

// silence ends the ringing of what is of one of the kinds and fits the label, and
// gives it.
func (t *Timers) silence(ctx context.Context, label string, kinds ...Kind) ([]Event, error) {
	fits := t.lately(func(r rung) bool { return slices.Contains(kinds, r.Timer.Kind) && named(r.Timer, label) })
	if len(fits) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(fits))
	for i, e := range fits {
		ids[i] = e.Timer.ID
	}
	ended, err := t.Bell.Silence(ctx, ids)
	return slices.DeleteFunc(fits, func(e Event) bool { return !slices.Contains(ended, e.Timer.ID) }), err
}

// snooze lets what rings, or rang last, ring again after d.
func (t *Timers) snooze(ctx context.Context, d time.Duration) ([]Timer, error) {
	ended, err := t.Bell.Silence(ctx, nil)
	if err != nil {
		return nil, err
	}
	off := t.lately(func(r rung) bool { return slices.Contains(ended, r.Timer.ID) })
	if len(off) == 0 {
		off = t.last()
	}
	var later []Timer
	for _, e := range off {
		later = append(later, Timer{Kind: e.Timer.Kind, Label: e.Timer.Label, Length: d})
	}
	if len(later) == 0 {
		return nil, nil
	}
	return t.add(ctx, later...)
}

// last gives what rang last and can still be put off, once.
func (t *Timers) last() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Event
	for n := len(t.rung); n > 0; n-- {
		r := t.rung[n-1]
		if time.Since(r.at) > snoozable || !r.at.Equal(t.rung[len(t.rung)-1].at) {
			break
		}
		list = append(list, r.Event)
	}
	return list
}
