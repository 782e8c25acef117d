package timer

import (
	"context"
	"errors"
	"slices"
	"time"
)

var errFull = errors.New("too many timers")

// add stores timers and starts them. Those with a length and no end run from the moment of the call.
func (t *Timers) add(ctx context.Context, fresh ...Timer) ([]Timer, error) {
	wall, mono := t.wall(), time.Now()
	for i := range fresh {
		if n := &fresh[i]; n.Length > 0 && n.Ends.IsZero() {
			n.Ends = wall.Add(n.Length)
		}
	}
	t.change.Lock()
	defer t.change.Unlock()
	if err := t.loadLocked(ctx); err != nil {
		return nil, err
	}
	if len(t.snapshot())+len(fresh) > maxTimers {
		return nil, errFull
	}
	entries := make([]entry, len(fresh))
	for i := range fresh {
		e := entry{Timer: fresh[i], due: mono.Add(fresh[i].Ends.Sub(wall))}
		e.waits = e.daily() && !t.Trusted()
		t.stamp(&e)
		entries[i], fresh[i] = e, e.Timer
	}
	ids, err := t.Store.AddTimers(ctx, fresh...)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	for i, id := range ids {
		fresh[i].ID, entries[i].ID = id, id
	}
	t.entries = append(t.entries, entries...)
	t.sort()
	t.mu.Unlock()
	t.recent.Set(ids)
	t.did(nil, nil, nil, ids)
	t.changed()
	return fresh, nil
}

// Cancel cancels the timer, alarm or reminder with an id, and reports whether there was one.
func (t *Timers) Cancel(ctx context.Context, id int64) (bool, error) {
	there := false
	err := t.edit(ctx, func(all []entry) ([]entry, []int64) {
		if there = index(all, id) >= 0; !there {
			return nil, nil
		}
		return nil, []int64{id}
	})
	return there && err == nil, err
}

// edit changes and removes timers, all of them or none. choose gets a copy of all, and returns
// those that it has changed, and the ids of those to remove.
func (t *Timers) edit(ctx context.Context, choose func(all []entry) (changed []entry, gone []int64)) error {
	t.change.Lock()
	defer t.change.Unlock()
	if err := t.loadLocked(ctx); err != nil {
		return err
	}
	prior := t.snapshot()
	changed, gone := choose(slices.Clone(prior))
	if len(changed)+len(gone) == 0 {
		t.did(nil, nil, nil, nil)
		return nil
	}
	stored := make([]Timer, len(changed))
	for i := range changed {
		t.stamp(&changed[i])
		stored[i] = changed[i].Timer
	}
	if err := t.Store.ChangeTimers(ctx, stored, gone); err != nil {
		return err
	}
	t.did(prior, changed, gone, nil)
	t.mu.Lock()
	for _, e := range changed {
		if i := index(t.entries, e.ID); i >= 0 { // otherwise it has just rung
			t.entries[i] = e
		}
	}
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return slices.Contains(gone, e.ID) })
	t.sort()
	t.mu.Unlock()
	if len(changed) > 0 {
		t.recent.Set(ids(changed))
	}
	t.changed()
	return nil
}

// left is how long e still runs.
func (e *entry) left() time.Duration {
	if e.Left > 0 {
		return e.Left
	}
	return max(time.Until(e.due), time.Second)
}

// run makes e end after left, from now on.
func (e *entry) run(left time.Duration, wall time.Time) {
	e.Left, e.Ends, e.due, e.guess = 0, wall.Add(left), time.Now().Add(left), false
	e.Length = max(e.Length, left)
}

// pause stops e.
func (e *entry) pause() {
	e.Left = e.left()
}
