package timer

import (
	"context"
	"fmt"
	"time"
)

// setFarBack is a change of the clock after which repetitions are counted from the new time:
// the old one was plainly wrong.
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
	wall, trusted := t.wall(), t.Trusted()
	for _, s := range stored {
		ends := s.Ends
		s.Ends = t.inZone(s, wall)
		left, sure := t.leftOf(s, wall)
		if !s.Rang.IsZero() {
			ago := -left
			if !s.Ends.Equal(s.Rang) { // it repeats, and Ends is the next time
				ago = wall.Sub(s.Rang)
			}
			t.rangBefore(s, ago)
		}
		if !s.Unheard.IsZero() {
			t.unheard[s.ID] = s
		}
		if s.Ends.Equal(s.Rang) || s.Ends.Equal(s.Unheard) {
			continue // it does not repeat
		}
		e := entry{Timer: s, due: time.Now().Add(left), guess: !sure && !trusted}
		e.waits = e.daily() && !trusted
		e.missed = left <= 0 && !e.rests()
		if t.stamp(&e); e.Boot != s.Boot || !s.Ends.Equal(ends) {
			t.unstored = append(t.unstored, e.ID)
		}
		t.entries = append(t.entries, e)
	}
	t.sort()
	t.loaded = true
	return nil
}

// leftOf is how long a stored timer still has to run. sure: the box was not off since then, so that
// the monotonic clock gives it.
func (t *Timers) leftOf(s Timer, wall time.Time) (left time.Duration, sure bool) {
	if id, since := t.Boot(); id != 0 && id == s.Boot {
		return s.Due - since, true
	}
	left = s.Ends.Sub(wall)
	if s.Length > 0 {
		left = min(left, s.Length)
	}
	return left, false
}

// followClock adapts the timers to the wall clock after that was set: those for a time of day
// move with it, and the ends of the others are corrected.
func (t *Timers) followClock() {
	t.change.Lock()
	defer t.change.Unlock()
	wall, trusted := t.wall(), t.Trusted()
	t.mu.Lock()
	moved := len(t.unstored)
	for i := range t.entries {
		e := &t.entries[i]
		ends := e.Ends
		switch {
		case e.daily():
			t.followDaily(e, wall, trusted)
		case e.Left > 0:
		case e.guess && !trusted: // its end was stored when the clock was right; now it is not
		case e.guess: // only now it is known how long the box was off
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
			t.unstored = append(t.unstored, e.ID)
		}
	}
	t.sort()
	moved = len(t.unstored) - moved
	t.mu.Unlock()
	if moved > 0 {
		t.Log.Info("timers follow the clock, which was set", "component", "timer", "count", moved)
	}
	poke(t.save)
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
