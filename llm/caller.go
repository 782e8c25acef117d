package llm

import "context"

// Caller is on whose behalf something is done: it travels with the context of a turn, or
// of a command, to the tools.
type Caller struct {
	Person  string // one of memory.people; empty: the household
	Session uint64 // of the turn; 0: it is none
	Box     bool   // another box asks, so that what it asks for ends here
}

type callerKey struct{}

// WithCaller says on whose behalf things are done with the context that it returns.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf says on whose behalf things are done with ctx: nobody's in particular, where
// nobody said so.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
