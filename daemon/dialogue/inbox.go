package dialogue

import (
	"slices"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

const (
	// refractory is the time within which several detections are the same word: two spotters
	// heard it, or one of them twice.
	refractory = 2 * time.Second
	// signalQueue is how far the loop may be behind the microphone.
	signalQueue = 4 * time.Second / audio.FrameDuration
)

// Word is a wake word that a spotter hears in the sound itself.
type Word struct {
	Name  string // as the spotter spells it
	Stop  bool   // it silences the speaker and opens nothing
	Route string // the one route that its turns may take, "" for any
}

// Inbox carries what the listen goroutine hears to the loop. It is made first, so that the
// front end and the dialogue need not know each other.
type Inbox struct {
	signals chan signal
	overrun atomic.Bool // a signal found the queue full

	words []Word
	last  map[bool]audio.Position // by Word.Stop, where the last such word ended; only the listen goroutine uses it
}

// NewInbox makes one. words are those that spotters listen for, beside the wake phrase.
func NewInbox(words []Word) *Inbox {
	return &Inbox{signals: make(chan signal, signalQueue), words: words, last: make(map[bool]audio.Position)}
}

func (in *Inbox) String() string { return "dialogue" }

// signal is a vad.Signal with its frame by value, as it crosses to the loop.
type signal struct {
	vad.Signal
	frame audio.Frame
	word  *Word // a spotter heard it, and nothing above is set
	score float32
}

// Deliver takes a signal from the listen goroutine. It copies the frame and never blocks:
// if the queue is full, the loop will give up the utterances that are open.
func (in *Inbox) Deliver(s *vad.Signal) {
	c := signal{Signal: *s}
	if s.Frame != nil {
		c.frame, c.Frame = *s.Frame, nil
	}
	in.enqueue(c)
}

func (in *Inbox) enqueue(s signal) {
	select {
	case in.signals <- s:
	default:
		in.overrun.Store(true)
	}
}

// Detect takes a detection from a spotter and reports whether it opens a window, so that what
// was said before it can be discarded. Like Deliver it is called by the listen goroutine and
// never blocks.
func (in *Inbox) Detect(w wake.Detection) bool {
	i := slices.IndexFunc(in.words, func(word Word) bool { return word.Name == w.Name })
	if i < 0 {
		return false
	}
	word := &in.words[i]
	last, before := in.last[word.Stop]
	since := w.Position - last
	if before && max(since, -since) < audio.Samples(refractory) {
		return false
	}
	in.last[word.Stop] = w.Position
	in.enqueue(signal{word: word, score: w.Score})
	return !word.Stop
}
