package ollama

import (
	"context"
	"sync"
)

// lost notes when the server has probably lost a slot for requests.
//
// Ollama (v0.24.0 and v0.34.4: streamResponse and ChatHandler in server/routes.go) hands the pieces
// of an answer to the connection over a channel. A request that is cancelled between two of them
// waits there without end and keeps its slot, of which a model has OLLAMA_NUM_PARALLEL, by default
// one. Every later request then waits for that slot, and postpones the unloading of the model that
// would free it.
type lost struct {
	mu   sync.Mutex
	cut  bool // an answer was cut, and no other has begun since
	sure bool
}

// heard says that an answer has begun.
func (l *lost) heard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// left says that a request was given up: in the middle of its answer, or after too long a silence.
func (l *lost) left(begun, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sure = l.sure || !begun && silent && l.cut
	l.cut = l.cut || begun
}

// take reports, once, whether the model has to be unloaded.
func (l *lost) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	sure := l.sure
	l.sure, l.cut = false, l.cut && !sure
	return sure
}

// unload makes the server end the process that holds the model, with all that waits in it. The next
// request loads it again.
func (c *Client) unload(ctx context.Context) {
	c.opt.Log.WarnContext(ctx, "model unloaded, it has not answered since an answer was cut", "component", "thinker",
		"model", c.opt.Model)
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := c.Unload(ctx); err != nil {
		c.opt.Log.WarnContext(ctx, "unload model", "component", "thinker", "error", err)
	}
}
