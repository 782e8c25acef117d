package systemd

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// limitBurst lines of one message may come at once, and one each limitPause in the long run: a
	// household does not finish turns faster, and of a fault that returns more often the count is
	// enough.
	limitBurst = 100
	limitPause = 3 * time.Second
	// limitKeys bounds the messages that are counted separately. Messages are constant, so there
	// are fewer.
	limitKeys = 512
)

// LimitHandler is a slog.Handler that keeps a message that is logged again and again
// from filling the journal: a card that comes and goes, a broker that takes and drops
// each connection. Each message of each component may be logged 100 times at once and
// 20 times a minute. The first line too many is replaced by one that says so; the next
// that is let through carries how many were left out, as suppressed. Debug lines pass:
// whoever asked for them wants all.
type LimitHandler struct {
	next      slog.Handler
	component string // of With
	buckets   *buckets
}

// NewLimitHandler returns a handler that passes on to next what is within the limit.
func NewLimitHandler(next slog.Handler) *LimitHandler {
	return &LimitHandler{next: next, buckets: &buckets{of: make(map[string]*bucket)}}
}

// Enabled asks the next handler.
func (h *LimitHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle passes r on, or counts it.
func (h *LimitHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo {
		return h.next.Handle(ctx, r)
	}
	component := h.component
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "component" {
			component = a.Value.String()
		}
		return a.Key != "component"
	})
	pass, first, suppressed := h.buckets.take(component+"\x00"+r.Message, r.Time)
	switch {
	case pass && suppressed == 0:
		return h.next.Handle(ctx, r)
	case pass:
		r = r.Clone()
		r.AddAttrs(slog.Uint64("suppressed", suppressed))
		return h.next.Handle(ctx, r)
	case first:
		note := slog.NewRecord(r.Time, slog.LevelWarn, "lines are left out, there are too many of them", 0)
		if h.component == "" {
			note.AddAttrs(slog.String("component", component))
		}
		note.AddAttrs(slog.String("line", r.Message))
		return h.next.Handle(ctx, note)
	}
	return nil
}

// WithAttrs returns a handler whose lines carry attrs.
func (h *LimitHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		if a.Key == "component" {
			with.component = a.Value.String()
		}
	}
	return &with
}

// WithGroup returns a handler that puts name in front of later keys.
func (h *LimitHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.next = h.next.WithGroup(name)
	return &with
}

// buckets say how often each message may still be logged. Any goroutine may take.
type buckets struct {
	mu sync.Mutex
	of map[string]*bucket
}

type bucket struct {
	left       float64 // lines
	at         time.Time
	suppressed uint64
}

// take reports whether a line may pass, and how many before it did not; or, where it may not,
// whether it is the first of those.
func (b *buckets) take(key string, now time.Time) (pass, first bool, suppressed uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.of[key]
	if k == nil {
		if len(b.of) >= limitKeys {
			clear(b.of)
		}
		k = &bucket{left: limitBurst, at: now}
		b.of[key] = k
	}
	if passed := now.Sub(k.at); passed > 0 {
		k.left = min(limitBurst, k.left+float64(passed)/float64(limitPause))
	}
	k.at = now
	if k.left < 1 {
		k.suppressed++
		return false, k.suppressed == 1, 0
	}
	k.left--
	suppressed, k.suppressed = k.suppressed, 0
	return true, false, suppressed
}
