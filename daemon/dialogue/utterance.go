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
	// maxTape bounds the sound of one utterance that is kept, in samples.
	maxTape = 30 * audio.Rate
)

// utterance is one stretch of speech on its way through the recogniser.
type utterance struct {
	id      uint64
	opening                     // of the window in which it began
	frames  chan audio.Frame    // closed with the utterance
	asked   chan audio.Position // cap 1; the pause up to which the words are wanted
	cancel  context.CancelFunc  // of its recogniser; nil: it has none yet
	up      *spoken.Upload      // its way to the responder, or nil
	house   bool                // up leads to Home Assistant
	held    bool                // it may be a cough: the answer is only ducked, and no recogniser listens yet
	voice   bool                // there is enough of it to be words
	lost    bool                // frames of it were lost
	unsure  bool                // its words are a guess, which the person is asked about
	faint   bool                // they were not heard clearly
	rival   bool                // other words were about as likely
	heardBy string              // the recogniser, where there are several
	closed  bool

	message []int16 // its sound, if it is a message to be recorded; or nil
	tape    []int16 // its sound, for the owner's recordings and for who speaks; or nil
	speaker *speaker

	level     float32        // as in vad.Signal
	voiced    audio.Position // where its voice ended, as of the last pause or the end
	soFar     *soFar         // the words up to a pause, once they are known
	peeks     int            // how often they were asked for
	onset     time.Time      // when it began
	speechEnd time.Time      // when the last voiced sample was captured
	ended     time.Time      // when it was decided that the utterance is over

	claim *claim      // of the wake phrase with which it begins, or nil
	waits *transcript // until the verdict on claim; or nil
}

func newUtterance() *utterance {
	return &utterance{frames: make(chan audio.Frame, frameQueue), asked: make(chan audio.Position, 1)}
}

// take queues a frame. It never waits for a recogniser.
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
