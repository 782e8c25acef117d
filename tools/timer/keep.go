package timer

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// patience is how long what has ended waits for the store before it rings all
	// the same. A commit takes under a millisecond, and one of a thousand timers
	// about ten (memory.BenchmarkRing); a disk that is stuck takes seconds.
	patience = 50 * time.Millisecond
	// storeTime bounds a write, and is how long it is until it is tried again.
	storeTime = 3 * time.Second
)

// ring lets ring what ended, right after it is stored that it does. So it rings
// once, whenever the process is killed: before, and it is in the list; after, and it
// rings on. If the store keeps it waiting, it rings before that.
func (t *Timers) ring(ended []Event) {
	bell := sync.OnceFunc(func() {
		t.Bell.Ring(ended)
		t.changed()
	})
	slow := time.AfterFunc(patience, func() {
		t.Log.Warn("timers ring before that is stored, and would ring twice after a power cut", "component", "timer", "count", len(ended))
		bell()
	})
	t.mu.Lock()
	for _, e := range ended {
		t.unkept = append(t.unkept, e.Timer.ID)
	}
	t.bells = append(t.bells, func() { slow.Stop(); bell() })
	t.mu.Unlock()
	poke(t.keep)
}

// keepUp stores what changed and follows the clock until ctx ends. It waits for the
// store, so that nothing that rings next does.
func (t *Timers) keepUp(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.ClockSet:
			t.followClock()
		case <-t.keep:
		case <-again.C:
		}
		if !t.store(ctx) {
			again.Reset(storeTime)
		}
	}
}

// store stores what is unkept as it is now, and then rings what waits for that. It
// reports whether nothing is left to be stored.
func (t *Timers) store(ctx context.Context) bool {
	t.change.Lock()
	defer t.change.Unlock()
	t.mu.Lock()
	unkept, bells := t.unkept, t.bells
	t.unkept, t.bells = nil, nil
	changed, gone := t.now(unkept)
	t.mu.Unlock()
	if len(unkept) == 0 {
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
		t.unkept = append(t.unkept, unkept...)
		t.mu.Unlock()
	}
	return err == nil
}

// now gives what is to be stored of timers, and the ids of those that are no more.
// t.mu is held.
func (t *Timers) now(ids []int64) (changed []Timer, gone []int64) {
	known := make(map[int64]*Timer, len(t.entries)+len(t.rung))
	for i := range t.rung {
		if r := &t.rung[i]; !r.Timer.Rang.IsZero() {
			known[r.Timer.ID] = &r.Timer
		}
	}
	for i := range t.entries { // it comes again, whether it rings or not
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
