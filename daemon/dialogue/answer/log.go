package answer

import (
	"context"
	"log/slog"
)

// turnLog puts the turn that a line's context belongs to into the line, so that
// what tools, thinkers and the memory log for a turn is found with it.
type turnLog struct{ slog.Handler }

// TurnLog returns a handler that hands lines to next, with session and turn where
// they are logged with the context of a turn.
func TurnLog(next slog.Handler) slog.Handler { return turnLog{next} }

// Handle adds the turn to r.
func (h turnLog) Handle(ctx context.Context, r slog.Record) error {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		r = r.Clone()
		r.AddAttrs(slog.Uint64("session", n.header.Session), slog.Uint64("turn", n.header.Turn))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler whose lines carry attrs.
func (h turnLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return turnLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler that puts name in front of later keys.
func (h turnLog) WithGroup(name string) slog.Handler { return turnLog{h.Handler.WithGroup(name)} }
