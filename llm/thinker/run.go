package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"hearthd/llm"
)

var (
	errTimeLimit  = errors.New("thinking took too long")
	errStopped    = errors.New("consumer stopped ranging")
	errSuperseded = errors.New("a newer turn began")
)

// alreadyCalled is the result of a call that came too often, for the model.
const alreadyCalled = "This was called before with the same arguments. Answer with what is known already."

// run is one turn on its way.
type run struct {
	t     *Thinker
	ex    *exchange
	yield func(llm.Delta, error) bool
	begun time.Time
	stamp string // when the request came, the same for all steps
	specs []llm.ToolSpec
	// budget is what system prompt and tools leave to the conversation, in tokens.
	budget int

	step  int
	calls int
	seen  map[string]int // calls by name and arguments
	said  bool           // something since the last step
	usage llm.Usage
}

// run asks and runs tools until there is an answer. The last question, when a
// limit is reached, offers no tools, so that the model has to answer.
func (r *run) run(ctx context.Context) (Stop, error) {
	stop := Satisfied
	for r.step = 1; ; r.step++ {
		if r.step == maxSteps && stop == Satisfied {
			stop = StepLimit
		}
		calls, err := r.ask(ctx, stop == Satisfied)
		if err != nil {
			return Failed, err
		}
		if len(calls) == 0 || stop != Satisfied {
			break
		}
		again, err := r.runTools(ctx, calls)
		if err != nil {
			return Failed, err
		}
		if again {
			stop = Repeated
		}
	}
	if r.said {
		return stop, nil
	}
	return r.results(ctx, stop)
}

// ask puts the conversation to the model and speaks its answer.
func (r *run) ask(ctx context.Context, tools bool) ([]llm.ToolCall, error) {
	req, err := r.request(tools)
	if err != nil {
		return nil, err
	}
	var text Sentences
	var calls []llm.ToolCall
	for d, err := range r.t.opt.Chat.Chat(ctx, req) {
		if err != nil {
			return nil, err
		}
		if err := r.say(ctx, text.Add(d.Text)); err != nil {
			return nil, err
		}
		if d.Call != nil && len(calls) < maxCalls {
			calls = append(calls, *d.Call)
		}
		if u := d.Usage; u != nil {
			r.usage.PromptTokens += u.PromptTokens
			r.usage.OutputTokens += u.OutputTokens
			r.usage.Load += u.Load
		}
	}
	return calls, r.say(ctx, text.Rest())
}

// request is the prompt, what changes least first: a server that keeps the
// evaluated prompt of the last request evaluates only what differs. So the time
// stands with the newest request of the user, behind system prompt, tools and
// history.
func (r *run) request(tools bool) (llm.Request, error) {
	req := llm.Request{Messages: []llm.Message{{Role: llm.System, Content: r.t.opt.System}}}
	if tools {
		req.Tools = r.specs
	}
	err := r.change(func() {
		ms := r.t.conv.messages()
		ms[len(ms)-len(r.ex.messages())].Content = r.stamp + r.ex.user
		req.Messages = append(req.Messages, ms...)
	})
	return req, err
}

// say yields sentences and remembers each.
func (r *run) say(ctx context.Context, sentences []string) error {
	for _, s := range sentences {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.change(func() { r.ex.say(s) }); err != nil {
			return err
		}
		r.said = true
		if !r.yield(llm.Delta{Text: s}, nil) {
			return errStopped
		}
	}
	return nil
}

// change changes the exchange, unless it is closed, and trims the conversation.
func (r *run) change(f func()) error {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if r.ex.closed {
		return errSuperseded
	}
	f()
	r.t.conv.trim(r.budget)
	r.t.conv.touched = time.Now()
	return nil
}

// runTools announces the calls, runs them at the same time and remembers them
// with their results. It reports whether one came too often; that is not run.
func (r *run) runTools(ctx context.Context, calls []llm.ToolCall) (again bool, err error) {
	results := make([]string, len(calls))
	for i, c := range calls {
		key := c.Name + " " + canonical(c.Arguments)
		if r.seen[key]++; r.seen[key] >= maxRepeats {
			results[i], again = alreadyCalled, true
			continue
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := r.change(func() {}); err != nil {
			return false, err
		}
		if !r.yield(llm.Delta{Call: &c}, nil) {
			return false, errStopped
		}
	}
	var running sync.WaitGroup
	for i, c := range calls {
		if results[i] == "" {
			r.calls++
			running.Go(func() { results[i] = r.t.opt.Tools.Run(ctx, c) })
		}
	}
	running.Wait()
	r.said = false
	if err := r.change(func() { r.ex.called(calls, results) }); err != nil {
		return false, err
	}
	return again, ctx.Err()
}

// canonical is args with its keys in order: models shuffle them.
func canonical(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(args)
	}
	return string(b)
}

// results speaks the results of the last tools for a model that said nothing:
// they are sentences too.
func (r *run) results(ctx context.Context, stop Stop) (Stop, error) {
	var last []string
	err := r.change(func() {
		if n := len(r.ex.steps); n > 0 {
			last = slices.Clone(r.ex.steps[n-1].results)
		}
	})
	if err != nil {
		return Failed, err
	}
	var out []string
	for _, result := range last {
		if result == alreadyCalled {
			continue
		}
		var s Sentences
		out = append(out, s.Add(result)...)
		out = append(out, s.Rest()...)
	}
	if len(out) == 0 {
		return Empty, nil
	}
	if err := r.say(ctx, out); err != nil {
		return Failed, err
	}
	return stop, nil
}

// end yields how the turn ended, unless nobody ranges any more.
func (r *run) end(ctx context.Context, stop Stop, err error) {
	switch {
	case err == nil && ctx.Err() == nil:
	case errors.Is(err, errStopped), errors.Is(err, errSuperseded):
		stop = Cancelled
	case context.Cause(ctx) == errTimeLimit:
		stop, err = TimeLimit, errTimeLimit
	case ctx.Err() != nil:
		stop, err = Cancelled, context.Cause(ctx)
	}
	r.log(ctx, stop)
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

// leaveNoTrace takes the exchange out if it holds nothing but the request: the
// model would answer it late, together with the next one.
func (r *run) leaveNoTrace() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if r.ex.answer == "" && len(r.ex.steps) == 0 && !r.ex.closed {
		r.t.conv.drop(r.ex)
	}
}

// log tells how the turn went. Limits and empty answers are the model's faults,
// which nobody else reports.
func (r *run) log(ctx context.Context, stop Stop) {
	level := slog.LevelDebug
	switch stop {
	case StepLimit, Repeated, TimeLimit, Empty:
		level = slog.LevelWarn
	}
	r.t.opt.Log.Log(ctx, level, "thinking ended", "stop", string(stop),
		"steps", r.step, "tools", r.calls, "prompt_tokens", r.usage.PromptTokens,
		"output_tokens", r.usage.OutputTokens, "took_ms", time.Since(r.begun).Milliseconds())
}
