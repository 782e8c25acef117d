package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// sessionIdle ends a session (DESIGN §4, memory: 1 h).
const sessionIdle = time.Hour

// begin starts a turn; the one that is going on is superseded, and what a person
// asks closes the window.
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
			Header: event.Header{Session: m.session, Turn: m.lastTurn}, Request: req, Begun: now, Over: make(chan struct{}),
		},
		conversation: m.window().conversation, end: end,
	}
	m.opt.Voice.Wake()
	before := m.previous
	m.situation, m.previous = &busy{t, m.window()}, t.Over
	switch req := req.(type) {
	case *answer.Spoken:
		if req.Tape != nil {
			m.opt.Recordings.Keep(t.Header.Turn, req.Tape)
		}
		m.asked(&req.Query, true, &event.Woken{Header: t.Header, By: req.By, WaitedMS: req.Waited.Milliseconds()})
	case *answer.Written:
		m.asked(&req.Query, false, &event.Woken{Header: t.Header, By: "text"})
	}
	m.wg.Go(func() {
		defer end(nil)
		m.opt.Answers.Answer(tctx, t.Turn, before, m.reports)
	})
}

// asked completes what a person asks, and shows it.
func (m *machine) asked(q *answer.Query, aloud bool, woken *event.Woken) {
	q.Answers = m.question.answered(q.Person, aloud)
	q.Ringing = m.ringHeard()
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

// bargeIn ends the turn that is going on because a person speaks. What it announces and
// nobody has heard yet waits.
func (m *machine) bargeIn() {
	h, old, heard := m.header(), m.turn(), m.sounding()
	played := m.cancelTurn(answer.ErrInterrupted)
	if !heard {
		m.sayAgain(old)
	}
	m.opt.Bus.Publish(&event.BargeIn{Header: h, PlayedMS: played.Milliseconds()})
}

// cancelTurn ends the turn that is going on, with the speaker cut at once, and
// returns how much of its answer was played. What rings goes on later, for nobody has
// ended it.
func (m *machine) cancelTurn(why error) time.Duration {
	t := m.turn()
	played := m.opt.Voice.Cut(func() { t.end(why) })
	if r, rings := t.Request.(*answer.Ring); rings && m.outbox.ring() == nil {
		m.outbox.putBack(r)
	}
	m.leave()
	return played
}

// leave ends the turn that goes on, beside which the window may have stayed open.
func (m *machine) leave() { m.situation = m.window() }

// sayAgain lets an announcement wait that was cut by somebody who did not ask for
// silence.
func (m *machine) sayAgain(t *turn) {
	if a, ok := t.Request.(*answer.Announcement); ok {
		m.outbox.putBack(a)
	}
}
