package timer

import (
	"context"
	"slices"
	"time"
)

const (
	// snoozable is how long after it has stopped ringing something may still be snoozed.
	snoozable = 10 * time.Minute
	maxRung   = 2 * maxTimers
	// Something that is later than this is announced once and does not ring. Alarms get longer:
	// better to be woken late than not at all.
	ringsLate      = 10 * time.Minute
	alarmRingsLate = time.Hour
)

// remember keeps events, for what is said while they ring and for snoozing. t.mu is held.
func (t *Timers) remember(events []Event) {
	now := time.Now()
	for _, e := range events {
		t.rung = append(t.rung, rung{e, now})
	}
	t.rung = slices.Delete(t.rung, 0, max(0, len(t.rung)-maxRung))
}

// rangBefore remembers what was ringing when the box went off, and how long ago it ended. t.mu
// is held.
func (t *Timers) rangBefore(e Timer, ago time.Duration) {
	e.Ends = e.Rang
	t.remember([]Event{{Timer: e, Again: true, Once: tooLate(e.Kind, ago)}})
}

// ringOn rings again for what was ringing when the box went off.
func (t *Timers) ringOn() {
	if list := t.lately(func(r *rung) bool { return r.rings() }); len(list) > 0 {
		t.Bell.Ring(list)
	}
}

// Ended says that the timers with these ids have stopped ringing, so that they do not ring
// again after a restart. It does not wait.
func (t *Timers) Ended(ids []int64) {
	ended := set(ids)
	t.mu.Lock()
	for i := range t.rung {
		if e := &t.rung[i].Timer; ended[e.ID] {
			e.Rang = time.Time{}
		}
	}
	for i := range t.entries {
		if e := &t.entries[i]; ended[e.ID] {
			e.Rang = time.Time{}
		}
	}
	t.unstored = append(t.unstored, ids...)
	t.mu.Unlock()
	poke(t.save)
}

// lately lists what rang and fits, the newest event of each id, the oldest first.
func (t *Timers) lately(fits func(*rung) bool) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Event
	seen := make(map[int64]bool)
	for i := len(t.rung) - 1; i >= 0; i-- {
		if r := &t.rung[i]; fits(r) && !seen[r.Timer.ID] {
			seen[r.Timer.ID] = true
			list = append(list, r.Event)
		}
	}
	slices.Reverse(list)
	return list
}

// Ringing lists what rings now.
func (t *Timers) Ringing() []Timer {
	var list []Timer
	for _, e := range t.lately((*rung).rings) {
		list = append(list, e.Timer)
	}
	return list
}

// Spoken is what is said while the timers with these ids ring together.
func (t *Timers) Spoken(ids []int64) string {
	meant := set(ids)
	return t.saidRinging(t.lately(func(r *rung) bool { return meant[r.Timer.ID] }))
}

// ringing are the timers of a kind that ring and fit a label, and fits unless that is nil.
func (t *Timers) ringing(label string, kind Kind, fits func(entry) bool) []Event {
	return t.lately(func(r *rung) bool {
		return r.rings() && r.Timer.Kind == kind && t.named(r.Timer, label) && (fits == nil || fits(entry{Timer: r.Timer}))
	})
}

// silence ends the ringing of those, and reports whether there were any.
func (t *Timers) silence(ctx context.Context, label string, kind Kind, fits func(entry) bool) (bool, error) {
	meant := t.ringing(label, kind, fits)
	if len(meant) == 0 {
		return false, nil
	}
	ended, err := t.Bell.Silence(ctx, idsOf(meant))
	return len(ended) > 0, err
}

// snooze makes what rings, or rang last, ring again after d. That is stored before the ringing
// ends, so that a power cut in between loses no alarm.
func (t *Timers) snooze(ctx context.Context, d time.Duration) ([]Timer, error) {
	off := t.lately(func(r *rung) bool { return r.rings() && r.Timer.Kind != Order })
	if len(off) == 0 {
		off = t.last()
	}
	if len(off) == 0 {
		return nil, nil
	}
	return t.again(ctx, off, d)
}

// again makes what rang ring again after d.
func (t *Timers) again(ctx context.Context, off []Event, d time.Duration) ([]Timer, error) {
	var later []Timer
	for _, e := range off {
		later = append(later, Timer{Kind: e.Timer.Kind, Label: e.Timer.Label, Person: e.Timer.Person, Do: e.Timer.Do,
			Length: d})
	}
	set, err := t.add(ctx, later...)
	if err != nil {
		return nil, err
	}
	_, err = t.Bell.Silence(ctx, idsOf(off))
	return set, err
}

// last is what rang last, if it can still be snoozed.
func (t *Timers) last() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []Event
	for n := len(t.rung); n > 0; n-- {
		r := t.rung[n-1]
		if time.Since(r.at) > snoozable || !r.at.Equal(t.rung[len(t.rung)-1].at) {
			break
		}
		if r.Timer.Kind != Order {
			list = append(list, r.Event)
		}
	}
	return list
}

func idsOf(events []Event) []int64 {
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.Timer.ID
	}
	return ids
}

func set(ids []int64) map[int64]bool {
	m := make(map[int64]bool, len(ids))
	for _, id := range ids {
		m[id] = true
	}
	return m
}

// tooLate reports whether something that is so late does not ring.
func tooLate(k Kind, late time.Duration) bool {
	if k == Alarm {
		return late > alarmRingsLate
	}
	return late > ringsLate
}
