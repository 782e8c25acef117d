package dialogue

import (
	"context"
	"slices"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// begin starts a turn; the one that is going on is superseded, and what a person
// asks closes the window.
func (m *machine) begin(ctx context.Context, req answer.Request) {
	if old := m.turn(); m.does(onRequest) == supersedes {
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
		talk: m.talk(), end: end,
	}
	m.opt.Voice.Wake()
	before := m.previous
	m.situation, m.previous = &busy{t, m.open()}, t.Over
	switch req := req.(type) {
	case *answer.Spoken:
		if req.Tape != nil {
			m.opt.Sounds.Keep(t.Header.Turn, req.Tape)
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

// asked shows what a person asks, and completes it.
func (m *machine) asked(q *answer.Query, aloud bool, woken *event.Woken) {
	q.Answers = m.answers(q.Person, aloud)
	q.Ringing = m.ring != nil && m.ring.Heard()
	m.disarm()
	m.opt.Bus.Publish(woken)
	if aloud {
		m.move(event.Listening)
	}
	m.opt.Bus.Publish(&event.Heard{Header: woken.Header, Text: m.opt.words(q.Text)})
	m.move(event.Thinking)
}

// sayAgain lets an announcement wait that was cut by somebody who did not ask for
// silence.
func (m *machine) sayAgain(t *turn) {
	if a, ok := t.Request.(*answer.Announcement); ok {
		m.waiting = slices.Insert(m.waiting, 0, answer.Request(a))
	}
}

// cancelTurn ends the turn that is going on, with the speaker cut at once, and
// returns how much of its answer was played.
func (m *machine) cancelTurn(why error) time.Duration {
	t := m.turn()
	played := m.opt.Voice.Cut(func() { t.end(why) })
	if m.ringsIn(t) { // nobody ended it: it goes on later
		m.waiting = slices.Insert(m.waiting, 0, t.Request)
	}
	m.leave()
	return played
}

// ringsIn reports whether t is the turn of what rings.
func (m *machine) ringsIn(t *turn) bool {
	r, ok := t.Request.(*answer.Ring)
	return ok && r == m.ring
}

// report takes what a turn's goroutine says. A turn that is not the current one
// only gets its document.
func (m *machine) report(ctx context.Context, r answer.Report) {
	t := m.turn()
	current := t != nil && r.Of() == t.Turn
	switch r := r.(type) {
	case *answer.Ended:
		m.finish(r.Turn, r.Doc)
		if current {
			m.ended(ctx, r.Doc)
		}
	case *answer.Asks:
		if current {
			m.question = &question{Question: r.Question, until: time.Now().Add(answerLimit)}
		}
	case *answer.Moved:
		if current {
			m.move(r.To)
		}
	}
}

// ended leaves the turn that has come to its end.
func (m *machine) ended(ctx context.Context, doc *event.Turn) {
	t := m.turn()
	if m.ringsIn(t) { // it is over
		m.ring = nil
	}
	m.leave()
	if m.await(t) {
		m.listenForAnswer(ctx)
		return
	}
	// Talk of the room opens no window.
	if !m.keepTalking(t, doc) && t.spoken() != nil && doc.Reason != answer.NotAddressed {
		m.arm(opening{by: "follow_up", route: t.route()}, m.opt.FollowUp)
	}
	m.rest(ctx)
}

// finish publishes the document of a turn. The one who asked gets the words,
// whatever the log may show.
func (m *machine) finish(t *answer.Turn, doc *event.Turn) {
	m.sessionEnd = time.Now().Add(sessionIdle)
	words := *doc
	if !m.opt.Transcripts {
		doc.Transcript, doc.Answer, doc.Question = "", "", ""
	}
	m.opt.Bus.Publish(doc)
	if w, ok := t.Request.(*answer.Written); ok && w.Done != nil {
		words.Header = doc.Header
		w.Done <- &words
	}
}

// sounding reports whether an answer is heard. It may also sound while the next
// sentence is being thought of.
func (m *machine) sounding() bool {
	return m.state == event.Speaking || m.turn() != nil && m.opt.Voice.Speaking()
}

// cutTurn ends the turn that is going on because a person speaks.
func (m *machine) cutTurn() {
	h, old := m.header(), m.turn()
	unheard := !m.sounding()
	played := m.cancelTurn(answer.ErrInterrupted)
	if unheard {
		m.sayAgain(old)
	}
	m.opt.Bus.Publish(&event.BargeIn{Header: h, PlayedMS: played.Milliseconds()})
}
