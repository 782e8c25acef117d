package timer

import "context"

// fire hands over events, and leaves the timers to be forgotten.
func (t *Timers) fire(ctx context.Context, events []Event) {
	select {
	case t.fired <- events:
	case <-ctx.Done():
		return // they stay stored and will be reported as missed
	}
	t.mu.Lock()
	for _, e := range events {
		t.over = append(t.over, e.Timer.ID)
	}
	t.mu.Unlock()
	select {
	case t.settle <- struct{}{}:
	default:
	}
	t.changed()
}

// forget takes what has rung out of the store, or stores when it comes again, so
// that no disk delays what rings next. It returns when settle is closed.
func (t *Timers) forget(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for range t.settle {
		wctx, cancel := context.WithTimeout(ctx, storeTime)
		if err := t.forgetRung(wctx); err != nil {
			t.Log.Error("ended timers not forgotten", "component", "timer", "error", err)
		}
		cancel()
	}
}

func (t *Timers) forgetRung(ctx context.Context) error {
	t.change.Lock()
	defer t.change.Unlock()
	t.mu.Lock()
	var again []Timer
	var gone []int64
	for _, id := range t.over {
		if i := index(t.entries, id); i >= 0 {
			again = append(again, t.entries[i].Timer)
		} else {
			gone = append(gone, id)
		}
	}
	t.over = nil
	t.mu.Unlock()
	return t.Store.ChangeTimers(ctx, again, gone)
}
