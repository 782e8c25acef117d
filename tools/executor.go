package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	errNoPerson = errors.New("nobody is known to ask")
	errAsked    = errors.New("a person has to agree first")
	errTooLong  = errors.New("the question whether to do it is too long")
)

const (
	usualTimeout = 10 * time.Second // for tools that set none
	// grace is how long a call whose context ended may still hand in its own
	// result, such as what a killed program had said.
	grace    = 50 * time.Millisecond
	maxStack = 4 << 10 // bytes of a panic's stack that are kept for the log
)

// ExecutorOptions says what an executor runs.
type ExecutorOptions struct {
	Registry *Registry
	Reader   reader // nil: models have to write days and times in their strict form
	Log      *slog.Logger
}

// Executor runs tools. It is safe for use by several goroutines.
type Executor struct {
	registry *Registry
	reader   reader
	log      *slog.Logger
	cooling  cooling
	running  sync.WaitGroup

	mu   sync.Mutex
	last string // the tool that did something last in a turn
}

// NewExecutor makes an executor.
func NewExecutor(o ExecutorOptions) (*Executor, error) {
	if o.Registry == nil || o.Log == nil {
		return nil, errors.New("make executor: a registry and a logger are needed")
	}
	e := &Executor{registry: o.Registry, reader: o.Reader, log: o.Log}
	e.cooling.until = make(map[coolingKey]time.Time)
	return e, nil
}

// Run runs one call and gives its one outcome, whatever happens. It returns within the
// tool's timeout, or shortly after ctx ended. A call that a person has to agree to, and has
// not, is checked and not run: its outcome is Asked.
func (e *Executor) Run(ctx context.Context, call Call) (out Outcome) {
	began := time.Now()
	defer func() {
		if p := recover(); p != nil { // the panic of a tool's own methods, or of its data
			out = refused(Panic, panicked(p), "%s failed. Do not call it again.", shorten(call.Name, 64))
		}
		out.Took = time.Since(began)
		if out.Class == Failed || out.Class == Timeout || out.Class == Panic {
			e.log.WarnContext(ctx, "tool call failed", "component", "tools", "tool", shorten(call.Name, 64),
				"outcome", string(out.Class), "error", out.Err, "took_ms", out.Took.Milliseconds())
		}
	}()
	out = e.run(ctx, call)
	out.Result = bound(out.Result)
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

func (e *Executor) run(ctx context.Context, call Call) Outcome {
	t := e.registry.lookup(call.Name)
	if t == nil {
		err := fmt.Errorf("there is no tool %q", shorten(call.Name, 64))
		return refused(UnknownTool, err, "%v. The tools are: %s.", err, strings.Join(e.registry.names(), ", "))
	}
	var err error
	if call.Arguments, err = t.arguments(call.Arguments, e.reader); err != nil {
		return refused(BadArguments, err, "The arguments of %s do not fit: %s. Call it again with arguments that fit "+
			"its parameters.",
			call.Name, strings.TrimSuffix(err.Error(), "."))
	}
	if ctx.Err() != nil {
		return ended(ctx, ctx.Err())
	}
	if t.limits.Person && (call.For.Person == "" || call.For.ByVoice) {
		return refused(NoPerson, errNoPerson, "%s was not called: it needs to know who is asking, and nobody is "+
			"known. Tell the person so.", call.Name)
	}
	if out, asks := e.ask(t, call); asks {
		e.did(t, &call, false)
		return out
	}
	key := keyOf(call.Name, call.Arguments)
	if left := e.cooling.enter(key, t.limits.Cooldown); left > 0 {
		err := fmt.Errorf("repeated %v too early", left.Round(time.Millisecond))
		return refused(Cooldown, err, "%s was called with the same arguments just now, so it was not called again. "+
			"Do not repeat it.", call.Name)
	}
	out := e.call(ctx, t, call)
	e.did(t, &call, out.Class == OK)
	if out.Class == Failed || out.Class == BadArguments || out.Class == Panic {
		e.cooling.forget(key)
	}
	return out
}

// ask is the outcome of a call that a person has to agree to and has not; asks is false for any other.
func (e *Executor) ask(t *entry, call Call) (out Outcome, asks bool) {
	question, agreed := t.question(call.Arguments), shorten(call.Agreed, maxQuestion)
	if call.Ask {
		if question = t.unasked(call.Arguments); len(question) > maxQuestion {
			return refused(BadArguments, errTooLong,
				"%s was not called: the person has to agree first, and this is too much to ask at once.", call.Name), true
		}
	}
	weak := call.For.Rival && !t.spec.ReadOnly ||
		call.For.Faint && t.limits.Grave != nil && t.limits.Grave(call.Arguments)
	if question == "" && agreed == "" && (call.Unsure || weak) {
		question = shorten(e.registry.book.Say("tools.read_back", map[string]any{"heard": call.For.Said}), maxQuestion)
	}
	if question == "" || agreed == question || agreed != "" && agreed == t.unasked(call.Arguments) {
		return Outcome{}, false
	}
	out = refused(Asked, errAsked, "Nothing is done yet: the person is now asked %q and it is done when they "+
		"say yes. Do not call %s again, and do not say that it is done.", question, call.Name)
	out.Question = question
	return out, true
}

func (e *Executor) call(ctx context.Context, t *entry, call Call) Outcome {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(t.limits.Timeout, usualTimeout))
	defer cancel()
	done := make(chan Outcome, 1) // a late outcome is dropped here
	e.running.Go(func() { e.invoke(ctx, t, call, done) })
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
		return ended(ctx, errors.New("the tool did not stop at the end of its context"))
	}
}

// invoke calls the tool and sends one outcome even if the tool panics or ends
// its goroutine.
func (e *Executor) invoke(ctx context.Context, t *entry, call Call, done chan<- Outcome) {
	out := refused(Panic, errors.New("the tool ended its goroutine"), "%s failed. Do not call it again.", t.spec.Name)
	defer func() {
		if p := recover(); p != nil {
			out.Err = panicked(p)
		}
		done <- out
	}()
	result, err := t.tool.Call(ctx, call)
	out = e.judge(ctx, t.spec.Name, result, err)
}

func panicked(p any) error {
	return fmt.Errorf("panic: %v\n%s", p, shorten(string(debug.Stack()), maxStack))
}

func (e *Executor) judge(ctx context.Context, name string, result Result, err error) Outcome {
	var bad *ArgumentError
	var failure *Failure
	switch {
	case err == nil:
		if strings.TrimSpace(result.Text) == "" {
			result.Text = e.registry.book.Say("tools.done")
		}
		return Outcome{Class: OK, Result: result}
	case ctx.Err() != nil:
		return ended(ctx, err)
	case errors.As(err, &bad):
		return refused(BadArguments, err, "The arguments of %s do not fit: %s.", name, shorten(bad.Reason, 400))
	case errors.As(err, &failure):
		if errors.Is(err, syscall.ENOSPC) {
			said := *failure
			said.Say += " " + e.registry.book.Say("tools.disk_full")
			failure, err = &said, &said
		}
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
		return refused(Timeout, err,
			"The call took too long and was stopped. It is not known whether it had an effect.")
	}
	return refused(Cancelled, err, "The call was cancelled.")
}

func refused(class Class, err error, format string, args ...any) Outcome {
	return Outcome{Class: class, Err: err, Result: Result{Text: fmt.Sprintf(format, args...)}}
}
