package engines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/stt"
)

const (
	// awayTime is for how long a service that does not have its model is not asked again, and lostTime for how
	// long one that cannot be reached. Nothing that is said goes there meanwhile.
	awayTime = 5 * time.Minute
	lostTime = 15 * time.Second
	// lateAfter is how long after the end of an utterance the words of the other recogniser are waited for, when
	// the built-in one has some.
	lateAfter = 4 * time.Second
	// builtInLate is how long the built-in one is waited for when the other one is there, or has answered: it is
	// busy then, or being made, which takes seconds on a small box.
	builtInLate = time.Second
)

// errLate says that the built-in recogniser had to be believed.
var errLate = errors.New("the recogniser did not answer in time")

// beside is a recogniser elsewhere, with the built-in one beside it. Both hear every utterance, and stt.Choose
// says which of the two to believe: what the built-in one heard is there also when the other is late or dead.
type beside struct {
	engine stt.Engine
	name   string // of engine
	make   func(context.Context) (stt.Engine, error)
	asks   func(text string) string // what a text is a request for
	phrase *Phrase                  // nil: an utterance needs none
	late   time.Duration

	need   func()        // has Run make local; safe to repeat
	needed chan struct{} // closed by need
	made   chan struct{} // closed by Run when local, or lacks, is there
	local  stt.Engine
	lacks  error // why there is none

	mu    sync.Mutex
	why   error     // what is wrong with engine; nil: nothing
	until time.Time // it is left alone
}

// Phrase is the wake phrase, with which a request begins, where it stands in the transcript only. A server that
// hears anything often writes it as something else.
type Phrase struct {
	Engine stt.Engine // hears the phrase at the beginning of an utterance, and nothing else
	// Called is a text that begins with what sounds like the phrase, with the phrase as it is spelt.
	Called func(text string) (spelt string, ok bool)
}

func newBeside(name string, engine stt.Engine, local func(context.Context) (stt.Engine, error),
	asks func(text string) string, phrase *Phrase) *beside {
	s := &beside{engine: engine, name: name, make: local, asks: asks, phrase: phrase, late: lateAfter,
		needed: make(chan struct{}), made: make(chan struct{})}
	s.need = sync.OnceFunc(func() { close(s.needed) })
	return s
}

// Run makes the built-in recogniser when it is first needed, and ends with ctx.
func (s *beside) Run(ctx context.Context) error {
	select {
	case <-s.needed:
	case <-ctx.Done():
		return nil
	}
	if s.local, s.lacks = s.make(ctx); s.lacks != nil {
		s.lacks = fmt.Errorf("set up the built-in recogniser: %w", s.lacks)
	}
	close(s.made)
	<-ctx.Done()
	return nil
}

// trouble is what is wrong with the recogniser, or nil.
func (s *beside) trouble() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// noted keeps what came of the last use.
func (s *beside) noted(why error, away time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why, s.until = why, time.Now().Add(away)
}

// away reports whether the recogniser is left alone for now.
func (s *beside) away() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why != nil && time.Now().Before(s.until)
}

// failed notes why the recogniser could not be asked. That an utterance was given up is no fault of it: words so
// far may have ended the turn while frames were still coming.
func (s *beside) failed(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if errors.Is(err, llm.ErrModel) {
		s.noted(err, awayTime)
		return
	}
	s.noted(err, lostTime)
}

// errUnmade says that the built-in recogniser is not ready yet.
var errUnmade = errors.New("the built-in recogniser is still being set up")

// openBuiltIn opens the recogniser beside, or says why there is none: it is not installed, knows no such language, or
// is not made yet. Nobody waits long for that where the other one hears.
func (s *beside) openBuiltIn(ctx context.Context, other bool) (stt.Stream, error) {
	var late <-chan time.Time
	if other {
		late = time.After(builtInLate)
	}
	select {
	case <-s.made:
	case <-late:
		return nil, errUnmade
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.lacks != nil {
		return nil, s.lacks
	}
	return s.local.Open(ctx)
}

// Open begins an utterance with both, or with the one that there is.
func (s *beside) Open(ctx context.Context) (stt.Stream, error) {
	st := &besideStream{s: s, why: s.trouble()}
	s.need()
	if !s.away() {
		st.there, st.why = s.engine.Open(ctx)
		if st.why != nil && ctx.Err() == nil {
			s.failed(st.why)
		}
	}
	st.here, st.lacks = s.openBuiltIn(ctx, st.there != nil)
	if st.here == nil && st.there == nil { // what the other one said is what a person can mend
		return nil, errors.Join(st.why, st.lacks)
	}
	if st.there != nil && s.phrase != nil { // without it only the phrase itself is taken for it
		var err error
		if st.call, err = s.phrase.Engine.Open(ctx); err != nil {
			st.call = nil
		}
	}
	return st, nil
}

// besideStream is one utterance. Where one of the two fails, the other goes on.
type besideStream struct {
	s           *beside
	here, there stt.Stream // nil: not there, or failed
	call        stt.Stream // of the wake phrase; nil likewise
	why         error      // the fault of there
	lacks       error      // that of here
}

func (st *besideStream) Write(f *audio.Frame) error {
	if st.here != nil {
		if st.lacks = st.here.Write(f); st.lacks != nil {
			st.drop(&st.here)
		}
	}
	if st.there != nil {
		if st.why = st.there.Write(f); st.why != nil {
			st.s.failed(st.why)
			st.drop(&st.there)
		}
	}
	if st.call != nil && st.call.Write(f) != nil {
		st.drop(&st.call)
	}
	if st.here == nil && st.there == nil {
		return errors.Join(st.why, st.lacks)
	}
	return nil
}

// drop gives one of the two up.
func (st *besideStream) drop(which *stt.Stream) {
	_ = (*which).Close() // it has failed already
	*which = nil
}

// Peek asks both for the words so far. Those of the other one are told early: the built-in one takes longer than the
// pause after which a whole request has ended.
func (st *besideStream) Peek(ctx context.Context, early func(llm.Transcript)) (llm.Transcript, error) {
	here, there, call := st.all(ctx, func(ctx context.Context, s stt.Stream) (llm.Transcript, error) {
		if p, ok := s.(stt.Peeker); ok {
			return p.Peek(ctx, nil)
		}
		return llm.Transcript{}, stt.ErrNoPeek
	}, early)
	defer call.leave(nil)
	switch {
	case here.err != nil && there.err != nil,
		st.there != nil && there.err != nil && !stt.Certain(here.t): // what it hears is not known before the end
		return llm.Transcript{}, stt.ErrNoPeek
	case there.err == nil:
		st.s.noted(nil, 0)
	}
	return st.choose(here, there, call), nil
}

// Finish waits for both, unless what the built-in recogniser heard needs nobody else.
func (st *besideStream) Finish(ctx context.Context) (llm.Transcript, error) {
	here, there, call := st.all(ctx, func(ctx context.Context, s stt.Stream) (llm.Transcript, error) {
		return s.Finish(ctx)
	}, nil)
	defer call.leave(nil)
	switch {
	case st.there == nil, there.left, errors.Is(ctx.Err(), context.Canceled): // it was not asked, or not to its end
	case there.err != nil:
		st.s.failed(there.err)
	default:
		st.s.noted(nil, 0)
	}
	if here.err != nil && there.err != nil { // what the other one says is what a person can mend
		return llm.Transcript{}, errors.Join(there.err, here.err)
	}
	return st.choose(here, there, call), nil
}

// choose says which is believed, and who heard it.
func (st *besideStream) choose(here, there result, call *asked) llm.Transcript {
	here.t.By, there.t.By = builtInName, st.s.name
	t := here.t
	switch {
	case here.err != nil:
		t = there.t
	case there.err == nil:
		t = stt.Choose(here.t, there.t, st.s.asks)
	}
	if t.By != builtInName && call.wait(builtInLate) && call.err == nil && call.t.Text != "" {
		t.Text, _ = st.s.phrase.Called(t.Text)
	}
	return t
}

// builtInName is the recogniser beside, as a configuration names it.
const builtInName = "pocketsphinx"

// result is what one of the two made of it.
type result struct {
	t    llm.Transcript
	err  error
	left bool // it was not waited for, and is not to blame
}

// asked is one of the two at work.
type asked struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	result
}

// ask begins to ask one of the two, in a goroutine. One that is not there has failed with missing already.
func ask(ctx context.Context, s stt.Stream, missing error,
	question func(context.Context, stt.Stream) (llm.Transcript, error)) *asked {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &asked{cancel: cancel, done: make(chan struct{}), result: result{err: missing}}
	go func() {
		defer close(a.done)
		if s != nil {
			a.t, a.err = question(ctx, s)
		}
	}()
	return a
}

// wait reports whether the answer came within a time.
func (a *asked) wait(within time.Duration) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-a.done:
		return true
	case <-late.C:
		return false
	}
}

// leave waits no longer, and has the answer, which may be that it was left.
func (a *asked) leave(why error) result {
	defer a.cancel(nil)
	select {
	case <-a.done:
		return a.result
	default:
	}
	a.cancel(why)
	<-a.done
	if a.err != nil && why != nil {
		a.err = why
	}
	a.left = a.err != nil && why == nil
	return a.result
}

// all asks the two, and at the same time for the wake phrase.
func (st *besideStream) all(ctx context.Context, question func(context.Context, stt.Stream) (llm.Transcript, error),
	early func(llm.Transcript)) (here, there result, call *asked) {
	call = ask(ctx, st.call, errNoPhrase, question)
	here, there = st.both(ctx, question, func(there result) {
		if early != nil {
			early(st.choose(result{err: errEarly}, there, call))
		}
	})
	return here, there, call
}

// errEarly says that the built-in recogniser has not answered yet.
var errEarly = errors.New("it has not answered yet")

// errNoPhrase says that nobody listens for the wake phrase.
var errNoPhrase = errors.New("no wake phrase is listened for")

// both asks the two at the same time, and has them back when it returns. Each waits for the other only as long
// as it is worth it; early is called with what the one there says while the one here is waited for.
func (st *besideStream) both(ctx context.Context, question func(context.Context, stt.Stream) (llm.Transcript, error),
	early func(there result)) (result, result) {
	here, there := ask(ctx, st.here, st.lacks, question), ask(ctx, st.there, st.why, question)
	select {
	case <-here.done:
		switch {
		case here.err != nil || here.t.Text == "": // nothing but the other one's words can help
			<-there.done
		case stt.Certain(here.t):
			return here.leave(nil), there.leave(nil)
		case !there.wait(st.s.late):
			return here.leave(nil), there.leave(errLate)
		}
	case <-there.done:
		if there.err != nil {
			<-here.done
			break
		}
		early(there.result)
		if !here.wait(builtInLate) {
			return here.leave(errLate), there.leave(nil)
		}
	}
	return here.leave(nil), there.leave(nil)
}

func (st *besideStream) Close() error {
	var errs [3]error
	if st.call != nil {
		errs[2] = st.call.Close()
	}
	if st.here != nil {
		errs[0] = st.here.Close()
	}
	if st.there != nil {
		errs[1] = st.there.Close()
	}
	return errors.Join(errs[:]...)
}
