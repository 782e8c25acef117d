package thinker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/llm"
	"hearthd/llm/thinker/relevance"
)

const maxCalls = 8 // of one step; more are not run and not remembered

// Thinker holds one conversation, which all domains share.
type Thinker struct {
	opt     Options
	writing *writing // of the language of the answers
	jobs    chan job

	teaching atomic.Pointer[teaching]
	ranking  atomic.Pointer[ranking]
	unknown  atomic.Uint64
	relearn  chan struct{} // cap 1: the examples have changed
	ended    chan struct{} // cap 1

	mu     sync.Mutex
	conv   conversation
	router *router
	giveUp context.CancelCauseFunc // ends the job that runs; nil: none does
	age    int                     // how often everything was forgotten
	wake   chan struct{}
}

// Heard says which part of the newest turn's answer was played, and ends that turn: after a
// barge-in the conversation contains that part and not all that was generated. If the turn left no
// trace, hearing an apology for it changes nothing.
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

// Forget drops everything that was said: the conversation, and the background jobs with their
// requests. Nothing of them is spoken or kept after it.
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

// forgotten is how often everything was forgotten.
func (t *Thinker) forgotten() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.age
}

// Ended gets a value when a conversation has ended by itself: after an hour of silence.
func (t *Thinker) Ended() <-chan struct{} { return t.ended }

// expire ends the conversation after an hour of silence, unless somebody has spoken at the last
// moment.
func (t *Thinker) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.conv.touched) < sessionTTL {
		return
	}
	if len(t.conv.exchanges) > 0 {
		select {
		case t.ended <- struct{}{}:
		default:
		}
	}
	t.conv.forget()
}

// History is the conversation in the form in which a model gets it.
func (t *Thinker) History() []llm.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conv.said()
}

// Foreign reports whether words from outside the house are in the conversation, or were.
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

// job is a request whose answer may take minutes.
type job struct {
	domain *Domain
	ask    llm.Ask
	age    int // of the thinker
}

// ranking rates how near tools are to requests, for one version of tools, sayings and domains.
type ranking struct {
	*relevance.Ranker
	specs    []llm.ToolSpec
	version  uint64
	teaching *teaching
}
