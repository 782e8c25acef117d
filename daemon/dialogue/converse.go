package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/spoken"
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
	switch r := m.opt.Responder; {
	case r == nil || !r.Converses() || m.muted || m.deaf || m.opt.Wake == WakeOff:
		return false
	case t.req.remark != "" && m.talk != nil:
		if m.talk.bye = m.talk.bye && !m.speechOpen(); m.talk.bye { // else somebody goes on after all
			m.disarm()
			r.Leave()
			return false
		}
	case t.talk != nil && doc.Reason == notAddressed: // nobody has spoken to the box: the silence goes on
		m.talk = t.talk
	case t.req.source == "voice" && (t.talk != nil || doc.Route == "cloud" && doc.Outcome == "answered"):
		m.talk = &talk{route: t.req.route}
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
	m.begin(ctx, request{source: "announcement", by: "announcement", remark: remark})
}

// remark has the responder say something of its own. If it cannot, nobody misses it.
func (a *answer) remark(ctx context.Context) {
	if !a.d.opt.Responder.Wanted() {
		return
	}
	if err := a.aside(ctx); err != nil && ctx.Err() == nil {
		a.d.opt.Log.WarnContext(ctx, "remark", "component", "responder", "error", err)
	}
}

func (a *answer) aside(ctx context.Context) error {
	turn, err := a.d.opt.Responder.Remark(ctx, a.t.req.remark)
	if err != nil {
		return err
	}
	stream, err := a.speech.Stream(spoken.Rate)
	if err != nil {
		turn.Cut(0)
		return err
	}
	r := &response{a: a, turn: turn, stream: stream}
	a.spoken = r
	return r.listen(ctx, time.Now().Add(a.d.opt.FirstAudio))
}
