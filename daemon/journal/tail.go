package journal

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"hearthd/daemon/api"
)

const (
	// tailLines and tailBytes bound what is kept of the log: the lines of some twenty
	// turns, and of a line what fits on a screen.
	tailLines = 300
	tailBytes = 1000
	tailQueue = 64 // lines for one who watches
)

// Tail keeps the last lines of the log, for those who look, and passes all on. Any
// goroutine may log; the sample path does not.
type Tail struct {
	mu       sync.Mutex
	seq      uint64
	lines    []api.LogLine // a ring once it is full
	oldest   int
	watchers map[chan api.LogLine]struct{}
}

// NewTail makes one that has nothing yet.
func NewTail() *Tail { return &Tail{watchers: make(map[chan api.LogLine]struct{})} }

// handler is a slog.Handler that has lines kept.
type handler struct {
	slog.Handler
	tail  *Tail
	attrs []slog.Attr
	group string
}

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

// line is r for people. Ids of the journal say nothing to them.
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
		l.Text = strings.ToValidUTF8(l.Text[:tailBytes], "") + "…"
	}
	return l
}

func (t *Tail) keep(l api.LogLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq++
	l.Seq = t.seq
	if len(t.lines) < tailLines {
		t.lines = append(t.lines, l)
	} else {
		t.lines[t.oldest] = l
		t.oldest = (t.oldest + 1) % tailLines
	}
	for w := range t.watchers {
		select {
		case w <- l:
		default: // its Seq shows the gap
		}
	}
}

// Lines gives what is kept, the oldest first, or what is kept of one turn.
func (t *Tail) Lines(turn uint64) []api.LogLine {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]api.LogLine, 0, len(t.lines))
	for i := range t.lines {
		if l := t.lines[(t.oldest+i)%len(t.lines)]; turn == 0 || l.Turn == turn {
			list = append(list, l)
		}
	}
	return list
}

// Watch gives every further line until ctx ends.
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
	t.lines, t.oldest = nil, 0
}
