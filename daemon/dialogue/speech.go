package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/vad"
)

// maxUtterances bounds the recognisers that run at once: one listens while
// another may still be deciding.
const maxUtterances = 2

// signal handles one signal of the front end.
func (m *machine) signal(ctx context.Context, s *signal) {
	if m.opt.Inbox.overrun.Swap(false) {
		m.log.Warn("signals were lost, utterances are given up", "component", "dialogue")
		m.dropUtterances()
	}
	if s.word != nil {
		m.spotted(ctx, s.word, s.score)
		return
	}
	if s.Kind == vad.End || s.Kind == vad.Discard {
		m.opt.Bus.Publish(&event.SpeechEnded{
			Header: m.header(), Utterance: s.Utterance, Reason: s.Reason.String(),
			Seconds: (s.Speech - m.onsetAt).Duration().Seconds(),
		})
	}
	u := m.utterances[s.Utterance]
	switch {
	case s.Kind == vad.Onset:
		m.onset(ctx, s)
	case s.Kind == vad.Discard:
		m.discarded(ctx, s)
	case u == nil || u.closed: // nobody listens to it any more
	case s.Kind == vad.Audio:
		u.take(&s.frame)
	case s.Kind == vad.Pause:
		m.paused(ctx, u, s)
	case s.Kind == vad.Sustained:
		m.sustained(ctx, u)
	case s.Kind == vad.End:
		m.utteranceEnded(ctx, u, s)
	}
}

// onset decides whether what begins now is listened to.
func (m *machine) onset(ctx context.Context, s *signal) {
	if m.muted || m.micFails { // it was captured before the microphone was closed or lost
		return
	}
	m.onsetAt = s.Speech
	m.opt.Bus.Publish(&event.SpeechStarted{Header: m.header(), Utterance: s.Utterance})
	over := m.row().onset == ducks && m.sounding() && m.opt.Ears.FullDuplex()
	if m.opt.Wake.Engine == WakeOff || m.opt.Wake.Engine == WakeButton && m.window().by == "" && !over {
		return
	}
	if len(m.utterances) >= maxUtterances {
		m.log.Warn("recogniser is behind, an utterance is lost", "component", "dialogue", "utterance", s.Utterance)
		m.ignore(s.Utterance, recogniserFailed)
		return
	}
	u := m.beginUtterance(ctx, s)
	if over && u.cancel == nil {
		u.held = true
		m.opt.Voice.Duck(true)
		return
	}
	m.listenTo(ctx, u)
}

// beginUtterance makes the utterance that begins with s. It takes the recogniser that is
// ready, if there is one.
func (m *machine) beginUtterance(ctx context.Context, s *signal) *utterance {
	u := m.ready
	if m.ready = nil; u == nil {
		u = newUtterance()
	}
	u.id, u.onset = s.Utterance, time.Now().Add((s.At - s.Speech).Duration())
	m.utterances[u.id] = u
	if m.takesMessage() {
		u.message = make([]int16, 0, maxRecording)
		return u
	}
	if m.newUpload(ctx, u); m.records() || m.opt.Voices != nil {
		u.tape = []int16{}
	}
	return u
}

// newUpload makes the way of u to who may answer it by speech, if somebody may.
func (m *machine) newUpload(ctx context.Context, u *utterance) {
	route := m.window().route
	if t := m.turn(); t != nil && m.window().by == "" { // as the window will be, if this interrupts it
		route = t.route()
	}
	r := m.opt.responder(route)
	if r == nil || !r.Wanted() {
		return
	}
	id := u.id
	up, run := spoken.New(ctx, r, m.window().by, func() {
		select {
		case m.ends <- id:
		case <-ctx.Done():
		}
	})
	u.up, u.house = up, route == answer.House
	m.wg.Go(run)
}

// misleads drops the way of u to a responder that is not on its route, which was not known at its onset.
func (u *utterance) misleads() {
	if u.route == "local" || u.house != (u.route == answer.House) {
		u.up.Drop()
		u.up = nil
	}
}

// listenTo gives u to the recogniser. The window that is open now says whether it needs the
// wake phrase, and who may answer.
func (m *machine) listenTo(ctx context.Context, u *utterance) {
	u.held, u.opening = false, m.window().opening
	if u.misleads(); u.by != "" && m.kind() != contested && len(m.utterances) == 1 {
		// A responder has one turn: a second utterance waits until it is known who
		// answers the first.
		u.up.Allow()
	}
	if u.cancel == nil {
		m.recognise(ctx, u)
	}
}

// sustained means that it is certainly somebody who speaks. Over an answer, that cuts it and
// opens a window for what is said instead. Until then the answer is only ducked, and nobody is
// given what the microphone hears.
func (m *machine) sustained(ctx context.Context, u *utterance) {
	u.voice = true
	if !u.held {
		return
	}
	if m.row().sustained == interrupts && m.sounding() {
		route := m.turn().route()
		m.bargeIn()
		m.openWindow(ctx, &window{opening: opening{byBargeIn, route}}, listenWindow)
	}
	m.opt.Voice.Duck(false)
	if m.opt.Wake.Engine == WakeButton && m.window().by == "" { // the answer has ended by itself
		m.drop(u.id)
		return
	}
	m.listenTo(ctx, u)
}

const (
	// endComplete and endUnfinished are the silences that end an utterance whose words so far
	// are a whole request, or the beginning of one. Otherwise the setting of the front end
	// holds.
	endComplete   = 400 * time.Millisecond
	endUnfinished = 1500 * time.Millisecond
	// maxPeeks bounds how often the recogniser is asked for the words so far of one utterance,
	// so that somebody who thinks aloud does not keep a small box busy.
	maxPeeks = 4
)

// paused asks for the words so far, so that they are known if the pause turns out to be the
// end.
func (m *machine) paused(ctx context.Context, u *utterance, s *signal) {
	switch {
	case u.message != nil: // a message is not a request
	case u.held: // a cough, and the answer goes on
		m.opt.Voice.Duck(false)
	case u.voice && u.peeks < maxPeeks:
		u.voiced = s.Speech
		select {
		case u.asked <- s.Speech:
			u.peeks++
			if u.by != "" {
				m.whose(ctx, u)
			}
		default: // it is still busy with the pause before
		}
	}
}

// utteranceEnded closes an utterance.
func (m *machine) utteranceEnded(ctx context.Context, u *utterance, s *signal) {
	if u.held { // too little voice to have been meant
		m.drop(u.id)
		return
	}
	u.end(time.Now(), s.At-s.Speech)
	u.voiced, u.level = s.Speech, s.Level
	if u.by != "" {
		m.whose(ctx, u)
	}
	m.wholeSoFar(ctx, u)
}

// discarded gives up an utterance that was no speech, or that the front end has cut off.
func (m *machine) discarded(ctx context.Context, s *signal) {
	m.drop(s.Utterance)
	m.prepare(ctx)
	if s.Reason == vad.Closed { // an answer began, or the device was opened again
		m.beginUndetected()
	}
	m.chimeIfQuiet()
}
