package dialogue

import (
	"context"
	"slices"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// report handles a report of a turn. Of a turn that is not the current one, only the document
// counts.
func (m *machine) report(ctx context.Context, r answer.Report) {
	t := m.turn()
	current := t != nil && r.Of() == t.Turn
	switch r := r.(type) {
	case *answer.Ended:
		m.finish(r.Turn, r.Doc)
		if current {
			m.turnEnded(ctx, r.Doc)
		}
	case *answer.Asks:
		if current {
			m.question = question{Question: r.Question, until: time.Now().Add(answerLimit)}
		}
	case *answer.Moved:
		if current {
			t.state = r.To
		}
	}
}

// finish publishes the document of a turn. A person who asked in writing gets its words,
// whatever the log may show.
func (m *machine) finish(t *answer.Turn, doc *event.Turn) {
	m.sessionEnd = time.Now().Add(sessionIdle)
	full := *doc
	if !m.opt.Transcripts {
		doc.Transcript, doc.Answer, doc.Question = "", "", ""
	}
	m.opt.Bus.Publish(doc)
	switch req := t.Request.(type) {
	case *answer.Written:
		if req.Done != nil {
			full.Header = doc.Header
			req.Done <- &full
		}
	case *answer.Announcement:
		if !slices.Contains(m.outbox, t.Request) { // else it is said again
			over(req, doc.Outcome == "answered")
		}
	}
}

// turnEnded leaves the current turn, whose answer has ended.
func (m *machine) turnEnded(ctx context.Context, doc *event.Turn) {
	t, does := m.turn(), m.row().turnEnded
	m.leave()
	if does == returns {
		if _, remark := t.Request.(*answer.Remark); remark {
			m.remarked(ctx)
		}
		return
	}
	asks, s := m.question.isFrom(t.Header.Turn), t.spoken()
	if asks {
		m.question.until = time.Now().Add(answerLimit)
	}
	switch {
	case s != nil && asks:
		m.awaitAnswer(ctx, s.Route)
	case s == nil, m.keepTalking(ctx, t, doc):
	case doc.Reason != answer.NotAddressed: // talk of the room opens no window
		m.openWindow(ctx, &window{opening: opening{byFollowUp, s.Route}}, m.opt.Wake.FollowUp)
	}
}

// awaitAnswer opens the window for the answer to a question that was asked aloud.
func (m *machine) awaitAnswer(ctx context.Context, route string) {
	w := &window{opening: opening{byQuestion, route}}
	if m.openWindow(ctx, w, listenWindow) && m.opt.Wake.Chime {
		m.opt.Voice.Cue(cue.Listening)
	}
}
