package dialogue

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/llm"
)

// maxTape bounds what is kept of the sound of one utterance, in samples.
const maxTape = 30 * audio.Rate

// utterance is one stretch of speech on its way through the recogniser.
type utterance struct {
	id     uint64
	armed  opening // what made the wake phrase unnecessary at its onset
	frames chan audio.Frame
	asked  chan audio.Position // cap 1; the pause before which the words are wanted
	up     *spoken.Upload      // its way to the responder, or nil
	held   bool                // it may be a cough that the answer goes on through; no recogniser yet
	voice  bool                // it has enough of it to be words
	behind bool                // frames were lost
	taped  bool                // its sound is kept for the owner
	tape   []int16
	closed bool
	cancel context.CancelFunc // nil until it has a recogniser

	level  float32        // as vad.Signal tells it
	voiced audio.Position // where its voice ended, as of the last pause or the end
	onset  time.Time      // when it began, here
	claim  *claim         // that its phrase was meant for this box, or nil
	waits  *hearing       // what is done when that is known, or nil

	sound []int16 // of a message that is recorded, or nil

	sofar *llm.Transcript // the words up to a pause, once they are known
	at    audio.Position  // where the voice before that pause ended
	peeks int             // how often the words were wanted

	speechEnd time.Time // when the last voiced sample was captured
	ended     time.Time // when it was decided that the utterance is over
}

func newUtterance() *utterance {
	return &utterance{frames: make(chan audio.Frame, frameQueue), asked: make(chan audio.Position, 1)}
}

// take queues a frame; the loop never waits for a recogniser.
func (u *utterance) take(f *audio.Frame) {
	u.up.Add(f)
	if u.sound != nil {
		u.sound = append(u.sound, f[:min(len(f), cap(u.sound)-len(u.sound))]...)
	}
	if u.taped && len(u.tape) < maxTape {
		u.tape = append(u.tape, f[:]...)
	}
	select {
	case u.frames <- *f:
	default:
		u.behind = true
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
