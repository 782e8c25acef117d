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
	askNudge = "The person has said nothing for a while. Ask in at most six words, " +
		"in the language of the conversation, whether there is anything else."
	askGoodbye = "The person has said nothing for a minute. Say goodbye in at most five words, " +
		"in the language of the conversation."
)

// keepTalking opens the window after a turn of a conversation that goes on, and
// reports whether one does.
func (m *machine) keepTalking(t *turn, doc *event.Turn) bool {
	_, remark := t.Request.(*answer.Remark)
	k := m.talk()
	switch r := m.opt.Responder; {
	case r == nil || !r.Converses() || m.muted || m.deaf || m.opt.Wake == WakeOff:
		return false
	case remark && k != nil:
		if k.bye = k.bye && !m.speechOpen(); k.bye { // else somebody goes on after all
			m.disarm()
			r.Leave()
			return false
		}
	case t.talk != nil && doc.Reason == answer.NotAddressed: // nobody has spoken to the box: the silence goes on
		k = t.talk
	case t.spoken() != nil && (t.talk != nil || doc.Route == "cloud" && doc.Outcome == "answered"):
		k = &talk{route: t.route()}
	default:
		return false
	}
	m.arm(opening{by: "follow_up", route: k.route}, talkWindow)
	m.open().talk = k
	return true
}

// listenOn is told every second that the loop turns, and has the responder speak
// when nobody else does.
func (m *machine) listenOn(ctx context.Context) {
	k, does := m.talk(), m.does(onBeat)
	if k == nil {
		return
	}
	now := time.Now()
	if !k.since.IsZero() {
		k.silent += now.Sub(k.since)
	}
	if k.since = now; does == holds || m.state == event.Listening || m.speechOpen() || m.opt.Voice.Speaking() {
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
