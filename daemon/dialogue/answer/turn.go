package answer

import (
	"cmp"
	"context"
	"errors"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
	"hearthd/tools/phrase"
)

// turnLimit is the longest that a turn, or a round of ringing, may take.
const turnLimit = 5 * time.Minute

// Answer finds and speaks the answer of a turn, and reports to the loop. before is closed when the
// previous turn has left the conversation.
func (d *Answerer) Answer(ctx context.Context, t *Turn, before <-chan struct{}, reports chan<- Report) {
	a := &answer{
		Answerer: d, t: t, query: &Query{}, spoken: &Spoken{}, reports: reports,
		doc: &event.Turn{Header: t.Header, Route: "none", Outcome: "answered"},
	}
	a.doc.Source, a.doc.WokenBy = t.Request.origin()
	if before != nil {
		<-before // which is soon: a cancelled turn ends at once
	}
	switch req := t.Request.(type) {
	case *Spoken:
		a.query, a.spoken = &req.Query, req
		a.doc.HeardBy, a.query.Person = req.HeardBy, req.who(ctx)
	case *Written:
		a.query, a.names = &req.Query, req.Names
	}
	if _, rings := t.Request.(*Ring); !rings { // a ring has a limit of its own, which moves as others join
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, turnLimit)
		defer cancel()
	}
	defer a.spoken.Upload.Drop()
	a.notes = &notes{
		header: t.Header, person: a.query.Person, guest: a.opt.Guest, aloud: a.doc.Source == "voice",
		moved: func(s event.State) { a.report(ctx, s) },
	}
	a.notes.said.Store(&a.query.Text)
	a.notes.foreign.Store(d.outside.Load() || d.opt.Guard != nil && d.opt.Guard.Foreign())
	defer d.opt.Tools.begin(a.notes)()
	ctx = logged(ctx, t.Header)
	a.speech = d.opt.Voice.Begin()
	a.first = a.speech
	a.perform(ctx)
	if err := a.speech.Drain(ctx); err != nil && ctx.Err() == nil {
		d.opt.Log.WarnContext(ctx, "play answer", "component", "voice", "error", err)
	}
	if a.reminds && ctx.Err() == nil && (a.doc.Source != "voice" || !a.speech.Written()) {
		d.opt.Ringing.Timers.Told()
	}
	a.conclude(ctx)
	close(t.Over)
	reports <- &Ended{t, a.doc}
}

// perform does what the request is for.
func (a *answer) perform(ctx context.Context) {
	switch req := a.t.Request.(type) {
	case *Announcement:
		a.doc.Route = "announcement"
		a.announce(ctx, req)
	case *Ring:
		a.doc.Route = "announcement"
		a.ring(ctx, req)
	case *Remark:
		a.doc.Route = "announcement"
		a.remark(ctx, req)
	default:
		a.doc.Transcript = a.query.Text
		a.find(ctx)
		if a.opt.Forgets && a.notes.kept.Load() {
			a.say(ctx, line{text: a.opt.Tools.book.Say("dialogue.forgets")})
		}
		a.question(ctx)
		a.remind(ctx)
	}
}

// find routes the request: intents first, always.
func (a *answer) find(ctx context.Context) {
	if a.spoken.Sound != nil {
		a.giveRecording(ctx)
		return
	}
	if a.spoken.Route == House && a.query.Answers == nil && !a.query.Ringing && a.respond(ctx) {
		return
	}
	calls, intent, ok := a.match()
	if ok {
		a.spoken.Upload.Drop()
	}
	consents := ok && a.isConsent(calls[0].Name)
	switch {
	case consents && (a.query.Answers != nil || a.opt.Thinker == nil):
		a.consent(ctx, calls[0], intent)
	case ok && !consents && a.runnable(calls):
		a.doc.Route, a.doc.Intent = "intent", intent
		a.routed()
		a.run(ctx, calls)
	case a.spoken.Unsure || a.spoken.Rival: // the agent and the thinker act without asking
		a.refuse(ctx, "not_understood", a.opt.Tools.book.Say("dialogue.not_understood"))
	case !consents && a.offer(ctx) || a.respond(ctx): // it may answer what the thinker has asked
	default:
		a.askThinker(ctx)
	}
}

// isConsent reports whether a call is the yes or no to a question. Undoing is a no to one that waits.
func (a *answer) isConsent(call string) bool {
	return call == consentCall || call == undoCall && a.query.Answers != nil
}

// askThinker has the thinker answer, or says why it does not.
func (a *answer) askThinker(ctx context.Context) {
	switch {
	case a.query.Text == "": // only a responder could have heard it
		a.refuse(ctx, "not_understood", a.opt.Tools.book.Say("dialogue.not_understood"))
	case a.spoken.Route == "cloud" && a.spoken.Upload == nil:
		a.refuse(ctx, "no_route", a.opt.Tools.book.Say("dialogue.no_cloud"))
	case a.opt.Thinker == nil && a.query.Answers != nil && len(a.query.Answers.then) > 0:
		a.refuse(ctx, "not_understood", a.opt.Tools.book.Say("dialogue.off_topic"))
	case a.opt.Thinker == nil:
		a.refuse(ctx, "no_thinker", cmp.Or(a.lacks, a.opt.Tools.book.Say("dialogue.no_thinker")))
	default:
		a.doc.Route = "local"
		a.routed()
		a.think(ctx)
	}
}

// refuse ends a request that nobody here can answer.
func (a *answer) refuse(ctx context.Context, reason, text string) {
	a.routed()
	a.fail(reason)
	a.say(ctx, line{text: text, failed: true})
}

// conclude completes the document once nothing more will be played.
func (a *answer) conclude(ctx context.Context) {
	req, st := a.spoken, &a.doc.Stages
	a.doc.Answer = a.speech.Text()
	again := a.doc.Answer
	if a.doc.Outcome == "failed" && again != "" { // else it would seem that the wish to hear it again had failed
		again = a.opt.Tools.book.Say("dialogue.again", phrase.Args{"text": again})
	}
	a.opt.Tools.say(a.opt.Guest, again, a.notes.foreign.Load())
	if cause := context.Cause(ctx); cause != nil {
		if heard := a.speech.Heard(); a.doc.Source != "text" { // in writing all of it is read
			a.doc.Answer = heard
		}
		a.doc.Outcome = "failed"
		switch {
		case errors.Is(cause, context.DeadlineExceeded):
			a.doc.Reason = "turn_limit"
			a.opt.Voice.Cue(cue.Failed)
		case errors.Is(cause, ErrInterrupted), errors.Is(cause, ErrSuperseded):
			a.doc.Outcome = cause.Error()
		default:
			a.doc.Outcome = ErrStopped.Error()
		}
	}
	if a.doc.Answer == "" && a.speech != a.first { // the last round was cut before its first word
		a.doc.Answer = a.first.Text()
	}
	if a.notes.foreign.Load() {
		a.outside.Store(true)
	}
	if a.notes.fresh.Load() && a.doc.Route != byAgent {
		a.others.Store(true)
	}
	if a.replied != nil {
		a.replied.Cut(a.reply.Heard())
	}
	a.remember()
	uses, took := a.notes.list()
	a.doc.Tools, st.Tool = uses, took.Milliseconds()
	if n := len(uses); n > 0 {
		a.topic.Set(uses[n-1].Tool)
	}
	for _, s := range a.notes.cited() {
		a.doc.Sources = append(a.doc.Sources, event.Source(s))
	}
	origin := a.t.Begun
	if !req.Ended.IsZero() {
		origin = req.SpeechEnd
		st.Endpoint = req.Ended.Sub(req.SpeechEnd).Milliseconds()
		st.STT = a.t.Begun.Sub(req.Ended).Milliseconds()
	}
	asked, made, played := a.first.First()
	if !made.IsZero() {
		st.TTS = made.Sub(asked).Milliseconds()
	}
	if !played.IsZero() {
		st.Play = played.Sub(made).Milliseconds()
		st.FirstSound = played.Sub(origin).Milliseconds()
	}
	st.Total = time.Since(origin).Milliseconds()
}

// remember keeps the conversation as the person heard it.
func (a *answer) remember() {
	if a.elsewhere {
		return
	}
	if a.opt.Memory != nil && a.doc.Source != "announcement" {
		ask, answer := a.thinkerAsk(), a.doc.Answer
		if ask.Foreign { // the person's own words are not
			answer = ""
		}
		ask.Foreign = a.notes.fresh.Load()
		a.opt.Memory.Remember(ask, answer)
	}
	if r := a.opt.Responder; r != nil && a.doc.Source != "announcement" && a.doc.Route != "cloud" {
		r.Note(a.thinkerAsk(), a.doc.Answer)
	}
	th := a.opt.Thinker
	switch {
	case th == nil:
	case a.doc.Route == "intent", a.doc.Route == "cloud", a.doc.Route == byAgent:
		th.Note(a.thinkerAsk(), a.doc.Answer)
	case a.doc.Route == "local" && a.doc.Outcome != "answered":
		th.Heard(a.doc.Answer)
	}
}
