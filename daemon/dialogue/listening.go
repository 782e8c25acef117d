package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/vad"
)

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
		Header: m.header(), Utterance: s.utterance, Reason: s.reason.String(),
		Seconds: (s.speech - m.onsetAt).Duration().Seconds(),
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
	if m.opt.Wake == WakeOff || m.opt.Wake == WakeButton && m.armed().by == "" && !over {
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
		u.up = m.newUpload(ctx, u.id, m.armed().route)
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
	u.held, u.armed = false, m.armed()
	switch {
	case m.armed().route == "local": // which was not known at its onset
		u.up.Drop()
		u.up = nil
	case m.armed().by != "" && !m.undecided() && len(m.utterances) == 1:
		// A responder has one turn: a second utterance waits until it is known who
		// answers the first.
		u.up.Allow()
	}
	if m.does(onSpeech) == listens {
		m.move(event.Listening)
	}
	if u.cancel == nil {
		m.recognise(ctx, u)
	}
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

// recognise gives u a recogniser.
func (m *machine) recognise(ctx context.Context, u *utterance) {
	ctx, u.cancel = context.WithCancel(ctx)
	r := &recogniser{engine: m.opt.Recogniser, heard: m.heard, u: u}
	m.wg.Go(func() { r.run(ctx) })
}

// prepare opens a recogniser for what a person is about to say, so that its first
// frame need not wait.
func (m *machine) prepare(ctx context.Context) {
	if m.ready == nil && m.armed().byHand() {
		if m.opt.Responder != nil && m.armed().route != "local" && !m.recording() {
			m.opt.Responder.Prepare()
		}
		m.ready = newUtterance()
		m.recognise(ctx, m.ready)
	}
}

// unprepare gives the recogniser up that nobody has spoken to.
func (m *machine) unprepare() {
	if m.ready != nil {
		m.ready.cancel()
		m.ready = nil
	}
}

// attempt begins an utterance in the window that a person has opened, where no
// detector does.
func (m *machine) attempt() {
	if m.opt.Blind && m.armed().byHand() {
		m.opt.Ears.DiscardOpen()
	}
}

// windowSilent ends, where no detector does, the utterance in which nobody was heard
// to speak in time. Where nobody has listened for that, it is a request all the same.
func (m *machine) windowSilent() {
	if !m.opt.Blind {
		return
	}
	for id, u := range m.utterances {
		if u.closed {
			continue
		}
		select {
		case <-u.up.Heard():
			continue // the person still speaks
		default:
		}
		m.opt.Ears.EndAfter(id, 0)
		if !u.up.Fails() {
			m.drop(id)
		}
	}
}

// sustained takes it for certain that somebody speaks over the answer: it is cut,
// and a window opens for what the person says instead. Until then the answer was
// only ducked, and nobody was given what the microphone heard.
func (m *machine) sustained(ctx context.Context, s *signal) {
	u := m.utterances[s.utterance]
	if u == nil {
		return
	}
	u.voice = true
	if !u.held {
		return
	}
	if m.sounding() {
		route := m.turn().route()
		m.cutTurn()
		m.arm(opening{by: "barge_in", route: route}, listenWindow)
	}
	m.opt.Voice.Duck(false)
	if m.opt.Wake == WakeButton && m.armed().by == "" { // the answer has ended by itself
		m.drop(u.id)
		return
	}
	m.address(ctx, u)
}
