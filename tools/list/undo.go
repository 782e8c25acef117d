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
	added bool // they were put on it, and not taken off
	at    time.Time
}

func (c *change) note(list string, items []string, added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list, c.items, c.added, c.at = list, items, added, time.Now()
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

// undo takes the last change back, and that back when it is called once more.
func (l lists) undo(ctx context.Context, _ struct{}) (tools.Result, error) {
	l.last.mu.Lock()
	list, items, added := l.last.list, l.last.items, l.last.added
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
	have, err := l.store.Items(ctx, list)
	if err != nil {
		return tools.Result{}, l.unreachable(err)
	}
	return l.result(key, phrase.Args{"list": list, "items": done}, have), nil
}
