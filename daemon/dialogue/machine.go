package dialogue

import (
	"cmp"
	"log/slog"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// machine is the state of the loop; only Run's goroutine touches it.
type machine struct {
	opt *Options
	log *slog.Logger
	wg  sync.WaitGroup

	words    chan words         // of recognisers
	ends     chan uint64        // utterances of which a responder has heard the end
	reports  chan answer.Report // of turns
	verdicts chan ruling        // of other boxes
	stopped  <-chan struct{}    // closed when the loop has ended

	situation situation   // what goes on
	question  question    // that has no answer yet
	outbox    outbox      // what waits to be said
	shown     event.State // what others were told last

	muted      bool
	micFails   bool // the microphone does not work
	volume     int
	lastTurn   uint64
	session    uint64
	sessionEnd time.Time
	previous   <-chan struct{} // closed when the previous turn has left the conversation

	onsetAt      audio.Position        // first voiced frame of the newest utterance
	utterances   map[uint64]*utterance // open or being recognised
	ready        *utterance            // a recogniser that waits for somebody to speak, or nil
	complainedAt time.Time             // when the last earcon about a failing recogniser was played

	windowEnd *time.Timer
	chime     *time.Timer // until the earcon of a wake word is due
}

func newMachine(opt *Options, stopped <-chan struct{}) *machine {
	m := &machine{
		opt: opt, log: opt.Log,
		words: make(chan words), ends: make(chan uint64), reports: make(chan answer.Report),
		verdicts: make(chan ruling), stopped: stopped,
		situation: &window{}, shown: event.Starting,
		muted: opt.Settings.Muted(), volume: opt.Settings.Volume(), lastTurn: opt.Turns.Load(),
		utterances: make(map[uint64]*utterance),
		windowEnd:  time.NewTimer(time.Hour), chime: time.NewTimer(time.Hour),
	}
	m.windowEnd.Stop()
	m.chime.Stop()
	m.opt.Voice.SetVolume(m.volume)
	m.opt.Ears.SetMuted(m.muted)
	return m
}

// row says what each event does now.
func (m *machine) row() *row { return &table[m.kind()] }

func (m *machine) kind() kind {
	k := m.situation.kind()
	if m.turn() == nil && k != contested && m.addressed() {
		return speaking
	}
	return k
}

// addressed reports whether somebody is speaking to the box, or has spoken and is being
// recognised.
func (m *machine) addressed() bool {
	for _, u := range m.utterances {
		if u.by != "" && !u.held {
			return true
		}
	}
	return false
}

// show plays media as loud as the situation has it, and publishes the state, if it has changed.
func (m *machine) show() {
	m.opt.Voice.DuckMedia(m.row().media == softly)
	from := m.shown
	if m.shown = m.state(); m.shown == from {
		return
	}
	m.opt.Activity.set(m.shown)
	m.opt.Bus.Publish(&event.StateChanged{Header: m.header(), From: from, To: m.shown})
}

// state is what others see of the situation.
func (m *machine) state() event.State {
	shown := m.row().shown
	if shown == itsOwn {
		shown = cmp.Or(m.turn().state, event.Idle)
	}
	switch {
	case shown != event.Idle:
		return shown
	case m.muted:
		return event.Muted
	case m.micFails:
		return event.Faulted
	}
	return event.Idle
}

// turn is the current one, or nil.
func (m *machine) turn() *turn {
	if b, ok := m.situation.(*busy); ok {
		return b.turn
	}
	return nil
}

// window is the open one, or a closed one.
func (m *machine) window() *window {
	if b, ok := m.situation.(*busy); ok {
		return b.window
	}
	return m.situation.(*window)
}

// setWindow replaces it.
func (m *machine) setWindow(w *window) {
	if b, ok := m.situation.(*busy); ok {
		b.window = w
	} else {
		m.situation = w
	}
}

// ring is what rings or waits to ring, or nil. The last ring may still be the current turn when it
// is over and a new one already waits.
func (m *machine) ring() *answer.Ring {
	if r := m.outbox.ring(); r != nil || m.turn() == nil {
		return r
	}
	r, _ := m.turn().Request.(*answer.Ring)
	return r
}

// ringHeard reports whether something rings that may have been heard.
func (m *machine) ringHeard() bool {
	r := m.ring()
	return r != nil && r.Heard()
}

// sounding reports whether an answer can be heard, even if its next sentence is still being
// written.
func (m *machine) sounding() bool {
	t := m.turn()
	return t != nil && (t.state == event.Speaking || m.opt.Voice.Speaking())
}

// hears returns why the box cannot hear anybody, or nil if it can.
func (m *machine) hears() error {
	switch {
	case m.muted:
		return errMuted
	case m.micFails:
		return errNoMic
	case m.opt.Wake.Engine == WakeOff:
		return errVoice
	}
	return nil
}

// header is that of the current turn.
func (m *machine) header() event.Header {
	if t := m.turn(); t != nil {
		return t.Header
	}
	return event.Header{}
}
