package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

const (
	// nudgeAfter is the silence after which a responder that converses asks whether
	// there is more, and goodbyeAfter that after which it says goodbye. Only what is
	// neither speech nor an answer nor a search for one is silence.
	nudgeAfter   = 15 * time.Second
	goodbyeAfter = time.Minute
	// talkWindow outlasts the silence, which ends the window.
	talkWindow = 2 * goodbyeAfter
)

// What a responder is told when nobody speaks. It stays out of the conversation.
const (
	askNudge   = "The person has said nothing for a while. Ask in at most six words, in the language of the conversation, whether there is anything else."
	askGoodbye = "The person has said nothing for a minute. Say goodbye in at most five words, in the language of the conversation."
)

// talk is a conversation with a responder whose window stays open.
type talk struct {
	route  string        // of its turns
	silent time.Duration // since a person spoke last, up to since
	since  time.Time     // when the silence that lasts began; zero: none does
	nudged bool
	bye    bool
}

// keepTalking opens the window after a turn of a conversation that goes on, and
// reports whether one does.
func (m *machine) keepTalking(t *turn, doc *event.Turn) bool {
	_, remark := t.Request.(*answer.Remark)
	switch r := m.opt.Responder; {
	case r == nil || !r.Converses() || m.muted || m.deaf || m.opt.Wake == WakeOff:
		return false
	case remark && m.talk != nil:
		if m.talk.bye = m.talk.bye && !m.speechOpen(); m.talk.bye { // else somebody goes on after all
			m.disarm()
			r.Leave()
			return false
		}
	case t.talk != nil && doc.Reason == answer.NotAddressed: // nobody has spoken to the box: the silence goes on
		m.talk = t.talk
	case t.spoken() != nil && (t.talk != nil || doc.Route == "cloud" && doc.Outcome == "answered"):
		m.talk = &talk{route: t.route()}
	default:
		return false
	}
	m.arm(opening{by: "follow_up", route: m.talk.route}, talkWindow)
	return true
}

// listenOn is told every second that the loop turns, and has the responder speak
// when nobody else does.
func (m *machine) listenOn(ctx context.Context) {
	k := m.talk
	if k == nil {
		return
	}
	now := time.Now()
	if !k.since.IsZero() {
		k.silent += now.Sub(k.since)
	}
	if k.since = now; m.turn != nil || m.state == event.Listening || m.speechOpen() || m.opt.Voice.Speaking() {
		k.since = time.Time{}
		return
	}
	remark := ""
	switch {
	case k.silent >= goodbyeAfter:
		remark, k.bye = askGoodbye, true
	case k.silent >= nudgeAfter && !k.nudged:
		remark, k.nudged = askNudge, true
	default:
		return
	}
	k.since = time.Time{}
	m.begin(ctx, &answer.Remark{Instructions: remark})
}
