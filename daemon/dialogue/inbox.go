package dialogue

import (
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

const (
	// refractory is the time within which several detections are one word: two
	// spotters hear it, or one twice.
	refractory = 2 * time.Second
	// signalQueue is what the loop may be behind the microphone.
	signalQueue = 4 * time.Second / audio.FrameDuration
)

// Word is a wake word that a spotter hears in the sound itself.
type Word struct {
	Name  string // as the spotter spells it
	Stop  bool   // it silences the speaker and opens nothing
	Route string // the one route that its turns may take, "" for any
}

// Inbox is where the listen goroutine leaves what it hears, for the loop. It is made
// before the front end and before the dialogue, which do not know each other.
type Inbox struct {
	signals chan signal
	overrun atomic.Bool // a signal found the queue full
	words   spotted     // the listen goroutine's only
}

// NewInbox makes one; words are those that the spotters hear beside the wake phrase.
func NewInbox(words []Word) *Inbox {
	return &Inbox{signals: make(chan signal, signalQueue), words: spotted{list: words}}
}

func (in *Inbox) String() string { return "dialogue" }

// signal is a vad.Signal with its frame by value, as it crosses to the loop.
type signal struct {
	kind       vad.Kind
	utterance  uint64
	at, speech audio.Position
	reason     vad.Reason
	frame      audio.Frame
	level      float32
	over       bool  // the responder has heard the end of the utterance
	word       *Word // a wake word, and nothing of the above
	score      float32
}

// Deliver takes a signal of the listen goroutine. It copies and never blocks. If
// the loop is so far behind that the queue is full, the utterances that are open
// then are given up.
func (in *Inbox) Deliver(s *vad.Signal) {
	c := signal{kind: s.Kind, utterance: s.Utterance, at: s.At, speech: s.Speech, reason: s.Reason, level: s.Level}
	if s.Frame != nil {
		c.frame = *s.Frame
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

// Detect takes what a spotter heard and reports whether it opens a turn, so that
// what was said before it is to be forgotten. Like Deliver it is called by the
// listen goroutine and never blocks.
func (in *Inbox) Detect(w wake.Detection) bool {
	word := in.words.take(w)
	if word == nil {
		return false
	}
	in.enqueue(signal{word: word, score: w.Score})
	return !word.Stop
}

// spotted is what the listen goroutine knows of wake words.
type spotted struct {
	list []Word
	last [2]audio.Position // end of the last word that opens, and of the last that stops
	some [2]bool           // there was one
}

// take finds the word of w, unless it is the echo of the one before.
func (s *spotted) take(w wake.Detection) *Word {
	for i := range s.list {
		if s.list[i].Name != w.Name {
			continue
		}
		kind := 0
		if s.list[i].Stop {
			kind = 1
		}
		since := w.Position - s.last[kind]
		if s.some[kind] && max(since, -since) < audio.Samples(refractory) {
			return nil
		}
		s.last[kind], s.some[kind] = w.Position, true
		return &s.list[i]
	}
	return nil
}
