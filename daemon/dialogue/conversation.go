package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

const (
	// nudgeAfter is the silence after which the responder asks whether there is anything else,
	// and goodbyeAfter the silence after which it says goodbye. Time in which somebody speaks,
	// or an answer is looked for or heard, is not silence.
	nudgeAfter   = 15 * time.Second
	goodbyeAfter = time.Minute
	// conversationWindow is longer than the silence that ends a conversation.
	conversationWindow = 2 * goodbyeAfter
)

// What the responder is told when nobody speaks. It does not become part of the conversation.
const (
	askNudge = "The person has said nothing for a while. Ask in at most six words, " +
		"in the language of the conversation, whether there is anything else."
	askGoodbye = "The person has said nothing for a minute. Say goodbye in at most five words, " +
		"in the language of the conversation."
)

// keepTalking opens the window after a person's turn, if a conversation goes on or begins with
// it, and reports whether it did.
func (m *machine) keepTalking(ctx context.Context, t *turn, doc *event.Turn) bool {
	c := t.conversation
	switch {
	case m.opt.Responder == nil || !m.opt.Responder.Converses():
		return false
	case c != nil && doc.Reason == answer.NotAddressed: // nobody spoke to the box, so the silence goes on
	case c != nil || doc.Route == "cloud" && doc.Outcome == "answered":
		c = &conversation{route: t.route()}
	default:
		return false
	}
	return m.converse(ctx, c)
}

// converse opens the window of a conversation.
func (m *machine) converse(ctx context.Context, c *conversation) bool {
	w := &window{opening: opening{byFollowUp, c.route}, conversation: c}
	return m.openWindow(ctx, w, conversationWindow)
}

// remarked continues the conversation after the responder has spoken unasked. After a goodbye
// it ends it, unless somebody has begun to speak.
func (m *machine) remarked(ctx context.Context) {
	c := m.window().conversation
	if c == nil {
		return
	}
	if c.bye = c.bye && len(m.utterances) == 0; c.bye {
		m.closeWindow()
		m.opt.Responder.Leave()
		return
	}
	m.converse(ctx, c)
}

// secondPassed measures the silence in a conversation, and has the responder speak when it
// lasts.
func (m *machine) secondPassed(ctx context.Context) {
	c := m.window().conversation
	if c == nil {
		return
	}
	now := time.Now()
	if !c.since.IsZero() {
		c.silent += now.Sub(c.since)
	}
	c.since = time.Time{}
	if m.row().secondPassed != counts || len(m.utterances) > 0 || m.opt.Voice.Speaking() {
		return
	}
	switch {
	case c.silent >= goodbyeAfter:
		c.bye = true
		m.begin(ctx, &answer.Remark{Instructions: askGoodbye})
	case c.silent >= nudgeAfter && !c.nudged:
		c.nudged = true
		m.begin(ctx, &answer.Remark{Instructions: askNudge})
	default:
		c.since = now
	}
}
