package answer

import (
	"context"
	"log/slog"

	"hearthd/daemon/event"
)

// headerKey is the key of a turn's ids in the context of its work. They are for the log alone: a
// tool call itself says which turn it belongs to.
type headerKey struct{}

// logged is a context whose log lines carry the ids of a turn.
func logged(ctx context.Context, h event.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// turnLog puts the turn that a line's context belongs to into the line, so that
// what tools, thinkers and the memory log for a turn is found with it.
type turnLog struct{ slog.Handler }

// TurnLog returns a handler that hands lines to next, with session and turn where
// they are logged with the context of a turn.
func TurnLog(next slog.Handler) slog.Handler { return turnLog{next} }

// Handle adds the turn to r.
func (l turnLog) Handle(ctx context.Context, r slog.Record) error {
	if h, ok := ctx.Value(headerKey{}).(event.Header); ok {
		r = r.Clone()
		r.AddAttrs(slog.Uint64("session", h.Session), slog.Uint64("turn", h.Turn))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler whose lines carry attrs.
func (l turnLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return turnLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler that puts name in front of later keys.
func (l turnLog) WithGroup(name string) slog.Handler { return turnLog{l.Handler.WithGroup(name)} }
