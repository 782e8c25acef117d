package thinker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hearthd/llm"
)

// work does the whole turn within the time limit of its domain.
func (r *run) work(ctx context.Context) {
	limited, cancel := context.WithTimeoutCause(ctx, r.domain.Time, errTimeLimit)
	defer cancel()
	stop, err := r.run(limited)
	stop, err = reason(limited, stop, err)
	if stop == TimeLimit || stop == Failed {
		err = r.instead(ctx, stop, err)
	}
	r.end(ctx, stop, err)
}

// instead speaks the last results of tools when the model failed after them, and returns err where
// there are none.
func (r *run) instead(ctx context.Context, stop Stop, err error) error {
	if r.said || r.usage.Calls == 0 {
		return err
	}
	found, ferr := r.results(ctx, stop)
	if ferr != nil || found == Empty {
		return errors.Join(err, ferr)
	}
	r.t.opt.Log.WarnContext(ctx, "tools answered for the model", "component", "thinker", "domain", r.domain.Name,
		"error", err)
	return nil
}

// reason says why a turn ended that ctx limited.
func reason(ctx context.Context, stop Stop, err error) (Stop, error) {
	switch {
	case err == nil && ctx.Err() == nil:
	case errors.Is(err, errStopped), errors.Is(err, errSuperseded), errors.Is(err, errForgotten):
		stop = Cancelled
	case context.Cause(ctx) == errTimeLimit:
		stop, err = TimeLimit, errTimeLimit
	case ctx.Err() != nil:
		stop, err = Cancelled, context.Cause(ctx)
	}
	return stop, err
}

// end yields how the turn ended, unless nobody ranges over it any more.
func (r *run) end(ctx context.Context, stop Stop, err error) {
	stop, err = reason(ctx, stop, err)
	r.usage.Total, r.usage.Thinker, r.usage.Cached = time.Since(r.begun), r.domain.Name, r.cached
	r.usage.Foreign = r.shown()
	r.t.mu.Lock()
	r.ex.thinking = false
	r.t.mu.Unlock()
	r.log(ctx, stop)
	if stop == Satisfied && err == nil {
		r.keep(ctx)
	}
	if stop == Failed || stop == TimeLimit || stop == Empty {
		r.leaveNoTrace()
	}
	switch {
	case errors.Is(err, errStopped):
	case err != nil || stop == Empty:
		r.yield(llm.Delta{}, &StopError{Stop: stop, Err: err})
	default:
		r.yield(llm.Delta{Usage: &r.usage}, nil)
	}
}

// leaveNoTrace removes the exchange if it contains nothing but the request: otherwise the model
// would answer it later, together with the next one.
func (r *run) leaveNoTrace() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if r.ex.answer == "" && len(r.ex.steps) == 0 && !r.ex.closed {
		r.conv.drop(r.ex)
	}
}

// log logs how the turn went. Limits and empty answers are the model's faults, which nobody else
// reports.
func (r *run) log(ctx context.Context, stop Stop) {
	level := slog.LevelDebug
	switch stop {
	case StepLimit, Repeated, NoNews, TimeLimit, Empty:
		level = slog.LevelWarn
	}
	r.t.opt.Log.Log(ctx, level, "thinking ended", "stop", string(stop), "domain", r.domain.Name,
		"steps", r.step, "tools", r.usage.Calls, "prompt_tokens", r.usage.PromptTokens, "evaluated_tokens",
		r.usage.Evaluated,
		"output_tokens", r.usage.OutputTokens, "first_token_ms", r.usage.FirstToken.Milliseconds(),
		"took_ms", r.usage.Total.Milliseconds())
}
