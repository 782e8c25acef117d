package answer

import (
	"context"
	"fmt"

	"hearthd/llm"
)

// question ends a turn whose calls a person has to agree to. The loop knows of it
// before it is heard, for who interrupts it may do so to say yes.
func (a *answer) question(ctx context.Context) {
	q := a.notes.asks()
	if q == nil || ctx.Err() != nil {
		return
	}
	q.Voice, q.Level = a.doc.Source == "voice", a.spoken.Level
	if a.doc.Asks = true; q.WantsYes() {
		a.doc.Question = q.text
	}
	select {
	case a.reports <- &Asks{a.t, q}:
	case <-ctx.Done():
		return
	}
	a.say(ctx, line{text: q.text})
}

// consent answers a yes or a no.
func (a *answer) consent(ctx context.Context, call llm.ToolCall, intent string) {
	a.doc.Route, a.doc.Intent = "intent", intent
	a.routed()
	q := a.query.Answers
	switch {
	case q == nil:
		a.say(ctx, line{text: SayNotAsked})
		return
	case !agrees(call):
		a.say(ctx, line{text: SayDeclined})
		return
	case q.WantsYes() && !q.Voice && a.names != q.text:
		a.fail("question_not_named")
		a.say(ctx, line{text: SayNameQuestion, failed: true})
		return
	case len(q.then) > 0:
		a.notes.wonder(q.text, q.then)
		return
	}
	a.confirmed(ctx, q)
}

// confirmed does what waited for the answer to q.
func (a *answer) confirmed(ctx context.Context, q *Question) {
	for i, c := range q.calls {
		c.call.ID = fmt.Sprintf("confirmed-%d-%d", a.t.Turn, i+1)
		out := a.opt.Tools.RunConfirmed(ctx, c.call, c.text)
		if out.Class == ClassAsked {
			continue // it means something else by now, which is asked
		}
		if out.Class != "ok" {
			a.fail(out.Class)
		}
		a.say(ctx, line{text: out.Say, failed: out.Class != "ok"})
	}
}

// soundKey is the key of a recording in the context of a call.
type soundKey struct{}

// Recorded is what a person has said for the call that ctx belongs to, mono at
// audio.Rate, or nil. It belongs to the turn.
func Recorded(ctx context.Context) []int16 {
	sound, _ := ctx.Value(soundKey{}).([]int16)
	return sound
}

// message hands a recording to the call that waits for it.
func (a *answer) message(ctx context.Context) {
	q := a.query.Answers
	a.doc.Route = "intent"
	if q == nil || !q.Record {
		a.routed()
		a.say(ctx, line{text: SayNotAsked})
		return
	}
	a.doc.Intent = q.calls[0].call.Name
	a.routed()
	a.confirmed(context.WithValue(ctx, soundKey{}, a.spoken.Sound), q)
}
