package timer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

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
	stored, err := t.store.Timers(ctx)
	if err != nil {
		return fmt.Errorf("load timers: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	wall, mono := t.wall(), time.Now()
	for _, s := range stored {
		left := min(s.Ends.Sub(wall), s.Length)
		if left <= 0 {
			t.missed = append(t.missed, s)
			continue
		}
		t.running = append(t.running, running{s, mono.Add(left)})
	}
	t.sort()
	t.loaded = true
	return nil
}

// wall is the wall clock without the monotonic reading, so that differences
// show when it was set.
func (t *Timers) wall() time.Time { return t.now().Round(0) }

func (t *Timers) sort() {
	slices.SortStableFunc(t.running, func(a, b running) int { return a.due.Compare(b.due) })
}

// followClock corrects the wall-clock ends after the clock was set.
func (t *Timers) followClock(ctx context.Context) {
	t.change.Lock()
	defer t.change.Unlock()
	wall := t.wall()
	var moved bool
	for _, r := range t.snapshot() {
		ends := wall.Add(time.Until(r.due))
		if ends.Sub(r.Ends).Abs() <= clockDrift {
			continue
		}
		if err := t.store.MoveTimer(ctx, r.ID, ends); err != nil {
			t.log.Warn("timer not moved with the clock", "error", err)
			continue
		}
		t.mu.Lock()
		if i := t.index(r.ID); i >= 0 {
			t.running[i].Ends = ends
		}
		t.mu.Unlock()
		moved = true
	}
	if moved {
		t.log.Info("timers follow the clock, which was set")
		t.changed()
	}
}

func (t *Timers) snapshot() []running {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.running)
}

func (t *Timers) index(id int64) int {
	return slices.IndexFunc(t.running, func(r running) bool { return r.ID == id })
}

var errFull = errors.New("too many timers")

// add stores a timer and starts it. It runs from the moment of the call.
func (t *Timers) add(ctx context.Context, label string, length time.Duration) (Timer, error) {
	n := Timer{Label: label, Length: length, Ends: t.wall().Add(length)}
	due := time.Now().Add(length)
	t.change.Lock()
	defer t.change.Unlock()
	if err := t.loadLocked(ctx); err != nil {
		return Timer{}, err
	}
	if len(t.snapshot()) >= maxTimers {
		return Timer{}, errFull
	}
	var err error
	if n.ID, err = t.store.AddTimer(ctx, n); err != nil {
		return Timer{}, err
	}
	t.mu.Lock()
	t.running = append(t.running, running{n, due})
	t.sort()
	t.mu.Unlock()
	t.changed()
	return n, nil
}

// cancel forgets the timers that choose picks, all or none.
func (t *Timers) cancel(ctx context.Context, choose func([]running) []running) error {
	t.change.Lock()
	defer t.change.Unlock()
	if err := t.loadLocked(ctx); err != nil {
		return err
	}
	var ids []int64
	for _, r := range choose(t.snapshot()) {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	if err := t.store.RemoveTimers(ctx, ids...); err != nil {
		return err
	}
	t.mu.Lock()
	t.running = slices.DeleteFunc(t.running, func(r running) bool { return slices.Contains(ids, r.ID) })
	t.mu.Unlock()
	t.changed()
	return nil
}
