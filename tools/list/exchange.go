package list

import (
	"context"
	"time"

	"hearthd/tools"
)

// exchange puts items on a list in place of wrong ones, if those are on it.
func (l lists) exchange(ctx context.Context, c tools.Call, a, wrong itemsArguments) (tools.Result, error) {
	name, have, items, err := l.openFor(ctx, c, wrong)
	if err != nil {
		return tools.Result{}, err
	}
	gone, _, _ := l.among(have, items)
	off, err := l.remove(ctx, c, removeArguments{itemsArguments: wrong})
	if err != nil || len(gone) == 0 {
		return off, err
	}
	r, err := l.put(ctx, c, a)
	if err != nil {
		return r, l.partly(err, "list.removed", name, gone)
	}
	l.last.replaced(gone)
	r.Text, r.Kept = off.Text+" "+r.Text, r.Kept || off.Kept
	return r, nil
}

// put is what was put on a list last, unless that is long ago.
func (c *change) put() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.added || time.Since(c.at) > undoWithin {
		return nil
	}
	return c.items
}

// replaced says what was taken off for what was put on a list last.
func (c *change) replaced(gone []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = gone
}
