package answer

import "context"

// byAgent is the route of turns that the house's own agent answered.
const byAgent = "home_assistant"

// offer lets the house's own agent answer. It reports false when somebody else has to.
//
// The agent acts and cannot be asked first. So it is offered nothing while words from outside
// the house stand in the conversation, but for its own, and no answer to a question of ours. What it refuses,
// such as a device that it does not know, may be clear to a model: its reason is said only
// where no model answers, and where it has no words from outside.
func (a *answer) offer(ctx context.Context) bool {
	if a.opt.Agent == nil || a.query.Text == "" || a.query.Answers != nil || a.others.Load() {
		return false
	}
	r, taken, err := a.opt.Agent.Offer(ctx, a.query.Text)
	switch {
	case ctx.Err() != nil:
		return true
	case err != nil:
		a.opt.Log.WarnContext(ctx, "offer request", "component", "home", "error", err)
		if !taken {
			return false
		}
	case !taken:
		if a.lacks == "" && !r.Foreign {
			a.lacks = r.Text
		}
		return false
	}
	a.spoken.Upload.Drop()
	a.doc.Route = byAgent
	a.routed()
	if r.Foreign {
		a.notes.markForeign()
	}
	a.say(ctx, line{text: r.Text})
	return true
}
