package dialogue

import (
	"context"
	"time"
)

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
