package dialogue

import (
	"context"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// sounding reports whether an answer is heard. It may also sound while the next
// sentence is being thought of.
func (m *machine) sounding() bool {
	return m.state == event.Speaking || m.turn != nil && m.opt.Voice.Speaking()
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
		route := m.turn.route()
		m.cutTurn()
		m.arm(opening{by: "barge_in", route: route}, listenWindow)
	}
	m.opt.Voice.Duck(false)
	if m.opt.Wake == WakeButton && m.armed.by == "" { // the answer has ended by itself
		m.drop(u.id)
		return
	}
	m.address(ctx, u)
}

// cutTurn ends the turn that is going on because a person speaks.
func (m *machine) cutTurn() {
	h, old := m.header(), m.turn
	unheard := !m.sounding()
	played := m.cancelTurn(answer.ErrInterrupted)
	if unheard {
		m.sayAgain(old)
	}
	m.opt.Bus.Publish(&event.BargeIn{Header: h, PlayedMS: played.Milliseconds()})
}
