package ollama

import (
	"context"
	"sync"
)

// lost is the suspicion that the server has lost a place for requests.
//
// Ollama (v0.24.0 and v0.34.4: streamResponse and ChatHandler in server/routes.go) hands
// the pieces of an answer to the connection over a channel. A request that is cancelled
// between two of them waits there for ever and keeps its place, of which a model has
// OLLAMA_NUM_PARALLEL, by default one. Every later request then waits for that place,
// and puts off the unloading of the model that would end it.
type lost struct {
	mu   sync.Mutex
	cut  bool // an answer was, and none has come since
	sure bool
}

// heard says that an answer has begun.
func (l *lost) heard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// left says that a request was given up: in the midst of its answer, or else after a
// silence that was too long.
func (l *lost) left(begun, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sure = l.sure || !begun && silent && l.cut
	l.cut = l.cut || begun
}

// take reports whether it is time to do something, once.
func (l *lost) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	sure := l.sure
	l.sure, l.cut = false, l.cut && !sure
	return sure
}

// unload has the server end the process that holds the model, with all that waits in it.
// The next request loads it again.
func (c *Client) unload(ctx context.Context) {
	c.opt.Log.WarnContext(ctx, "model unloaded: it says nothing since an answer was cut", "component", "thinker",
		"model", c.opt.Model)
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := c.Unload(ctx); err != nil {
		c.opt.Log.WarnContext(ctx, "unload model", "component", "thinker", "error", err)
	}
}
