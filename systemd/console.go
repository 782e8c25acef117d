package systemd

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
)

// ConsoleHandler is a slog.Handler that writes one line of text for each record:
// for a person, time, level, message and attributes; for a log daemon behind a
// pipe, <priority> as in sd-daemon(3), message and attributes.
type ConsoleHandler struct {
	out    *console
	level  slog.Leveler
	prefix bool
	scope  scope
}

type console struct {
	mu sync.Mutex // one line is one write
	w  io.Writer
}

// NewConsoleHandler returns a handler that writes to w, with <N> prefixes
// instead of time and level if prefix is set.
func NewConsoleHandler(w io.Writer, level slog.Leveler, prefix bool) *ConsoleHandler {
	return &ConsoleHandler{out: &console{w: w}, level: level, prefix: prefix}
}

// Enabled reports whether lines of level l are written.
func (h *ConsoleHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// Handle writes r.
func (h *ConsoleHandler) Handle(_ context.Context, r slog.Record) error {
	b := make([]byte, 0, 256)
	switch {
	case h.prefix:
		b = append(b, '<')
		b = strconv.AppendInt(b, int64(priority(r.Level)), 10)
		b = append(b, '>')
	default:
		if !r.Time.IsZero() {
			b = r.Time.AppendFormat(b, "15:04:05.000 ")
		}
		b = append(b, r.Level.String()...)
		b = append(b, ' ')
	}
	b = appendText(b, r.Message, h.scope.of(r))
	b = append(b, '\n')
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := h.out.w.Write(b)
	return err
}

// WithAttrs returns a handler whose lines carry attrs.
func (h *ConsoleHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &ConsoleHandler{out: h.out, level: h.level, prefix: h.prefix, scope: h.scope.withAttrs(attrs)}
}

// WithGroup returns a handler that puts name in front of later keys.
func (h *ConsoleHandler) WithGroup(name string) slog.Handler {
	return &ConsoleHandler{out: h.out, level: h.level, prefix: h.prefix, scope: h.scope.withGroup(name)}
}
