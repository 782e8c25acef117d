package ears

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/daemon/queue"
	"hearthd/daemon/refusal"
	"hearthd/vad"
	"hearthd/vad/wake/remote"
)

// enrollWait is how long a person may take to begin to speak.
const enrollWait = 20 * time.Second

// Recorder takes utterances away from the dialogue while a word or a voice is enrolled. The
// listen goroutine calls take; everything else is the enrolment's.
type Recorder struct {
	muted   func() bool
	discard func() // discards the utterance that is open

	blank chan []int16  // cap 1: an empty buffer for the recording that is wanted
	full  chan []int16  // cap 1: the recording
	busy  chan struct{} // cap 1: full while something is enrolled

	overheard chan remote.Talk // what is said while somebody wants to know
	wanted    atomic.Bool

	// These belong to the listen goroutine:
	talk   []int16 // the utterance that is overheard; nil: none
	since  audio.Position
	taking bool    // the open utterance is a recording
	now    []int16 // its samples so far; nil: nobody waits for it
}

func newRecorder(muted func() bool, discard func()) *Recorder {
	return &Recorder{muted: muted, discard: discard, blank: make(chan []int16, 1), full: make(chan []int16, 1),
		busy: make(chan struct{}, 1), overheard: make(chan remote.Talk, maxOverheard)}
}

const (
	// maxOverheard utterances wait for whoever overhears them, and of each so many samples are kept.
	maxOverheard = 4
	maxTalk      = 30 * audio.Rate
)

// Overhear yields what is said, which is answered as ever. Only one may overhear at a time.
func (r *Recorder) Overhear(ctx context.Context) iter.Seq2[remote.Talk, error] {
	return func(yield func(remote.Talk, error) bool) {
		if !r.wanted.CompareAndSwap(false, true) {
			yield(remote.Talk{}, refusal.Error("another phrase is being tuned"))
			return
		}
		defer r.wanted.Store(false)
		for {
			select {
			case t := <-r.overheard:
				if !yield(t, nil) {
					return
				}
			case <-ctx.Done():
				yield(remote.Talk{}, ctx.Err())
				return
			}
		}
	}
}

// overhear copies a signal of the segmenter for who wants it.
func (r *Recorder) overhear(s *vad.Signal) {
	switch {
	case s.Kind == vad.Onset && r.wanted.Load():
		r.talk, r.since = make([]int16, 0, maxTalk), s.Speech
	case s.Kind == vad.Audio && len(r.talk)+len(s.Frame) <= cap(r.talk):
		r.talk = append(r.talk, s.Frame[:]...)
	case s.Kind == vad.End && r.talk != nil:
		speech := min(s.Speech-r.since, audio.Position(len(r.talk)))
		queue.Offer(r.overheard, remote.Talk{Samples: r.talk, Speech: speech.Duration()})
		r.talk = nil
	case s.Kind == vad.Discard:
		r.talk = nil
	}
}

// Begin has utterances recorded, and nobody answers them, until end is called.
func (r *Recorder) Begin() (end func(), err error) {
	if r.muted() {
		return nil, refusal.Error("hearthd is muted; run hearthctl unmute")
	}
	select {
	case r.busy <- struct{}{}:
	default:
		return nil, refusal.Error("another word or voice is being enrolled")
	}
	r.discard()
	return func() { <-r.busy }, nil
}

// recording reports whether something is being enrolled.
func (r *Recorder) recording() bool { return len(r.busy) > 0 }

// take takes a signal of the segmenter, and reports whether it belongs to a recording. While
// something is enrolled every utterance does, even if nobody waits for one.
func (r *Recorder) take(s *vad.Signal) bool {
	r.overhear(s)
	switch s.Kind {
	case vad.Onset:
		r.taking = r.recording()
		if !r.taking {
			return false
		}
		select {
		case r.now = <-r.blank:
		default:
			r.now = nil
		}
		return true
	case vad.Audio:
		if r.taking && len(r.now)+len(s.Frame) <= cap(r.now) {
			r.now = append(r.now, s.Frame[:]...)
		}
		return r.taking
	case vad.End, vad.Discard:
		if !r.taking {
			return false
		}
		r.taking = false
		switch {
		case r.now == nil:
		case s.Kind == vad.Discard: // a click; it is still to come
			queue.Offer(r.blank, r.now[:0])
		default:
			queue.Offer(r.full, r.now)
		}
		r.now = nil
		return true
	}
	return r.taking
}

// empty discards what an aborted enrolment has left behind.
func (r *Recorder) empty() {
	for _, c := range []chan []int16{r.blank, r.full} {
		select {
		case <-c:
		default:
		}
	}
}

// Record waits for one utterance, of which it keeps so many samples at most. The caller has begun.
func (r *Recorder) Record(ctx context.Context, most int) ([]int16, error) {
	r.empty()
	queue.Offer(r.blank, make([]int16, 0, most))
	limit := time.NewTimer(enrollWait)
	defer limit.Stop()
	select {
	case x := <-r.full:
		return x, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-limit.C:
		return nil, errNobody
	}
}

var errNobody = refusal.Error("nothing was heard within 20 s; hearthctl mic test shows why")
