package dialogue

import (
	"context"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/vad"
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

// signal takes one signal from the queue.
func (m *machine) signal(ctx context.Context, s *signal) {
	if m.opt.Inbox.overrun.Swap(false) {
		m.log.Warn("signals were lost, utterances are given up", "component", "dialogue")
		m.dropUtterances()
		m.settle(ctx)
	}
	switch {
	case s.word != nil:
		m.spotted(ctx, s.word, s.score)
		return
	case s.over:
		m.opt.Ears.EndAfter(s.utterance, 0)
		return
	}
	switch s.kind {
	case vad.Onset:
		m.onset(ctx, s)
	case vad.Audio:
		if u := m.utterances[s.utterance]; u != nil && !u.closed {
			u.take(&s.frame)
		}
	case vad.Pause:
		m.paused(s)
	case vad.Sustained:
		m.sustained(ctx, s)
	case vad.End:
		m.speechEnded(s)
		m.utteranceEnded(ctx, s)
	case vad.Discard:
		m.speechEnded(s)
		m.drop(s.utterance)
		m.prepare(ctx)
		if s.reason == vad.Closed { // an answer began, or the device was opened anew
			m.attempt()
		}
		m.chimeIfQuiet()
		m.settle(ctx)
	}
}

// utteranceEnded closes an utterance. If its words are known and nothing was said since,
// they are its transcript.
func (m *machine) utteranceEnded(ctx context.Context, s *signal) {
	u := m.utterances[s.utterance]
	switch {
	case u == nil || u.closed:
		return
	case u.held: // too little voice to have been meant
		m.drop(u.id)
		m.settle(ctx)
		return
	}
	u.end(time.Now(), s.at-s.speech)
	u.voiced, u.level = s.speech, s.level
	m.known(ctx, u)
}

func (m *machine) speechEnded(s *signal) {
	m.opt.Bus.Publish(&event.SpeechEnded{
		Header: m.header(), Utterance: s.utterance, Reason: s.reason.String(), Seconds: (s.speech - m.onsetAt).Duration().Seconds(),
	})
}

// onset decides whether anybody may hear what begins now.
func (m *machine) onset(ctx context.Context, s *signal) {
	if m.muted || m.deaf { // it was captured before the microphone was closed or lost
		return
	}
	m.onsetAt = s.speech
	m.opt.Bus.Publish(&event.SpeechStarted{Header: m.header(), Utterance: s.utterance})
	over := m.sounding() && m.opt.Ears.FullDuplex()
	if m.opt.Wake == WakeOff || m.opt.Wake == WakeButton && m.armed.by == "" && !over {
		return
	}
	if len(m.utterances) >= maxUtterances {
		m.log.Warn("recogniser is behind, an utterance is lost", "component", "dialogue", "utterance", s.utterance)
		m.ignore(s.utterance, "recogniser_failed")
		return
	}
	u := m.ready
	if m.ready = nil; u == nil {
		u = newUtterance()
	}
	u.id = s.utterance
	if m.recording() {
		u.sound = make([]int16, 0, maxRecording)
	} else {
		u.up = m.newUpload(ctx, u.id, m.armed.route)
	}
	u.onset = time.Now().Add((s.at - s.speech).Duration())
	u.taped = m.opt.Sounds != nil && m.opt.Sounds.On() && u.sound == nil
	m.utterances[u.id] = u
	if over && u.cancel == nil {
		u.held = true
		m.opt.Voice.Duck(true)
		return
	}
	m.address(ctx, u)
}

// newUpload is nil when nothing of an utterance may go to a responder.
func (m *machine) newUpload(ctx context.Context, utterance uint64, route string) *spoken.Upload {
	if m.opt.Responder == nil || route == "local" || !m.opt.Responder.Wanted() {
		return nil
	}
	up, run := spoken.New(ctx, m.opt.Responder, func() { m.opt.Inbox.enqueue(signal{utterance: utterance, over: true}) })
	m.wg.Go(run)
	return up
}

// address gives u to the recogniser, as what the window that is open makes of it.
func (m *machine) address(ctx context.Context, u *utterance) {
	u.held, u.armed = false, m.armed
	switch {
	case m.armed.route == "local": // which was not known at its onset
		u.up.Drop()
		u.up = nil
	case m.armed.by != "" && !m.undecided() && len(m.utterances) == 1:
		// A responder has one turn: a second utterance waits until it is known who
		// answers the first.
		u.up.Allow()
	}
	if m.armed.by != "" && m.turn == nil && !m.undecided() {
		m.move(event.Listening)
	}
	if u.cancel == nil {
		m.open(ctx, u)
	}
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

// drop gives up an utterance.
func (m *machine) drop(id uint64) {
	u := m.utterances[id]
	if u == nil {
		return
	}
	delete(m.utterances, id)
	u.up.Drop()
	if u.held {
		m.opt.Voice.Duck(false)
		return
	}
	u.cancel()
	if !u.closed {
		u.close()
	}
}

func (m *machine) dropUtterances() {
	for id := range m.utterances {
		m.drop(id)
	}
}

// dropBefore gives up what was said before the utterance id and is still being
// recognised: its answer would come late.
func (m *machine) dropBefore(id uint64) {
	for old := range m.utterances {
		if old < id {
			m.drop(old)
		}
	}
}

// speechOpen reports whether somebody is speaking or has just been heard.
func (m *machine) speechOpen() bool { return len(m.utterances) > 0 }
