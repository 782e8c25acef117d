package dialogue

import (
	"context"
	"errors"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// complaintPause is how often an earcon says that the recogniser does not work,
// when nobody is known to have asked for anything.
const complaintPause = time.Minute

// transcript decides whether what was heard opens a turn.
func (m *machine) transcript(ctx context.Context, u *utterance, h hearing) {
	if m.contested(u, h) {
		u.cancel()
		u.waits = &h
		return
	}
	delete(m.utterances, u.id)
	u.cancel()
	defer func() { u.up.Drop() }()
	if h.err == nil && u.behind {
		h.err = errBehind
	}
	if !errors.Is(h.err, errCutOff) {
		m.opt.Health.Heard(h.err)
	}
	if u.sound != nil && m.recorded(ctx, u, h.transcript.Text) {
		return
	}
	if h.err != nil {
		m.log.Warn("transcribe utterance", "component", "stt", "error", h.err)
		if u.armed.byHand() && u.up != nil {
			m.request(ctx, u, u.armed, "")
			return
		}
		m.unheard(ctx, u, "recogniser_failed", answer.SayEarsGone)
		return
	}
	text := h.transcript.Text
	by := u.armed
	if m.opt.Wake == WakePhrase {
		if rest, ok := m.opt.Matcher.Wake(text); ok {
			text = rest
			if !by.byHand() {
				by = opening{by: "phrase"}
			}
			if text == "" {
				m.dropBefore(u.id)
				m.wakeAlone(ctx)
				return
			}
		}
	}
	if by.by == "" && m.endsRinging(text) {
		by = opening{by: "ringing"}
	}
	switch {
	case by.by == "", m.stray(by, text):
		m.ignore(u.id, answer.NotAddressed)
		m.settle(ctx)
	case m.stranger(u, text):
		m.unheard(ctx, u, otherVoice, answer.SayUnanswered)
	case text == "" && !(by.byHand() && u.up != nil):
		m.unheard(ctx, u, "not_understood", answer.SayNotUnderstood)
	default:
		m.request(ctx, u, by, text)
	}
}

// request begins the turn that answers u. Without a text only the responder can.
func (m *machine) request(ctx context.Context, u *utterance, by opening, text string) {
	m.dropBefore(u.id)
	up := u.up
	u.up = nil
	var waited time.Duration
	if u.claim != nil {
		waited = u.claim.waited
	}
	m.begin(ctx, &answer.Spoken{
		Query: answer.Query{Text: text}, Waited: waited, By: by.by, Route: by.route, Sound: u.sound, Tape: u.tape, Upload: up,
		Level: u.level, SpeechEnd: u.speechEnd, Ended: u.ended,
	})
}

// wakeAlone answers "hey hearth" and nothing else. Who has gone on speaking
// meanwhile has the window already, and needs no chime.
func (m *machine) wakeAlone(ctx context.Context) {
	m.opt.Bus.Publish(&event.Woken{By: "phrase"})
	for _, u := range m.utterances {
		u.armed = opening{by: "phrase"}
	}
	if m.speechOpen() && m.turn() == nil {
		m.arm(opening{by: "phrase"}, listenWindow)
		m.move(event.Listening)
		return
	}
	if err := m.listen(ctx, "phrase"); err != nil {
		m.rest(ctx)
	}
}

func (m *machine) ignore(id uint64, reason string) {
	m.opt.Bus.Publish(&event.Ignored{Utterance: id, Reason: reason})
}

// unheard ends an utterance without words. Somebody who opened the window by
// hand is told; what merely fell into a follow-up window is passed over. A
// recogniser that does not work may have missed the wake phrase, so an earcon
// says so, but not for every sentence in the room.
func (m *machine) unheard(ctx context.Context, u *utterance, reason, apology string) {
	m.ignore(u.id, reason)
	if m.askAgain(ctx, u) {
		return
	}
	if !u.armed.byHand() {
		if now := time.Now(); reason == "recogniser_failed" && now.After(m.complained.Add(complaintPause)) {
			m.complained = now
			m.opt.Voice.Cue(cue.Failed)
		}
		m.settle(ctx)
		return
	}
	m.disarm()
	m.opt.Voice.Cue(cue.Failed)
	if m.unanswered(ctx) {
		m.settle(ctx)
		return
	}
	if err := m.announce(ctx, &answer.Announcement{Text: apology}); err != nil {
		m.log.Warn("announce apology", "component", "dialogue", "error", err)
	}
	m.settle(ctx)
}

// settle leaves Listening when nobody speaks and no window is open that a person
// opened by hand.
func (m *machine) settle(ctx context.Context) {
	if m.turn() == nil && m.state == event.Listening && !m.speechOpen() && !m.armed().byHand() {
		m.unanswered(ctx)
		m.rest(ctx)
	}
}

const (
	// endComplete and endUnfinished are the silences that end an utterance whose
	// words so far are a whole request, or the beginning of one. What cannot be told
	// ends after the silence that the front end is set to.
	endComplete   = 400 * time.Millisecond
	endUnfinished = 1500 * time.Millisecond
	// maxPeeks bounds how often the recogniser is asked for the words so far of one
	// utterance: somebody who thinks aloud must not keep a small box busy.
	maxPeeks = 4
)

// paused asks for the words so far, so that they are known when the pause turns
// out to be the end.
func (m *machine) paused(s *signal) {
	u := m.utterances[s.utterance]
	switch {
	case u == nil || u.closed, u.sound != nil: // a message is not a request
	case u.held: // a cough, and the answer goes on
		m.opt.Voice.Duck(false)
	case u.voice && u.peeks < maxPeeks:
		u.voiced = s.speech
		select {
		case u.asked <- s.speech:
			u.peeks++
		default: // it is still busy with the pause before
		}
	}
}

// hear takes what a recogniser says.
func (m *machine) hear(ctx context.Context, h hearing) {
	u := h.u
	switch {
	case u == m.ready: // it failed before anybody spoke; the next one may work
		m.unprepare()
		m.opt.Health.Heard(h.err)
	case m.utterances[u.id] != u || u.waits != nil: // given up meanwhile, or known
	case h.sofar:
		u.sofar, u.at = &h.transcript, h.pause
		m.expect(u)
		m.known(ctx, u)
	default:
		m.transcript(ctx, u, h)
	}
}

// expect tells the front end how long this pause may be, if the person has not
// gone on meanwhile.
func (m *machine) expect(u *utterance) {
	text, armed := u.sofar.Text, u.armed.by != ""
	if m.opt.Wake == WakePhrase {
		if rest, ok := m.opt.Matcher.Wake(text); ok {
			text, armed = rest, true
			if !u.armed.byHand() {
				m.phraseHeard(u) // it is known, then, when the person has ended
			}
		}
	}
	if !armed {
		u.peeks = maxPeeks // nobody asked for anything
		return
	}
	if u.closed || u.at != u.voiced || text == "" {
		return
	}
	whole, begun := m.opt.Matcher.Completeness(text)
	switch {
	case whole:
		m.opt.Ears.EndAfter(u.id, endComplete)
	case begun:
		m.opt.Ears.EndAfter(u.id, endUnfinished)
	}
}

// known takes the words so far for the transcript of an utterance that has ended
// and of which they are all.
func (m *machine) known(ctx context.Context, u *utterance) {
	if u.closed && u.sofar != nil && u.at == u.voiced {
		m.transcript(ctx, u, hearing{u: u, transcript: *u.sofar})
	}
}
