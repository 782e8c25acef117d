package thinker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"hearthd/llm"
)

const (
	defaultMaxTokens   = 8000
	defaultMaxMessages = 20
	minMaxTokens       = 1000
	minMaxMessages     = 4
)

// New checks o.
func New(o Options) (*Thinker, error) {
	o.MaxTokens, o.MaxMessages = cmp.Or(o.MaxTokens, defaultMaxTokens), cmp.Or(o.MaxMessages, defaultMaxMessages)
	o.Location = cmp.Or(o.Location, time.Local)
	switch {
	case o.Chat == nil || o.Tools == nil || o.Book == nil || o.Log == nil:
		return nil, errors.New("thinker: needs a chat model, tools and a logger")
	case o.MaxTokens < minMaxTokens:
		return nil, fmt.Errorf("thinker: a prompt of %d tokens, want %d or more", o.MaxTokens, minMaxTokens)
	case o.MaxMessages < minMaxMessages:
		return nil, fmt.Errorf("thinker: a conversation of %d messages, want %d or more", o.MaxMessages, minMaxMessages)
	}
	if o.Depends == nil {
		o.Depends = func(context.Context, string) (string, error) { return "", nil }
	}
	l, err := taught(o.Domains, o.Prompts, o.MaxTokens)
	if err != nil {
		return nil, err
	}
	o.Domains, o.Prompts = nil, Prompts{} // teaching has them
	l.complain(o.Log)
	return build(o, l), nil
}

// build makes a Thinker from checked options and l.
func build(o Options, l *teaching) *Thinker {
	var means meaner
	if o.Meanings != nil {
		means = o.Meanings
	}
	t := &Thinker{
		opt: o, writing: writingOf(o.Language), jobs: make(chan job, maxJobs), wake: make(chan struct{}, 1),
		relearn: make(chan struct{}, 1),
		ended:   make(chan struct{}, 1),
		router:  newRouter(l.domains, means),
		conv:    conversation{maxMessages: o.MaxMessages},
	}
	t.teaching.Store(l)
	return t
}

// Think answers a request. The sequence yields one complete sentence at a time as Delta.Text, each
// call as Delta.Call before it runs, and at its end either the usage of all exchanges with the model
// or a *StopError. To end ctx or to stop ranging ends the turn and the request to the model; so does
// a later Think, Heard, Note or Forget, and then the sequence reports that it was cancelled. Nothing
// is yielded after that but the *StopError; a caller that ends ctx on another goroutine may still get
// one delta that was being yielded.
//
// The request and each sentence are in the conversation when they are yielded. A turn that failed
// before it said or did anything leaves no trace there.
func (t *Thinker) Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if t.opt.Meanings != nil {
			t.opt.Meanings.Expect(ask.Text) // while routing compares words and full text is searched
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

// Beside begins another conversation with the options of t, and with the domains, the prompts and
// the embedded examples that t has now. It announces its own background jobs.
func (t *Thinker) Beside(announce func(ctx context.Context, a Kept)) *Thinker {
	o := t.opt
	o.Announce = announce
	t.mu.Lock()
	defer t.mu.Unlock()
	own := build(o, t.teaching.Load())
	own.router.vectors = t.router.vectors
	return own
}

// Teach replaces the domains and the prompts. A turn that is going on keeps the old ones, and the
// conversation stays.
func (t *Thinker) Teach(domains []Domain, prompts Prompts) error {
	l, err := taught(domains, prompts, t.opt.MaxTokens)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := newRouter(l.domains, t.router.means)
	r.last, r.lastAt = t.router.last, t.router.lastAt
	t.router = r
	t.teaching.Store(l)
	l.complain(t.opt.Log)
	select {
	case t.relearn <- struct{}{}:
	default:
	}
	return nil
}
