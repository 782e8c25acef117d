package thinker

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/llm"
)

const (
	defaultMaxTokens   = 8000
	defaultMaxMessages = 20
	minMaxTokens       = 1000
	minMaxMessages     = 4
	maxThinking        = 2 * time.Minute
	maxSteps           = 10
	maxCalls           = 8 // of one step; more are not run and not remembered
	maxRepeats         = 3 // of one call with the same arguments; the third is not run
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
	Run(ctx context.Context, call llm.ToolCall) llm.ToolResult
}

// recaller gives what the memory knows that may help with a request, as a text
// block, or "", and how many notes are in it. It never fails a turn and returns
// soon after ctx ended.
type recaller interface {
	Recall(ctx context.Context, person, text string) (block string, notes int)
}

// keeper keeps answers that may be given again.
type keeper interface {
	Answer(ctx context.Context, key string) (a Kept, ok bool)
	KeepAnswer(ctx context.Context, key, domain string, a Kept, ttl time.Duration)
}

// sayings knows how people ask for tools.
type sayings interface {
	// Wordings are shares of the terms that people use, by tool. Version changes with them.
	Wordings() map[string]map[string]float64
	Version() uint64
	// Terms are those of a request.
	Terms(text string) []string
}

// Kept is an answer with what it rests on.
type Kept struct {
	Text    string
	Sources []llm.Source
}

// Model is what a domain asks for.
type Model struct {
	Provider string
	Tier     Tier
}

// Chats are the models that domains may ask for.
type Chats map[Model]chat

// Options says what to think with. Chat and Tools are needed.
type Options struct {
	Chat    chat  // serves every domain that Chats has nothing for
	Chats   Chats // may be nil
	Tools   toolbox
	Sayings sayings // nil: tools are known by their specifications alone
	// Confirm checks a call and has the person asked whether it is to be run: one that their
	// words did not ask for, after text from outside the house. nil: nobody can be asked, and
	// it is refused.
	Confirm func(ctx context.Context, call llm.ToolCall) llm.ToolResult
	Domains []Domain // none: Fallback alone, with every tool
	Prompts Prompts
	// Meanings are for routing; nil: by words alone. The caller runs them.
	Meanings *Meanings
	Memory   recaller // nil: nothing is recalled
	Answers  keeper   // nil: nothing is kept
	// Depends is all that an answer to a person may depend on beside its question, the
	// tools and the day: place, units, language, versions, what they told of themselves.
	// It is part of the key of a kept answer. With an error nothing is kept.
	Depends func(ctx context.Context, person string) (string, error)
	// Announce says text when no turn is waiting for it: the end of a background
	// job.
	Announce func(ctx context.Context, a Kept)
	// Ended is called when a conversation has ended by itself: after an hour of
	// silence. It must not block.
	Ended func()
	// MaxTokens bounds the estimated length of a prompt: system prompt, tools, what is
	// recalled and conversation. The model's context must be longer by an answer. Zero:
	// 8,000.
	MaxTokens   int
	MaxMessages int            // of the conversation; zero: 20
	Location    *time.Location // of the household; nil: the system's
	Log         *slog.Logger
}

// Thinker holds one conversation, which all domains share.
type Thinker struct {
	opt  Options
	jobs chan job

	lore    atomic.Pointer[lore]
	ranking atomic.Pointer[ranking]
	unknown atomic.Uint64
	relearn chan struct{} // cap 1: there are other examples

	mu     sync.Mutex
	conv   conversation
	router *router
	giveUp context.CancelCauseFunc // ends the job that runs; nil: there is none
	age    int                     // how often all was forgotten
	wake   chan struct{}
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
	switch {
	case o.MaxMessages == 0:
		o.MaxMessages = defaultMaxMessages
	case o.MaxMessages < minMaxMessages:
		return nil, fmt.Errorf("thinker: a conversation of %d messages, want %d or more", o.MaxMessages, minMaxMessages)
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Depends == nil {
		o.Depends = func(context.Context, string) (string, error) { return "", nil }
	}
	l, err := taught(o.Domains, o.Prompts, o.MaxTokens)
	if err != nil {
		return nil, err
	}
	o.Domains, o.Prompts = nil, Prompts{} // lore has them
	l.complain(o.Log)
	return build(o, l), nil
}

// build makes a Thinker of checked options, which goes by l.
func build(o Options, l *lore) *Thinker {
	var means meaner
	if o.Meanings != nil {
		means = o.Meanings
	}
	t := &Thinker{
		opt: o, jobs: make(chan job, maxJobs), wake: make(chan struct{}, 1), relearn: make(chan struct{}, 1),
		router: newRouter(l.domains, means),
		conv:   conversation{maxMessages: o.MaxMessages},
	}
	t.lore.Store(l)
	return t
}

// Think answers a request. The sequence yields each piece of text as the model writes
// it as Delta.Token, one complete sentence at a time as Delta.Text, each call as
// Delta.Call before it runs and its result after, and at its end either the usage of
// all exchanges with the model or a *StopError. To end ctx or to stop ranging ends the
// turn and the request to the model; so does a later Think, Heard, Note or Forget, of
// which the sequence then says that it was cancelled. Nothing is yielded after that but
// the *StopError; who ends ctx on another goroutine may still meet one delta that was
// being yielded.
//
// The request and each sentence are in the conversation when they are yielded.
// A turn that failed before it said or did anything leaves no trace there.
func (t *Thinker) Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if t.opt.Meanings != nil {
			t.opt.Meanings.Expect(ask.Text) // while words route and full text is searched
		}
		ask.Said = ask.Text
		d, claimed := t.route(ctx, ask.Text)
		if d.Background {
			t.startJob(ctx, d, ask, yield)
			return
		}
		t.begin(ctx, d, ask, claimed, yield).work(ctx)
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
		t.touch()
	}
}

// Note adds a turn that was answered without the model.
func (t *Thinker) Note(ask llm.Ask, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ex := t.conv.begin(ask.Text, ask.Mode)
	if ask.Foreign {
		t.conv.shown(ex)
	}
	ex.heard(answer)
	t.conv.trim(t.opt.MaxTokens)
	t.touch()
}

// Forget drops all that is held of what was said: the conversation, and the
// background jobs with their requests. Nothing of them is spoken or kept after it.
func (t *Thinker) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conv.forget()
	t.age++
	if t.giveUp != nil {
		t.giveUp(errForgotten)
	}
	if t.opt.Meanings != nil {
		t.opt.Meanings.Forget()
	}
}

// forgotten is how often all was.
func (t *Thinker) forgotten() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.age
}

// expire ends the conversation after an hour of silence, unless somebody has spoken at
// its end.
func (t *Thinker) expire() {
	t.mu.Lock()
	if time.Since(t.conv.touched) < sessionTTL {
		t.mu.Unlock()
		return
	}
	ended := len(t.conv.exchanges) > 0
	t.conv.forget()
	t.mu.Unlock()
	if ended && t.opt.Ended != nil {
		t.opt.Ended()
	}
}

// History is the conversation as the model would be told it.
func (t *Thinker) History() []llm.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conv.messages()
}

// Foreign reports whether words from outside the house stand in the conversation, or did.
func (t *Thinker) Foreign() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conv.foreign
}

// touch says that the conversation goes on, which moves its end.
func (t *Thinker) touch() {
	t.conv.touched = time.Now()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
