package vad

import (
	"fmt"
	"time"

	"hearthd/audio"
)

// Manual cuts utterances out of a stream where no detector can run: one begins when a person asks
// to be heard (Restart, DiscardOpen), and ends when somebody else has heard its end (EndAfter), or
// at the cap. It takes the place of a Segmenter.
type Manual struct {
	settings
	meter audio.Meter
	next  audio.Position // where the next frame should begin
	begun bool
	from  audio.Position // what was before belongs to a wake word or another utterance
	asked bool           // the next frame is of an utterance
	open  bool
	over  bool // its end was heard
	start audio.Position
	sig   Signal // the one signal that emit sees, reused
	count uint64
}

// NewManual checks the options, of which it uses those that need no detector.
func NewManual(o Options) (*Manual, error) {
	set, err := NewSettings(o, audio.FrameSamples)
	if err != nil {
		return nil, err
	}
	return &Manual{settings: set.settings}, nil
}

// String names its stages.
func (m *Manual) String() string {
	return fmt.Sprintf("pre-roll of %v → button and wake word", m.preRoll.Duration())
}

// Push takes the next frame, which begins at position at, and calls emit with what
// follows from it.
func (m *Manual) Push(f *audio.Frame, at audio.Position, emit func(*Signal)) {
	if m.begun && (at < m.next || at-m.next >= m.maxGap) {
		m.stop(Gap, emit)
	}
	m.begun, m.next = true, at+audio.FrameSamples
	m.meter.Push(f[:])
	m.ring.Push(f, at)
	switch {
	case m.open:
		m.emit(emit, Signal{Kind: Audio, At: at, Frame: f})
	case m.asked:
		m.begin(emit)
	default:
		return
	}
	switch {
	case m.over:
		m.finish(End, Silence, emit)
	case m.next-m.start >= m.end.maxUtterance:
		m.finish(End, Cap, emit)
	}
}

// begin opens an utterance and passes the pre-roll on, with the last frame.
func (m *Manual) begin(emit func(*Signal)) {
	m.count++
	m.open, m.asked, m.over = true, false, false
	m.from = min(m.from, m.next)                                                   // it may be of another stream
	since := max(m.next-audio.FrameSamples-m.preRoll, m.from+audio.FrameSamples-1) // of whole frames
	m.start = m.next - audio.FrameSamples
	m.ring.each(since, func(_ *audio.Frame, at audio.Position) { m.start = min(m.start, at) })
	m.emit(emit, Signal{Kind: Onset, At: m.start, Speech: m.start})
	m.ring.each(since, func(f *audio.Frame, at audio.Position) {
		m.emit(emit, Signal{Kind: Audio, At: at, Frame: f})
	})
}

// Restart says that a wake word ended at from: what follows it is an utterance.
func (m *Manual) Restart(from audio.Position, emit func(*Signal)) {
	m.from = from
	m.DiscardOpen(emit)
}

// DiscardOpen discards what is open; what comes next is an utterance.
func (m *Manual) DiscardOpen(emit func(*Signal)) {
	if m.open {
		m.finish(Discard, Woken, emit)
	}
	m.asked = true
}

// EndAfter ends the utterance with the next frame: its end was heard.
func (m *Manual) EndAfter(utterance uint64, _ time.Duration) {
	m.over = m.over || m.open && m.count == utterance
}

// Adjust makes it use other settings, unless an utterance is open.
func (m *Manual) Adjust(to *Settings) bool {
	if m.open {
		return false
	}
	m.settings = to.settings
	return true
}

// Flush ends the stream: an open utterance is discarded, and the next frame may have any position.
// An utterance that was asked for still begins.
func (m *Manual) Flush(emit func(*Signal)) { m.stop(Closed, emit) }

func (m *Manual) stop(r Reason, emit func(*Signal)) {
	if m.open {
		m.finish(Discard, r, emit)
	}
	m.begun = false
	m.ring.Reset()
}

func (m *Manual) finish(k Kind, r Reason, emit func(*Signal)) {
	m.open, m.over = false, false
	m.emit(emit, Signal{Kind: k, At: m.next, Speech: m.next, Reason: r})
	if k == End {
		m.from = m.next
	}
}

func (m *Manual) emit(emit func(*Signal), sig Signal) {
	m.sig = sig
	m.sig.Utterance = m.count
	emit(&m.sig)
	m.sig.Frame = nil
}

// Reading is what the meter shows; there is no probability.
func (m *Manual) Reading() Reading { return Reading{Level: m.meter.Level(), Floor: m.meter.Floor()} }

// Spoken is always true: who speaks is not known.
func (m *Manual) Spoken() bool { return true }
