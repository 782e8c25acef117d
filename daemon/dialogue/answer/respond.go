package answer

import (
	"context"
	"errors"
	"strings"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
	"hearthd/llm"
)

// NotAddressed is the reason of a turn in which a responder says nothing, because nobody spoke to
// the box.
const NotAddressed = "not_addressed"

// errLate means that the responder was not ready in time.
var errLate = errors.New("the responder cannot be reached in time")

// House is the route to a pipeline of Home Assistant, which hears, thinks and speaks itself.
const House = "homeassistant"

// respond lets the responder answer. It reports false when somebody else has to:
// it is not asked, or it failed before anything of it was heard or done.
func (a *answer) respond(ctx context.Context) bool {
	req, opt := a.spoken, &a.opt
	switch {
	case a.doc.Source != "voice", req.Route == "local":
		return false
	case req.Route == House:
		return req.Upload != nil && a.pipeline(ctx)
	case opt.Responder == nil, req.Route != "cloud" && opt.Guard.AtHome(req.Text):
		return false
	case req.Upload == nil, !opt.Responder.Wanted():
		if text := opt.Responder.Excuse(); text != "" {
			a.say(ctx, line{text: text})
		}
		return false
	}
	return a.ask(ctx, "cloud")
}

// pipeline has Home Assistant answer, once. What is spoken of there is no part of the conversations here.
func (a *answer) pipeline(ctx context.Context) bool {
	a.elsewhere = a.ask(ctx, byAgent)
	a.spoken.Upload = nil
	return a.elsewhere
}

// ask has the responder answer, on a route as it is shown.
func (a *answer) ask(ctx context.Context, route string) bool {
	req, opt := a.spoken, &a.opt
	defer req.Upload.Drop()
	req.Upload.Allow()
	a.doc.Route = route
	a.routed()
	r, err := a.converse(ctx)
	switch {
	case ctx.Err() != nil, err == nil, r != nil && r.known():
		if r != nil {
			a.replied, a.reply = r.turn, r.stream
			r.lost(ctx, err)
		}
		return true
	case r != nil:
		r.turn.Cut(0)
		r.stream.Unsay()
	}
	opt.Log.WarnContext(ctx, "ask responder", "component", "responder", "route", route, "error", err)
	a.warn(ctx)
	if req.Text == "" { // the responder may have heard it
		req.Text = a.doc.Transcript
	}
	a.doc.Transcript, a.doc.Route = req.Text, "none"
	return false
}

// converse sends the rest of the request and plays the answer. The response is nil if none was
// asked for.
func (a *answer) converse(ctx context.Context) (*response, error) {
	until := time.Now().Add(a.opt.FirstAudio)
	sending, cancel := context.WithDeadlineCause(ctx, until, errLate)
	defer cancel()
	turn, err := a.spoken.Upload.Take(sending)
	if err != nil {
		return nil, err
	}
	stream, err := a.speech.Stream(spoken.Rate)
	if err != nil {
		turn.Cut(0)
		return nil, err
	}
	r := &response{a: a, turn: turn, stream: stream}
	return r, r.run(ctx, until)
}

// spent notes what a response cost.
func (a *answer) spent(u *llm.Usage) {
	a.doc.PromptTokens += u.PromptTokens
	a.doc.OutputTokens += u.OutputTokens
	a.doc.Cost += u.Cost
}

// lost ends an answer that broke off. What tools have done is said, if the
// responder did not come to it.
func (r *response) lost(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	a := r.a
	a.opt.Log.WarnContext(ctx, "responder broke off", "component", "responder", "error", err)
	text := strings.Join(r.said, " ")
	sounded := r.stream.Sounded()
	if sounded {
		r.stream.Clip()
	} else {
		r.stream.Unsay()
	}
	if text == "" && (sounded || r.heard) {
		text = a.opt.Tools.book.Say("dialogue.broke_off")
	}
	if text == "" { // a question comes
		a.warn(ctx)
		return
	}
	a.fail("cloud_lost")
	a.say(ctx, line{text: text, failed: true})
}

// quiet ends a response without a sound: words without sound are not spoken here. If it was not
// known that somebody spoke to the box, silence is an answer.
func (r *response) quiet(ctx context.Context) error {
	a, text := r.a, r.stream.Text()
	switch {
	case r.stream.Sounded(), text != "" && a.speech.Written(), a.notes.question(a.opt.Tools.book) != nil,
		ctx.Err() != nil:
	case text != "":
		r.stream.Unsay()
		a.say(ctx, line{text: text})
	case a.doc.WokenBy == "follow_up" && r.deeds == 0 && !r.heard:
		a.fail(NotAddressed)
	case r.heard: // a pipeline may have nothing to say
		a.opt.Voice.Cue(cue.Done)
	default:
		return errNoAnswer
	}
	return nil
}

// publish publishes the words of the answer, a sentence at a time; last: there are no more.
func (r *response) publish(last bool) {
	for text := strings.TrimSpace(r.unsaid); text != ""; text = strings.TrimSpace(r.unsaid) {
		n := voice.PieceEnd(text)
		if n == len(text) && !last {
			return
		}
		r.a.opt.Bus.Publish(&event.Said{Header: r.a.t.Header, Text: r.a.opt.words(text[:n])})
		r.unsaid = text[n:]
	}
}

// remark has the responder say something unasked. If it cannot, nobody misses it.
func (a *answer) remark(ctx context.Context, req *Remark) {
	if !a.opt.Responder.Wanted() {
		return
	}
	if err := a.aside(ctx, req); err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "remark", "component", "responder", "error", err)
	}
}

func (a *answer) aside(ctx context.Context, req *Remark) error {
	turn, err := a.opt.Responder.Remark(ctx, req.Instructions)
	if err != nil {
		return err
	}
	stream, err := a.speech.Stream(spoken.Rate)
	if err != nil {
		turn.Cut(0)
		return err
	}
	r := &response{a: a, turn: turn, stream: stream}
	a.replied, a.reply = turn, stream
	return r.listen(ctx, time.Now().Add(a.opt.FirstAudio))
}
