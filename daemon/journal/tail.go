package journal

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"hearthd/config/letters"
	"hearthd/daemon/api"
	"hearthd/daemon/queue"
)

const (
	// tailLines and tailBytes bound what is kept of the log: about twenty turns, and as much
	// of a line as fits on a screen.
	tailLines = 300
	tailBytes = 1000
	tailQueue = 64 // lines that may wait for one watcher
)

// Tail keeps the last lines of the log to be shown, and passes every line on. Any goroutine
// may log; the sample path does not.
type Tail struct {
	mu       sync.Mutex
	seq      uint64
	lines    []api.LogLine // the oldest first
	watchers map[chan api.LogLine]struct{}
}

// NewTail makes an empty tail.
func NewTail() *Tail { return &Tail{watchers: make(map[chan api.LogLine]struct{})} }

// handler is a slog.Handler that keeps each line in a Tail.
type handler struct {
	slog.Handler
	tail  *Tail
	attrs []slog.Attr
	group string
}

// Over is a handler that keeps lines in t and passes them on to next.
func (t *Tail) Over(next slog.Handler) slog.Handler { return &handler{Handler: next, tail: t} }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	h.tail.keep(h.line(r))
	return h.Handler.Handle(ctx, r)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.Handler = h.Handler.WithAttrs(attrs)
	c.attrs = slices.Clip(h.attrs)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		c.attrs = append(c.attrs, a)
	}
	return &c
}

func (h *handler) WithGroup(name string) slog.Handler {
	c := *h
	c.Handler, c.group = h.Handler.WithGroup(name), h.group+name+"."
	return &c
}

// line is r as it is shown. Ids that only the journal uses are left out.
func (h *handler) line(r slog.Record) api.LogLine {
	l := api.LogLine{Time: r.Time.Round(0), Level: strings.ToLower(r.Level.String()), Message: r.Message}
	var text strings.Builder
	add := func(a slog.Attr) {
		switch a.Key {
		case "component":
			l.Component = a.Value.String()
		case "turn":
			if v := a.Value.Resolve(); v.Kind() == slog.KindUint64 {
				l.Turn = v.Uint64()
			}
		case "message_id", "session":
		default:
			if text.Len() < tailBytes {
				text.WriteString(" " + a.Key + "=" + a.Value.String())
			}
		}
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool {
		a.Key = h.group + a.Key
		add(a)
		return true
	})
	l.Text = strings.TrimSpace(text.String())
	if len(l.Text) > tailBytes {
		l.Text = letters.Cut(l.Text, tailBytes) + "…"
	}
	return l
}

func (t *Tail) keep(l api.LogLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq++
	l.Seq = t.seq
	if len(t.lines) == tailLines {
		t.lines = slices.Delete(t.lines, 0, 1)
	}
	t.lines = append(t.lines, l)
	for w := range t.watchers {
		queue.Offer(w, l) // a slow watcher sees the gap in Seq
	}
}

// Lines returns the lines of one turn, or with 0 all, the oldest first.
func (t *Tail) Lines(turn uint64) []api.LogLine {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]api.LogLine, 0, len(t.lines))
	for _, l := range t.lines {
		if turn == 0 || l.Turn == turn {
			list = append(list, l)
		}
	}
	return list
}

// Watch returns every further line until ctx ends.
func (t *Tail) Watch(ctx context.Context) <-chan api.LogLine {
	w := make(chan api.LogLine, tailQueue)
	t.mu.Lock()
	t.watchers[w] = struct{}{}
	t.mu.Unlock()
	context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, w)
	})
	return w
}

// Forget drops all lines: they may hold words.
func (t *Tail) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}
