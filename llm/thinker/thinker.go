package thinker

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"hearthd/llm"
)

//go:embed prompts/system.txt
var defaultSystem string

const (
	defaultMaxTokens = 8000
	minMaxTokens     = 1000
	maxThinking      = 2 * time.Minute
	maxSteps         = 10
	// maxCalls bounds one step, so that the newest one always fits into
	// maxMessages. More are not run and not remembered.
	maxCalls   = 8
	maxRepeats = 3 // of one call with the same arguments; the third is not run
)

// chat asks a model. The sequence ends with an error, or after a Delta with the
// usage; nothing follows when ctx has ended. The ids of calls are unique.
type chat interface {
	Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
}

// toolbox runs tools. Run gives exactly one result on every path and returns
// soon after ctx ended. It is called from several goroutines.
type toolbox interface {
	Specs() []llm.ToolSpec
	Run(ctx context.Context, call llm.ToolCall) string
}

// Options says what to think with.
type Options struct {
	Chat  chat
	Tools toolbox
	// System is the system prompt. Empty: the one that is built in.
	System string
	// MaxTokens bounds the estimated length of a prompt: system prompt, tools and
	// conversation. The model's context must be longer by an answer. Zero: 8,000.
	MaxTokens int
	Location  *time.Location // of the household; nil: the system's
	Log       *slog.Logger
}

// Thinker holds one conversation.
type Thinker struct {
	opt Options

	mu   sync.Mutex
	conv conversation
}

// New checks o.
func New(o Options) (*Thinker, error) {
	switch {
	case o.Chat == nil || o.Tools == nil || o.Log == nil:
		return nil, errors.New("thinker: needs a chat model, tools and a logger")
	case o.MaxTokens == 0:
		o.MaxTokens = defaultMaxTokens
	case o.MaxTokens < minMaxTokens:
		return nil, fmt.Errorf("thinker: a prompt of %d tokens, want %d or more", o.MaxTokens, minMaxTokens)
	}
	if strings.TrimSpace(o.System) == "" {
		o.System = defaultSystem
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	return &Thinker{opt: o}, nil
}

// Think answers text. The sequence yields one complete sentence at a time as
// Delta.Text, each call as Delta.Call before it runs, and at its end either the
// usage of all exchanges with the model or a *StopError. To end ctx or to stop
// ranging ends the turn; so does a later Think, Heard, Note or Forget, of which
// the sequence then says that it was cancelled.
//
// The request and each sentence are in the conversation when they are yielded.
// A turn that failed before it said or did anything leaves no trace there.
func (t *Thinker) Think(ctx context.Context, text string) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithTimeoutCause(ctx, maxThinking, errTimeLimit)
		defer cancel()
		r := t.begin(text, yield)
		stop, err := r.run(ctx)
		r.end(ctx, stop, err)
	}
}

// Heard says what really left the speaker of the newest turn, which thereby has
// ended: after a barge-in the conversation holds that and not what was
// generated. What is heard of an apology for a turn that left no trace changes
// nothing.
func (t *Thinker) Heard(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ex := t.conv.newest; ex != nil {
		ex.heard(text)
		t.conv.touched = time.Now()
	}
}

// Note adds a turn that was answered without the model.
func (t *Thinker) Note(user, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conv.begin(user).heard(answer)
	t.conv.trim(t.opt.MaxTokens)
}

// Forget starts a new conversation.
func (t *Thinker) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conv.forget()
}

func (t *Thinker) begin(text string, yield func(llm.Delta, error) bool) *run {
	now := time.Now()
	r := &run{
		t: t, yield: yield, begun: now,
		stamp: now.In(t.opt.Location).Format("[Monday, 2 January 2006, 15:04]\n"),
		specs: t.opt.Tools.Specs(),
		seen:  map[string]int{},
	}
	r.budget = t.budget(r.stamp, r.specs)
	t.mu.Lock()
	defer t.mu.Unlock()
	r.ex = t.conv.begin(text)
	t.conv.trim(r.budget)
	return r
}

// budget estimates the tokens that are left to the conversation.
func (t *Thinker) budget(stamp string, specs []llm.ToolSpec) int {
	fixed := messageTokens + textSize(t.opt.System) + textSize(stamp)
	for _, s := range specs {
		fixed += messageTokens + textSize(s.Name) + textSize(s.Description) + textSize(string(s.Parameters))
	}
	// A household with very many tools still has a conversation.
	return max(t.opt.MaxTokens-fixed, t.opt.MaxTokens/4)
}
