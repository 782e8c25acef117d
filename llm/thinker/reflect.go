package thinker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/language"
	"hearthd/llm"
)

const (
	// maxPending bounds the turns that wait for reflection: beyond it the oldest are not
	// remembered.
	maxPending = 50
	// reflectLimit bounds one question to the model.
	reflectLimit = 2 * time.Minute
	// quiet is the default silence after a turn before a model is asked about it: a person who goes
	// on talking has the model to themselves, and what it has evaluated of their conversation is
	// not lost in between.
	quiet = 5 * time.Minute
)

// journal is where the reflection writes.
type journal interface {
	AddNotes(ctx context.Context, person string, notes []string) error
	AddTopics(ctx context.Context, person string, topics []string) error
	// Keep stores exchanges that no summary covers yet, also over a restart, and gives them ids
	// that grow. Unmerged returns them, the oldest first.
	Keep(ctx context.Context, exchanges []llm.Exchange) error
	Unmerged(ctx context.Context) ([]llm.Exchange, error)
	Summary(ctx context.Context, person string) (string, error)
	// SetSummary drops the exchanges of the person up to last.
	SetSummary(ctx context.Context, person, summary string, last int64) error
}

// ReflectorOptions are what a Reflector works with.
type ReflectorOptions struct {
	Chat     chat
	Journal  journal
	Prompts  Prompts
	Language string      // as in Options
	Busy     func() bool // the box has something better to do
	// Warm is called after the model was asked: most servers keep only the last prompt evaluated,
	// and the next request should find its own. nil: that does not matter.
	Warm  func(ctx context.Context) error
	Ended <-chan struct{} // gets a value when a conversation has ended, see Thinker.Ended
	Quiet time.Duration   // how long it must have been silent before the model is asked; 0: 5 minutes
	Log   *slog.Logger
}

// Reflector asks a model, when the box has nothing else to do, what of the last
// turns is worth remembering, and keeps the summaries. Its Run is the one goroutine.
type Reflector struct {
	opt     ReflectorOptions
	writing *writing
	bell    chan struct{} // cap 1; rung when there is more to reflect on

	prompts atomic.Pointer[Prompts]
	asked   bool // the model was asked since it was warmed; used by Run only

	mu     sync.Mutex
	fresh  []llm.Exchange // not reflected on
	unkept []llm.Exchange // exchanges, reflected on or not, that are not in the journal
	ended  bool           // the conversation has ended: all that waits goes into summaries
	age    int            // how often everything was forgotten
}

// NewReflector checks o.
func NewReflector(o ReflectorOptions) (*Reflector, error) {
	if o.Chat == nil || o.Journal == nil || o.Busy == nil || o.Log == nil {
		return nil, errors.New("new reflector: a part is missing")
	}
	o.Quiet = cmp.Or(o.Quiet, quiet)
	r := &Reflector{opt: o, writing: writingOf(o.Language), bell: make(chan struct{}, 1)}
	r.Teach(o.Prompts)
	return r, nil
}

// Teach replaces the prompts.
func (r *Reflector) Teach(p Prompts) {
	p = p.filled()
	r.prompts.Store(&p)
}

// Add takes a finished turn. It never waits for a model. What the user asked not to remember is not
// taken.
func (r *Reflector) Add(e llm.Exchange) {
	if e.User == "" || Private(e.User) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Time = time.Now()
	r.fresh, r.unkept = newest(append(r.fresh, e)), newest(append(r.unkept, e))
	r.ring()
}

func newest(turns []llm.Exchange) []llm.Exchange { return turns[max(0, len(turns)-maxPending):] }

// end says that the conversation has ended, so that its summary is due.
func (r *Reflector) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.ring()
}

// Forget drops the turns that wait, but not those in the journal. When it returns nothing will be
// written of them, nor of what a model is being asked.
func (r *Reflector) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh, r.unkept = nil, nil
	r.age++
}

func (r *Reflector) ring() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// Run reflects until ctx ends. It returns nil.
func (r *Reflector) Run(ctx context.Context) error {
	pause := time.NewTimer(r.opt.Quiet)
	pause.Stop()
	defer pause.Stop()
	r.resume(ctx)
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepLimit)
			defer cancel()
			r.keep(last)
			return nil
		case <-r.opt.Ended:
			r.end()
		case <-r.bell:
			r.keep(ctx)
			pause.Reset(r.opt.Quiet)
		case <-pause.C:
			if r.opt.Busy() {
				pause.Reset(r.opt.Quiet)
				continue
			}
			r.reflect(ctx)
			r.warm(ctx)
		}
	}
}

// warm makes the model read the conversation again, if it was asked something else.
func (r *Reflector) warm(ctx context.Context) {
	if !r.asked || r.opt.Warm == nil {
		return
	}
	r.asked = false
	ctx, cancel := context.WithTimeout(ctx, reflectLimit)
	defer cancel()
	if err := r.opt.Warm(ctx); err != nil && ctx.Err() == nil {
		r.opt.Log.Debug("warm model", "component", "thinker", "error", err)
	}
}

// reflect asks for notes and summaries, for each person apart.
func (r *Reflector) reflect(ctx context.Context) {
	r.mu.Lock()
	age, ended, fresh := r.age, r.ended, r.fresh
	r.fresh, r.ended = nil, false
	r.mu.Unlock()
	for person, turns := range byPerson(fresh) {
		if err := r.note(ctx, age, person, turns); err != nil && ctx.Err() == nil {
			r.opt.Log.Info("reflection failed, nothing noted of the last turns", "component", "memory", "error", err)
		}
	}
	if err := r.merge(ctx, age, ended); err != nil {
		if ctx.Err() == nil {
			r.opt.Log.Info("summary not updated", "component", "memory", "error", err)
		}
		r.mu.Lock()
		r.ended = r.ended || ended // try again with the next turn
		r.mu.Unlock()
	}
}

// write changes the memory; the error is errForgotten when what was read before was forgotten
// meanwhile.
func (r *Reflector) write(age int, change func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.age != age {
		return errForgotten
	}
	return change()
}

// ask returns the whole answer of the model.
func (r *Reflector) ask(ctx context.Context, age int, req llm.Request) (string, error) {
	if err := r.write(age, func() error { return nil }); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, reflectLimit)
	defer cancel()
	r.asked = true
	var b strings.Builder
	for d, err := range r.opt.Chat.Chat(ctx, req) {
		if err != nil {
			return "", err
		}
		b.WriteString(d.Text)
	}
	return b.String(), nil
}

func transcript(turns []llm.Exchange) string {
	var b strings.Builder
	for _, e := range turns {
		fmt.Fprintf(&b, "User: %s\n", e.User)
		if e.Answer != "" {
			fmt.Fprintf(&b, "Assistant: %s\n", e.Answer)
		}
	}
	return b.String()
}

// discretion is how people ask that something is not remembered (private), and the opposite that sounds like it (kept).
var discretion = language.Words("notes.txt")

// Private reports whether a request asks not to be remembered.
func Private(request string) bool {
	words := " " + strings.Join(fold(strings.ReplaceAll(request, "’", "'")), " ") + " "
	for _, phrase := range discretion["kept"] { // "don't forget the milk"
		words = strings.ReplaceAll(words, " "+phrase+" ", " ")
	}
	return slices.ContainsFunc(discretion["private"], func(phrase string) bool {
		return strings.Contains(words, " "+phrase+" ")
	})
}
