package dialogue

import (
	"context"
	"errors"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/stt"
)

var (
	// errBehind means that the recogniser could not be opened while 4 s of speech
	// went by.
	errBehind = errors.New("recogniser did not open in time")
	// errCutOff is no fault of the recogniser: the loop lost signals.
	errCutOff = errors.New("end of the utterance was lost")
)

const (
	// patience is how long an utterance waits for its recogniser to open, and for its
	// next frame, which comes after 20 ms if it comes at all.
	patience = 4 * time.Second
	// sttLimit bounds the wait for words after a pause or the end of an utterance.
	sttLimit = 10 * time.Second
)

// words are what a recogniser sends the loop: *soFar or, at last, *transcript.
type words interface{ of() *utterance }

// soFar are the words up to a pause.
type soFar struct {
	u     *utterance
	text  string
	pause audio.Position // where the voice before it ended
	early bool           // they may yet change, and the ones that count follow
	heard
}

// transcript is what the recogniser made of the whole utterance.
type transcript struct {
	u    *utterance
	text string
	err  error
	heard
}

// heard is how well a recogniser heard words.
type heard struct {
	unsure   bool // the person has to be asked whether they said them
	faint    bool // the same, but only before what does harm
	rival    bool // the same, but only before what changes something: other words were about as likely
	rejected bool // what was heard was something else
	by       string
}

func heardIn(t llm.Transcript) heard {
	return heard{unsure: !stt.Sure(t), faint: !stt.Clear(t), rival: t.Rival, rejected: t.Rejected, by: t.By}
}

func (s *soFar) of() *utterance      { return s.u }
func (t *transcript) of() *utterance { return t.u }

// recogniser is the goroutine of one utterance, of which it reads only the channels; the rest
// is the loop's. It may begin before the person does.
type recogniser struct {
	engine stt.Engine
	words  chan<- words
	u      *utterance
}

func (r *recogniser) run(ctx context.Context) {
	t, err := r.transcribe(ctx)
	r.tell(ctx, &transcript{u: r.u, text: t.Text, err: err, heard: heardIn(t)})
}

func (r *recogniser) tell(ctx context.Context, w words) {
	select {
	case r.words <- w:
	case <-ctx.Done():
	}
}

func (r *recogniser) transcribe(ctx context.Context) (t llm.Transcript, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opening := time.AfterFunc(patience, func() { cancel(errBehind) })
	stream, err := r.engine.Open(ctx)
	opening.Stop()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return t, err
	}
	defer stream.Close()
	if err := r.feed(ctx, cancel, stream); err != nil {
		return t, err
	}
	fctx, done := context.WithTimeout(ctx, sttLimit)
	defer done()
	return stream.Finish(fctx)
}

// feed hands frames to stream until the utterance ends. It cancels ctx if they have begun to
// come and stop before that.
func (r *recogniser) feed(ctx context.Context, cancel context.CancelCauseFunc, stream stt.Stream) error {
	next := time.AfterFunc(patience, func() { cancel(errCutOff) })
	next.Stop()
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case at := <-r.u.asked:
			next.Stop()
			if err := r.peek(ctx, stream, at); err != nil {
				return err
			}
			next.Reset(patience)
		case f, more := <-r.u.frames:
			if !more {
				return context.Cause(ctx) // an utterance that was given up is closed too
			}
			next.Reset(patience)
			if err := stream.Write(&f); err != nil {
				return err
			}
		}
	}
}

// peek tells the loop the words up to the pause at position at, if the engine can. The frames
// up to there are in the queue already.
func (r *recogniser) peek(ctx context.Context, stream stt.Stream, at audio.Position) error {
	p, ok := stream.(stt.Peeker)
	if !ok {
		return nil
	}
	for n := len(r.u.frames); n > 0; n-- {
		f := <-r.u.frames
		if err := stream.Write(&f); err != nil {
			return err
		}
	}
	pctx, done := context.WithTimeout(ctx, sttLimit)
	defer done()
	tell := func(t llm.Transcript, early bool) {
		r.tell(ctx, &soFar{u: r.u, text: t.Text, pause: at, early: early, heard: heardIn(t)})
	}
	t, err := p.Peek(pctx, func(t llm.Transcript) { tell(t, true) })
	if errors.Is(err, stt.ErrNoPeek) {
		return nil
	}
	if err != nil {
		return err
	}
	tell(t, false)
	return nil
}
