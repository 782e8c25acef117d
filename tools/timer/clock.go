package timer

import (
	"context"
	"fmt"
	"time"
)

// setFarBack is a change of the clock after which what repeats is counted from
// its new time: before, it was plainly wrong.
const setFarBack = 48 * time.Hour

// load reads the stored timers once.
func (t *Timers) load(ctx context.Context) error {
	t.change.Lock()
	defer t.change.Unlock()
	return t.loadLocked(ctx)
}

func (t *Timers) loadLocked(ctx context.Context) error {
	if t.loaded {
		return nil
	}
	stored, err := t.Store.Timers(ctx)
	if err != nil {
		return fmt.Errorf("load timers: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	wall, mono, trusted := t.wall(), time.Now(), t.Trusted()
	for _, s := range stored {
		e := entry{Timer: s, guess: !trusted}
		left := s.Ends.Sub(wall)
		if e.daily() {
			e.waits = !trusted
		} else {
			left = min(left, s.Length)
		}
		e.missed = left <= 0 && !e.rests()
		e.due = mono.Add(left)
		t.entries = append(t.entries, e)
	}
	t.sort()
	t.loaded = true
	return nil
}

// followClock brings the timers in step with the wall clock after that was set:
// those for a time of day move with it, and the ends of the others are corrected.
func (t *Timers) followClock(ctx context.Context) {
	t.change.Lock()
	defer t.change.Unlock()
	wall, trusted := t.wall(), t.Trusted()
	var moved []Timer
	t.mu.Lock()
	for i := range t.entries {
		e := &t.entries[i]
		ends := e.Ends
		switch {
		case e.daily():
			t.followDaily(e, wall, trusted)
		case e.Left > 0:
		case e.guess && trusted: // only now it is known how long the box was off
			if left := e.Ends.Sub(wall); left < time.Until(e.due) {
				e.due, e.missed = time.Now().Add(left), left <= 0
			}
			e.guess = false
		default:
			if end := wall.Add(time.Until(e.due)); end.Sub(e.Ends).Abs() > clockDrift {
				e.Ends = end
			}
		}
		if !ends.Equal(e.Ends) && !e.guess {
			moved = append(moved, e.Timer)
		}
	}
	t.sort()
	t.mu.Unlock()
	if len(moved) > 0 {
		if err := t.Store.ChangeTimers(ctx, moved, nil); err != nil {
			t.Log.Warn("timers not moved with the clock", "component", "timer", "error", err)
		}
		t.Log.Info("timers follow the clock, which was set", "component", "timer")
	}
	t.changed()
}

func (t *Timers) followDaily(e *entry, wall time.Time, trusted bool) {
	if e.waits = !trusted; e.waits {
		return
	}
	if e.Repeat != "" {
		before := e.Timer
		before.Ends = wall
		if next, ok := t.next(before, wall); ok && e.Ends.Sub(next) > setFarBack {
			e.Ends = next
		}
	}
	e.due = time.Now().Add(e.Ends.Sub(wall))
}
