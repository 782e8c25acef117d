package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// sessionIdle is how long nobody speaks until a session ends.
const sessionIdle = time.Hour

// begin starts a turn. It supersedes the current one, and a person's request closes the
// window.
func (m *machine) begin(ctx context.Context, req answer.Request) {
	if m.row().request == supersedes {
		old := m.turn()
		m.cancelTurn(answer.ErrSuperseded)
		m.sayAgain(old)
	}
	now := time.Now()
	m.lastTurn = m.opt.Turns.Add(1)
	if m.session == 0 || now.After(m.sessionEnd) {
		m.session = m.lastTurn
		m.opt.Answers.NewSession()
	}
	tctx, end := context.WithCancelCause(ctx)
	t := &turn{
		Turn: &answer.Turn{
			Header: event.Header{Session: m.session, Turn: m.lastTurn}, Request: req, Begun: now,
			Over: make(chan struct{}),
		},
		conversation: m.window().conversation, end: end,
	}
	m.opt.Voice.Wake()
	before := m.previous
	m.situation, m.previous = &busy{t, m.window()}, t.Over
	switch req := req.(type) {
	case *answer.Spoken:
		m.asked(&req.Query, true, &event.Woken{Header: t.Header, By: req.By, WaitedMS: req.Waited.Milliseconds()})
	case *answer.Written:
		m.asked(&req.Query, false, &event.Woken{Header: t.Header, By: "text"})
	}
	m.wg.Go(func() {
		defer end(nil)
		m.opt.Answers.Answer(tctx, t.Turn, before, m.reports)
	})
}

// asked completes a person's request and publishes it, state by state.
func (m *machine) asked(q *answer.Query, aloud bool, woken *event.Woken) {
	q.Answers = m.question.answered(q.Person, aloud)
	q.Ringing = m.ringHeard() || m.waking()
	m.closeWindow()
	m.opt.Bus.Publish(woken)
	if aloud {
		m.turn().state = event.Listening
		m.show()
	}
	m.opt.Bus.Publish(&event.Heard{Header: woken.Header, Text: m.opt.words(q.Text)})
	m.turn().state = event.Thinking
	m.show()
}

// bargeIn ends the current turn because a person speaks. An announcement of which nothing was heard
// goes back to the outbox.
func (m *machine) bargeIn() {
	h, old, heard := m.header(), m.turn(), m.sounding()
	played := m.cancelTurn(answer.ErrInterrupted)
	if !heard {
		m.sayAgain(old)
	}
	m.opt.Bus.Publish(&event.BargeIn{Header: h, PlayedMS: played.Milliseconds()})
}

// cancelTurn ends the current turn and silences the speaker at once. It returns how much of
// the answer was played. What rings goes back to the outbox, for nobody has ended it.
func (m *machine) cancelTurn(why error) time.Duration {
	t := m.turn()
	played := m.opt.Voice.Cut(func() { t.end(why) })
	if r, rings := t.Request.(*answer.Ring); rings && m.outbox.ring() == nil {
		m.outbox.putBack(r)
	}
	m.leave()
	return played
}

// leave ends the current turn. A window that stayed open beside it goes on.
func (m *machine) leave() { m.situation = m.window() }

// sayAgain puts an announcement back that was cut off by somebody who did not ask for silence.
func (m *machine) sayAgain(t *turn) {
	if a, ok := t.Request.(*answer.Announcement); ok {
		m.outbox.putBack(a)
	}
}
