package list

import (
	"context"
	"sync"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// undoWithin is how long a change can be taken back.
const undoWithin = 5 * time.Minute

// change is the last change of any list.
type change struct {
	mu    sync.Mutex
	list  string
	items []string
	added bool     // they were put on it, and not taken off
	gone  []string // was taken off for them
	at    time.Time
}

func (c *change) note(list string, items []string, added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list, c.items, c.added, c.gone, c.at = list, items, added, nil, time.Now()
}

// undo takes the last change back, and that back when it is called once more.
func (l lists) undo(ctx context.Context, _ struct{}) (tools.Result, error) {
	l.last.mu.Lock()
	list, items, added, gone := l.last.list, l.last.items, l.last.added, l.last.gone
	old := time.Since(l.last.at) > undoWithin
	l.last.mu.Unlock()
	if len(items) == 0 || old {
		return tools.Result{Text: l.Say("tools.undo_nothing")}, nil
	}
	put, key := l.store.AddItems, "list.added"
	if added {
		put, key = l.store.RemoveItems, "list.removed"
	}
	done, err := put(ctx, list, items)
	if err != nil {
		return tools.Result{}, l.partly(err, key, list, done)
	}
	if len(done) == 0 { // somebody else has done it
		return tools.Result{Text: l.Say("tools.undo_nothing")}, nil
	}
	l.last.note(list, done, !added)
	if len(gone) > 0 {
		if gone, err = l.store.AddItems(ctx, list, gone); err != nil {
			return tools.Result{}, l.partly(err, key, list, done)
		}
	}
	have, err := l.store.Items(ctx, list)
	if err != nil {
		return tools.Result{}, l.unreachable(err)
	}
	r := l.result(key, phrase.Args{"list": list, "items": done}, have)
	if len(gone) > 0 {
		r.Text += " " + l.Say("list.added", phrase.Args{"list": list, "items": gone})
	}
	return r, nil
}
