package timer

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// patience is how long what has ended waits for the store before it rings anyway. A
	// commit takes less than a millisecond, and one of a thousand timers about ten
	// (memory.BenchmarkRing); a disk that is stuck takes seconds.
	patience = 75 * time.Millisecond
	// storeTime bounds a write, and is the pause before it is tried again.
	storeTime = 3 * time.Second
	// atOnce is how many timers that do not ring are stored in one go, so that those that
	// ring wait only for a millisecond.
	atOnce = 100
)

// ring rings for what ended, right after it is stored as ringing. So it rings once, whenever
// the process is killed: if before the commit, it is still on the list; if after, it goes on
// ringing. If the store takes too long, it rings before the commit.
func (t *Timers) ring(ended []Event) {
	bell := sync.OnceFunc(func() {
		t.Bell.Ring(ended)
		t.changed()
	})
	wait := patience
	if !slices.ContainsFunc(ended, func(e Event) bool { return !e.Missed }) {
		wait = storeTime // all are late already, so that waiting longer for the store does no harm
	}
	slow := time.AfterFunc(wait, func() {
		t.Log.Warn("timers ring before that is stored, and would ring twice after a power cut",
			"component", "timer", "count", len(ended))
		bell()
	})
	t.mu.Lock()
	t.toRing = append(t.toRing, idsOf(ended)...)
	t.bells = append(t.bells, func() { slow.Stop(); bell() })
	t.mu.Unlock()
	poke(t.save)
}

// saveLoop stores changes and follows the clock until ctx ends. It has a goroutine of its own, so
// that ringing never waits for the store.
func (t *Timers) saveLoop(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.ClockSet:
			t.followClock()
		case <-t.save:
		case <-again.C:
		}
		if !t.store(ctx) {
			again.Reset(storeTime)
		}
	}
}

// store stores what waits to ring and then rings for it; if there is nothing, it stores some
// of what is unstored. It reports whether the store worked.
func (t *Timers) store(ctx context.Context) bool {
	t.change.Lock()
	defer t.change.Unlock()
	t.mu.Lock()
	ids, bells := t.toRing, t.bells
	t.toRing, t.bells = nil, nil
	if len(ids) == 0 {
		n := min(atOnce, len(t.unstored))
		ids, t.unstored = t.unstored[:n:n], t.unstored[n:]
	}
	changed, gone := t.now(ids)
	t.mu.Unlock()
	if len(ids) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	err := t.Store.ChangeTimers(ctx, changed, gone)
	for _, ring := range bells {
		ring()
	}
	if err != nil {
		t.Log.Error("timers not stored", "component", "timer", "error", err)
		t.mu.Lock()
		t.unstored = append(t.unstored, ids...)
		t.mu.Unlock()
		return false
	}
	poke(t.save) // there may be more
	return true
}

// storeAll stores everything, unless the store fails.
func (t *Timers) storeAll(ctx context.Context) {
	for ok := true; ok; {
		t.mu.Lock()
		left := len(t.unstored) + len(t.toRing)
		t.mu.Unlock()
		if left == 0 {
			return
		}
		ok = t.store(ctx)
	}
}

// now returns the timers with these ids as they are to be stored, and the ids of those that
// no longer exist. t.mu is held.
func (t *Timers) now(ids []int64) (changed []Timer, gone []int64) {
	known := make(map[int64]*Timer, len(t.entries)+len(t.rung))
	for i := range t.rung {
		if r := &t.rung[i]; !r.Timer.Rang.IsZero() {
			known[r.Timer.ID] = &r.Timer
		}
	}
	for id, e := range t.unheard {
		known[id] = &e
	}
	for i := range t.entries { // it repeats, whether it rings now or not
		t.stamp(&t.entries[i])
		known[t.entries[i].ID] = &t.entries[i].Timer
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if e, ok := known[id]; ok {
			changed = append(changed, *e)
		} else {
			gone = append(gone, id)
		}
	}
	return changed, gone
}
