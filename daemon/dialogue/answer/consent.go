package answer

import (
	"context"
	"fmt"

	"hearthd/llm"
	"hearthd/tools"
)

// question ends a turn whose calls a person has to agree to. The loop learns of the question before
// it is heard, since a person may interrupt it to say yes.
func (a *answer) question(ctx context.Context) {
	q := a.notes.question(a.opt.Tools.book)
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
		a.say(ctx, line{text: a.opt.Tools.book.Say("dialogue.not_asked")})
		return
	case !agrees(call).Yes, !q.has(call):
		a.say(ctx, line{text: a.opt.Tools.book.Say("dialogue.declined")})
		return
	case q.WantsYes() && !q.Voice && a.names != q.text:
		a.fail("question_not_named")
		a.say(ctx, line{text: a.opt.Tools.book.Say("dialogue.name_question"), failed: true})
		return
	case len(q.then) > 0 || q.choose != "":
		a.notes.ask(asked{text: q.text, then: q.then, choose: q.choose})
		return
	}
	a.confirmed(ctx, q, nil)
}

// confirmed does what waited for the answer to q, which may be a recording.
func (a *answer) confirmed(ctx context.Context, q *Question, recorded []int16) {
	ask := a.toolAsk()
	ask.Person, ask.ByVoice = q.Person, q.Voice // who says yes has not ordered it
	for i, c := range q.calls {
		c.call.ID = fmt.Sprintf("confirmed-%d-%d", a.t.Turn, i+1)
		out := a.opt.Tools.Run(ctx, tools.Call{ToolCall: c.call, For: ask, Agreed: c.text, Recorded: recorded})
		if out.Class == tools.Asked {
			continue // it would mean something else now, so it is asked again
		}
		a.say(ctx, a.told(out))
	}
}

// giveRecording gives a recording to the call that waits for it.
func (a *answer) giveRecording(ctx context.Context) {
	q := a.query.Answers
	a.doc.Route = "intent"
	if q == nil || !q.Record {
		a.routed()
		a.say(ctx, line{text: a.opt.Tools.book.Say("dialogue.not_asked")})
		return
	}
	a.doc.Intent = q.calls[0].call.Name
	a.routed()
	a.confirmed(ctx, q, a.spoken.Sound)
}
