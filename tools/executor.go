package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"hearthd/llm"
)

var (
	errNoPerson = errors.New("nobody is known to ask")
	errAsked    = errors.New("a person has to agree first")
	errTooLong  = errors.New("the question whether to do it is too long")
)

const (
	defaultTimeout = 10 * time.Second
	// grace is how long a call whose context ended may still hand in its own
	// result, such as what a killed program had said.
	grace    = 50 * time.Millisecond
	maxStack = 4 << 10 // bytes of a panic's stack that are kept for the log
)

// observer is told of each call twice, by the goroutine of Run. It must not
// block.
type observer interface {
	ToolStarted(ctx context.Context, call llm.ToolCall)
	ToolFinished(ctx context.Context, outcome Outcome)
}

// ExecutorOptions says what an executor runs.
type ExecutorOptions struct {
	Registry *Registry
	Timeout  time.Duration // of tools that set none; 0 means 10 s
	Observer observer      // may be nil
	Log      *slog.Logger
}

// Executor runs tools. It is safe for use by several goroutines.
type Executor struct {
	registry *Registry
	timeout  time.Duration
	observer observer
	log      *slog.Logger
	cooling  cooling
	running  sync.WaitGroup
}

// NewExecutor makes an executor.
func NewExecutor(o ExecutorOptions) (*Executor, error) {
	if o.Registry == nil || o.Log == nil || o.Timeout < 0 || o.Timeout > maxTimeout {
		return nil, fmt.Errorf("make executor: a registry, a logger and a timeout within 0 to %v are needed", maxTimeout)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return &Executor{
		registry: o.Registry, timeout: o.Timeout, observer: o.Observer, log: o.Log,
		cooling: cooling{until: map[coolingKey]time.Time{}},
	}, nil
}

// Run runs one call and gives its one outcome, whatever happens. It returns
// within the tool's timeout, or shortly after ctx ended. A call that a person has
// to agree to is checked and not run: its outcome is Asked.
func (e *Executor) Run(ctx context.Context, call llm.ToolCall) Outcome {
	return e.observed(ctx, call, func(string) bool { return false })
}

// Ask checks a call and runs nothing: the person has to agree to it, whatever it is. Its
// outcome is Asked, or why the call cannot be run.
func (e *Executor) Ask(ctx context.Context, call llm.ToolCall) Outcome {
	return e.observed(ctx, call, nil)
}

// RunConfirmed is Run for a call that the person has agreed to, when asked question. If
// the same call would be asked about in other words now, because "it" means another door
// by now, its outcome is Asked again.
func (e *Executor) RunConfirmed(ctx context.Context, call llm.ToolCall, question string) Outcome {
	question = shorten(question, maxQuestion)
	return e.observed(ctx, call, func(now string) bool { return question == now })
}

// observed is run, told to the observer. agreed says whether the person has agreed when asked
// a question; nil: they are asked about every call.
func (e *Executor) observed(ctx context.Context, call llm.ToolCall, agreed func(question string) bool) Outcome {
	began := time.Now()
	if e.observer != nil {
		e.observer.ToolStarted(ctx, call)
	}
	out := e.guarded(ctx, call, agreed)
	out.Call, out.Took = call, time.Since(began)
	if out.Class == Failed || out.Class == Timeout || out.Class == Panic {
		e.log.WarnContext(ctx, "tool call failed", "component", "tools", "tool", shorten(call.Name, 64),
			"outcome", string(out.Class), "error", out.Err, "took_ms", out.Took.Milliseconds())
	}
	if e.observer != nil {
		e.observer.ToolFinished(ctx, out)
	}
	return out
}

// Wait waits for tools that went on after their time was up. It is called after
// the last Run.
func (e *Executor) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		e.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for tools: %w", ctx.Err())
	}
}

// guarded is run with its result bounded, and with an outcome for a panic of what
// a tool says of itself or of its data.
func (e *Executor) guarded(ctx context.Context, call llm.ToolCall, agreed func(question string) bool) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = refused(Panic, panicked(p), "%s failed. Do not call it again.", shorten(call.Name, 64))
		}
	}()
	out = e.run(ctx, call, agreed)
	out.Result = bound(out.Result)
	return out
}

func (e *Executor) run(ctx context.Context, call llm.ToolCall, agreed func(question string) bool) Outcome {
	t := e.registry.lookup(call.Name)
	if t == nil {
		err := fmt.Errorf("there is no tool %q", shorten(call.Name, 64))
		return refused(UnknownTool, err, "%v. The tools are: %s.", err, strings.Join(e.registry.names(), ", "))
	}
	args, err := t.arguments(call.Arguments)
	if err != nil {
		return refused(BadArguments, err, "The arguments of %s do not fit: %s. Call it again with arguments that fit its parameters.",
			call.Name, strings.TrimSuffix(err.Error(), "."))
	}
	if ctx.Err() != nil {
		return ended(ctx, ctx.Err())
	}
	if t.limits.Person && llm.CallerOf(ctx).Person == "" {
		return refused(NoPerson, errNoPerson, "%s was not called: it needs to know who is asking, and nobody is known. Tell the person so.", call.Name)
	}
	question := t.question(args)
	if agreed == nil {
		if question = t.unasked(args); len(question) > maxQuestion {
			return refused(BadArguments, errTooLong,
				"%s was not called: the person has to agree first, and this is too much to ask at once.", call.Name)
		}
	}
	if question != "" && (agreed == nil || !agreed(question) && !agreed(t.unasked(args))) {
		out := refused(Asked, errAsked, "Nothing is done yet: the person is now asked %q and it is done when they say yes. Do not call %s again, and do not say that it is done.", question, call.Name)
		out.Question = question
		return out
	}
	key := keyOf(call.Name, args)
	if left := e.cooling.enter(key, t.limits.Cooldown); left > 0 {
		err := fmt.Errorf("repeated %v too early", left.Round(time.Millisecond))
		return refused(Cooldown, err, "%s was called with the same arguments just now, so it was not called again. Do not repeat it.", call.Name)
	}
	out := e.call(ctx, t, args)
	if out.Class == Failed || out.Class == BadArguments || out.Class == Panic {
		e.cooling.forget(key)
	}
	return out
}

func (e *Executor) call(ctx context.Context, t *entry, args json.RawMessage) Outcome {
	limit := t.limits.Timeout
	if limit == 0 {
		limit = e.timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan Outcome, 1) // a late outcome is dropped here
	e.running.Go(func() { invoke(ctx, t, args, done) })
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case out := <-done:
		return out
	case <-late.C:
		return ended(ctx, errors.New("the tool did not heed the end of its context"))
	}
}

// invoke calls the tool and sends one outcome even if the tool panics or ends
// its goroutine.
func invoke(ctx context.Context, t *entry, args json.RawMessage, done chan<- Outcome) {
	out := refused(Panic, errors.New("the tool ended its goroutine"), "%s failed. Do not call it again.", t.spec.Name)
	defer func() {
		if p := recover(); p != nil {
			out.Err = panicked(p)
		}
		done <- out
	}()
	result, err := t.tool.Call(ctx, args)
	out = judge(ctx, t.spec.Name, result, err)
}

func panicked(p any) error {
	return fmt.Errorf("panic: %v\n%s", p, shorten(string(debug.Stack()), maxStack))
}

func judge(ctx context.Context, name string, result Result, err error) Outcome {
	var bad *ArgumentError
	var failure *Failure
	switch {
	case err == nil:
		if strings.TrimSpace(result.Text) == "" {
			result.Text = "Done."
		}
		return Outcome{Class: OK, Result: result}
	case ctx.Err() != nil:
		return ended(ctx, err)
	case errors.As(err, &bad):
		return refused(BadArguments, err, "The arguments of %s do not fit: %s.", name, shorten(bad.Reason, 400))
	case errors.As(err, &failure):
		out := refused(Failed, err, "%s", failure.Say)
		out.Result.Foreign = failure.Foreign
		if failure.Told != "" {
			out.Result.Text, out.Result.Foreign = failure.Say+"\n"+failure.Told, true
		}
		return out
	}
	return refused(Failed, err, "%s failed. Tell the person that it did not work.", name)
}

// ended is the outcome of a call whose context is over.
func ended(ctx context.Context, err error) Outcome {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return refused(Timeout, err, "The call took too long and was stopped. It is not known whether it had an effect.")
	}
	return refused(Cancelled, err, "The call was cancelled.")
}

func refused(class Class, err error, format string, args ...any) Outcome {
	return Outcome{Class: class, Err: err, Result: Result{Text: fmt.Sprintf(format, args...)}}
}
