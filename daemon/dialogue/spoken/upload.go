// Package spoken carries what a person says to a responder, which answers speech with speech. An
// Upload has one goroutine, which its maker runs: it sends the frames of one utterance from a
// bounded queue, into which they are copied, and sends nothing before Allow. The package must not
// import daemon/dialogue.
package spoken

import (
	"context"
	"iter"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

// Turn is one request to a responder, and its answer. Write and Commit are called by one
// goroutine.
type Turn interface {
	// Write sends speech, mono at audio.Rate.
	Write(samples []int16) error
	// Speech gives channels that are closed when the responder has heard the person begin,
	// and end, if it listens for that.
	Speech() (begun, ended <-chan struct{})
	// Commit says that the person has ended.
	Commit() error
	// Answer yields audio (mono at Rate), its words, what the responder has heard, tool calls
	// and the usage. It fails if it has not begun within begin, or does not go on within goOn
	// while no call waits for its result.
	Answer(ctx context.Context, begin, goOn time.Duration) iter.Seq2[llm.Delta, error]
	// Result hands over the output of a call.
	Result(call, output string)
	// Cut ends the turn after this much of its audio was played. It may be called by any
	// goroutine, and at any time.
	Cut(heard time.Duration)
}

// Rate is the sample rate of a responder's audio.
const Rate = 24000

const (
	// Queue holds the longest utterance: it may be known only at the end whether a responder is
	// asked.
	Queue = 16 * time.Second / audio.FrameDuration
	// maxBatch bounds what is sent at once of an utterance that was held back, in
	// samples: half a second.
	maxBatch = audio.Rate / 2
)

// Upload is an utterance on its way to the responder. Nothing leaves the box
// before Allow, which is called once it is known that a person opened a turn. Its methods
// do nothing for a nil one, of an utterance that stays in the box.
type Upload struct {
	frames  chan audio.Frame // closed at the end of the utterance, by the loop
	allowed chan struct{}    // cap 1
	heard   chan struct{}    // closed when the responder has heard somebody speak
	ended   func()           // called when it has heard the person end
	by      string           // what the person began with: a wake word, or something else
	sent    chan sent        // cap 1; belongs to whoever receives it
	cancel  context.CancelFunc
}

// sent is the turn in which the whole utterance was sent, or why there is none.
type sent struct {
	turn Turn
	err  error
}

// opener is a responder at which turns begin.
type opener interface {
	Open(ctx context.Context, by string) (Turn, error)
}

// New makes the upload of an utterance to r, which run sends until ctx ends or the upload
// is dropped. by is what the person began with, and ended is called once r has heard the end.
func New(ctx context.Context, r opener, by string, ended func()) (up *Upload, run func()) {
	up = &Upload{
		frames: make(chan audio.Frame, Queue), allowed: make(chan struct{}, 1),
		sent: make(chan sent, 1), heard: make(chan struct{}), ended: ended, by: by,
	}
	ctx, up.cancel = context.WithCancel(ctx)
	return up, func() { up.run(ctx, r) }
}

// run sends the utterance, and cuts its turn if nobody takes it.
func (up *Upload) run(ctx context.Context, r opener) {
	turn, err := up.open(ctx, r)
	if err == nil {
		if err = up.send(ctx, turn); err != nil {
			turn.Cut(0)
		}
	}
	up.sent <- sent{turn, err}
	<-ctx.Done()
	select {
	case s := <-up.sent:
		if s.err == nil {
			s.turn.Cut(0)
		}
		up.sent <- sent{err: ctx.Err()}
	default:
	}
}

// open begins the turn once it is allowed.
func (up *Upload) open(ctx context.Context, r opener) (Turn, error) {
	select {
	case <-up.allowed:
		return r.Open(ctx, up.by)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (up *Upload) send(ctx context.Context, turn Turn) error {
	begun, ended := turn.Speech()
	batch := make([]int16, 0, maxBatch)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-begun:
			close(up.heard)
			begun = nil
		case <-ended:
			up.ended()
			ended = nil
		case f, more := <-up.frames:
			if !more {
				return nil
			}
			batch = append(batch[:0], f[:]...)
			for n := len(up.frames); n > 0 && len(batch) < maxBatch; n-- {
				if f, more = <-up.frames; more {
					batch = append(batch, f[:]...)
				}
			}
			if err := turn.Write(batch); err != nil {
				return err
			}
		}
	}
}

// Allow lets the utterance leave the box.
func (up *Upload) Allow() {
	if up == nil {
		return
	}
	select {
	case up.allowed <- struct{}{}:
	default:
	}
}

// Add queues a frame; the loop never waits for a network.
func (up *Upload) Add(f *audio.Frame) {
	if up == nil {
		return
	}
	select {
	case up.frames <- *f:
	default:
		up.cancel() // it is longer than an utterance can be
	}
}

// End says that the utterance is complete.
func (up *Upload) End() {
	if up != nil {
		close(up.frames)
	}
}

// Heard is closed when the responder has heard somebody speak.
func (up *Upload) Heard() <-chan struct{} {
	if up == nil {
		return nil
	}
	return up.heard
}

// Failed reports whether nothing more is sent of an utterance that goes on.
func (up *Upload) Failed() bool { return up == nil || len(up.sent) > 0 }

// Drop gives the utterance up. What was sent of it is cleared there.
func (up *Upload) Drop() {
	if up != nil {
		up.cancel()
	}
}

// Take waits until the whole utterance was sent. Whoever takes the turn cuts it.
func (up *Upload) Take(ctx context.Context) (Turn, error) {
	select {
	case s := <-up.sent:
		return s.turn, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
