package dialogue

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/spoken"
)

const (
	// frameQueue holds what a person says while the recogniser is being opened.
	frameQueue = 4 * time.Second / audio.FrameDuration
	// maxTape bounds what is kept of the sound of one utterance, in samples.
	maxTape = 30 * audio.Rate
)

// utterance is one stretch of speech on its way through the recogniser.
type utterance struct {
	id      uint64
	opening                     // of the window that it began in
	frames  chan audio.Frame    // closed with the utterance
	asked   chan audio.Position // cap 1; the pause before which the words are wanted
	cancel  context.CancelFunc  // of its recogniser; nil: it has none yet
	up      *spoken.Upload      // its way to the responder, or nil
	held    bool                // it may be a cough: the answer is ducked, and goes on
	voice   bool                // it has enough of it to be words
	lost    bool                // some of its frames
	closed  bool

	message []int16 // as it sounds, or nil: it is a request
	tape    []int16 // of a request, for the owner, or nil

	level     float32        // as vad.Signal tells it
	voiced    audio.Position // where its voice ended, as of the last pause or the end
	soFar     *soFar         // the words up to a pause, once they are known
	peeks     int            // how often they were wanted
	onset     time.Time      // when it began, here
	speechEnd time.Time      // when the last voiced sample was captured
	ended     time.Time      // when it was decided that the utterance is over

	claim *claim      // that its phrase was meant for this box, or nil
	waits *transcript // for the verdict on that, or nil
}

func newUtterance() *utterance {
	return &utterance{frames: make(chan audio.Frame, frameQueue), asked: make(chan audio.Position, 1)}
}

// take queues a frame; the loop never waits for a recogniser.
func (u *utterance) take(f *audio.Frame) {
	u.up.Add(f)
	if u.message != nil {
		u.message = append(u.message, f[:min(len(f), cap(u.message)-len(u.message))]...)
	}
	if u.tape != nil && len(u.tape) < maxTape {
		u.tape = append(u.tape, f[:]...)
	}
	select {
	case u.frames <- *f:
	default:
		u.lost = true
	}
}

// end closes an utterance that is complete, after silence.
func (u *utterance) end(now time.Time, silence audio.Position) {
	u.ended, u.speechEnd = now, now.Add(-silence.Duration())
	u.close()
}

func (u *utterance) close() {
	u.closed = true
	close(u.frames)
	u.up.End()
}
