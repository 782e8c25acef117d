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

// patience is how long an utterance waits for its recogniser to open, and for its
// next frame, which comes after 20 ms if it comes at all.
const patience = 4 * time.Second

// hearing is what the recogniser made of an utterance.
type hearing struct {
	id         uint64
	transcript llm.Transcript
	err        error
}

// recognise is the goroutine of one utterance.
func (d *Dialogue) recognise(ctx context.Context, id uint64, frames <-chan audio.Frame) {
	t, err := d.transcribe(ctx, frames)
	select {
	case d.heard <- hearing{id: id, transcript: t, err: err}:
	case <-ctx.Done():
	}
}

func (d *Dialogue) transcribe(ctx context.Context, frames <-chan audio.Frame) (llm.Transcript, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opening := time.AfterFunc(patience, func() { cancel(errBehind) })
	stream, err := d.opt.Recogniser.Open(ctx)
	opening.Stop()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return llm.Transcript{}, err
	}
	defer stream.Close()
	if err := feed(ctx, cancel, stream, frames); err != nil {
		return llm.Transcript{}, err
	}
	fctx, done := context.WithTimeout(ctx, sttLimit)
	defer done()
	return stream.Finish(fctx)
}

// feed hands the frames to stream until the utterance ends. cancel ends ctx when
// they stop coming before that.
func feed(ctx context.Context, cancel context.CancelCauseFunc, stream stt.Stream, frames <-chan audio.Frame) error {
	next := time.AfterFunc(patience, func() { cancel(errCutOff) })
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case f, more := <-frames:
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
