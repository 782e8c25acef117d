package thinker

import (
	"context"
	"errors"
	"time"

	"hearthd/llm"
)

var (
	errTimeLimit  = errors.New("thinking took too long")
	errStopped    = errors.New("consumer stopped ranging")
	errSuperseded = errors.New("a newer turn began")
	errForgotten  = errors.New("what was asked is forgotten")
)

// alreadyCalled and alreadyFailed are the results, for the model, of calls that are not run: one
// that came too often, and one that failed a moment ago.
const (
	alreadyCalled = "This was called before with the same arguments. Answer with what is known already."
	alreadyFailed = "This failed before with the same arguments. Do not try it again."
)

// maxStale is how many steps in a row may bring nothing new. One may: two timers may be confirmed
// in the same words.
const maxStale = 2

// maxSources bounds the sources of an answer.
const maxSources = 20

// run is one turn while it is going on.
type run struct {
	t        *Thinker
	domain   *Domain
	offering offering
	chat     chat
	ask      llm.Ask
	conv     *conversation // with t.mu held
	ex       *exchange
	yield    func(llm.Delta, error) bool
	begun    time.Time
	age      int // of the thinker
	system   string
	told     string // the domain's own prompt
	known    string // of the person
	stamp    string // what is recalled, and the time of the request; the same for all steps
	specs    []llm.ToolSpec

	step   int
	seen   map[string]int // calls by name and arguments; failed ones count below zero
	news   map[string]bool
	said   bool // something was said since the last step
	stale  int  // steps in a row that brought nothing new
	failed bool // a tool has
	acted  bool // a tool that changes something was run
	forgot bool // a tool made the thinker forget, this turn included
	cached bool // the answer was kept from before
	// promise: the answer only says that a job begins. It must not be kept as if it were the
	// result.
	promise bool
	keptAs  string // the key of the answer; "": it is not kept
	usage   llm.Usage
}

// run asks the model and runs tools until there is an answer. The last question, when a limit is
// reached, offers no tools, so that the model has to answer.
func (r *run) run(ctx context.Context) (Stop, error) {
	if text, ok := r.kept(ctx); ok {
		// Its sources are not known any more.
		return Satisfied, errors.Join(r.change(func() { r.conv.shown(r.ex) }), r.say(ctx, text))
	}
	stop := Satisfied
	for r.step = 1; ; r.step++ {
		if r.step == r.domain.Steps && stop == Satisfied {
			stop = StepLimit
		}
		calls, err := r.question(ctx, stop == Satisfied)
		if err != nil {
			return Failed, err
		}
		if len(calls) == 0 || stop != Satisfied {
			break
		}
		stop, err = r.runTools(ctx, calls)
		switch {
		case err != nil:
			return Failed, err
		case r.forgot:
			return stop, nil
		}
	}
	if !r.said && r.usage.Calls == 0 && stop == Satisfied && len(r.specs) > 0 {
		// Ollama swallows a call of a tool that was not offered, so the model has to say it in
		// words.
		if _, err := r.question(ctx, false); err != nil {
			return Failed, err
		}
	}
	if r.said {
		return stop, nil
	}
	return r.results(ctx, stop)
}

// question asks the model with the conversation and speaks its answer.
func (r *run) question(ctx context.Context, tools bool) ([]llm.ToolCall, error) {
	req, estimate, err := r.request(tools)
	if err != nil {
		return nil, err
	}
	text := splitter{writing: r.t.writing}
	var calls []llm.ToolCall
	for d, err := range r.chat.Chat(ctx, req) {
		if err != nil {
			return nil, err
		}
		if (d.Text != "" || d.Call != nil) && r.usage.FirstToken == 0 {
			r.usage.FirstToken = time.Since(r.begun)
		}
		if err := r.say(ctx, text.add(d.Text)); err != nil {
			return nil, err
		}
		if d.Call != nil && len(calls) < r.t.maxCalls() {
			calls = append(calls, *d.Call)
		}
		if u := d.Usage; u != nil {
			r.usage.PromptTokens += u.PromptTokens
			r.usage.Evaluated += u.Evaluated
			r.usage.OutputTokens += u.OutputTokens
			r.usage.Load += u.Load
			r.calibrate(estimate, u.PromptTokens)
		}
	}
	return calls, r.say(ctx, text.rest())
}

// request is the prompt, with the parts that change least first: a server that keeps the evaluated prompt
// of the last request evaluates only what differs. So the time and what is recalled come with the newest
// request of the user, after system prompt, tools, what is known of the person and history, which all
// domains share. It also returns the estimated tokens of the prompt.
func (r *run) request(tools bool) (req llm.Request, estimate int, err error) {
	req = llm.Request{Messages: []llm.Message{{Role: llm.System, Content: r.system}}}
	if tools {
		req.Tools = r.specs
	}
	err = r.change(func() {
		ms := r.conv.said() // other domains' prompts are not for every server
		if r.offering.shared {
			ms = r.conv.messages()
		}
		ms[len(ms)-len(r.ex.messages())].Content = r.ex.told + r.stamp + r.ex.user
		ms[0].Content = r.known + ms[0].Content
		req.Messages = append(req.Messages, ms...)
	})
	for _, m := range req.Messages {
		estimate += messageSize(m)
	}
	return req, estimate + specsSize(req.Tools), err
}

// calibrate corrects the estimate of tokens by what the model counted.
func (r *run) calibrate(estimate, counted int) {
	if counted <= 0 || estimate <= 0 {
		return // the server does not say
	}
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.conv.calibrate(float64(counted) / float64(estimate))
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
		if err := r.give(ctx, llm.Delta{Text: s}); err != nil {
			return err
		}
	}
	return nil
}

// give yields d, unless the turn has ended.
func (r *run) give(ctx context.Context, d llm.Delta) error {
	r.t.mu.Lock()
	err := r.over()
	r.t.mu.Unlock()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil && !r.yield(d, nil) {
		err = errStopped
	}
	return err
}

// over says why the turn has ended for the conversation, or nil as long as it goes on. The caller
// holds t.mu.
func (r *run) over() error {
	switch {
	case r.ex.forgotten:
		return errForgotten
	case r.ex.closed:
		return errSuperseded
	}
	return nil
}

// change changes the exchange, unless it is closed, and trims the conversation.
func (r *run) change(f func()) error {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if err := r.over(); err != nil {
		return err
	}
	f()
	r.conv.trim(r.room())
	r.t.touch()
	return nil
}

// room is what system prompt, tools and what is recalled leave to the conversation, in tokens. It
// is never nothing, however wrong the estimate was. The caller holds t.mu.
func (r *run) room() int {
	fixed := messageTokens + textSize(r.system+r.known+r.stamp) + specsSize(r.specs)
	return max(r.t.opt.MaxTokens-int(float64(fixed)*r.conv.excess()), r.t.opt.MaxTokens/conversationShare)
}
