package dialogue

import (
	"context"
	"errors"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
	"hearthd/llm"
)

const (
	// turnLimit ends a turn, or a round of ringing, that nothing else has ended.
	turnLimit = 5 * time.Minute
	// sentenceQueue is how far a model may write ahead of the voice.
	sentenceQueue = 32
)

// answer is the work of one turn's goroutine.
type answer struct {
	d      *Dialogue
	t      *turn
	doc    *event.Turn
	notes  *notes
	speech *Speech
	spoken *response // what a responder answered, or nil
	first  *Speech   // of what rings; else speech
	warned bool      // an earcon has said already that something failed
	lacks  string    // what the tool of an intent lacks, where the thinker is asked instead
}

// answer is the goroutine of one turn. before is closed when the turn before it
// has left the conversation.
func (d *Dialogue) answer(ctx context.Context, t *turn, before <-chan struct{}) {
	a := &answer{d: d, t: t, doc: &event.Turn{
		Header: t.Header, Source: t.req.source, WokenBy: t.req.by, Route: "none", Outcome: "answered",
	}}
	if before != nil {
		<-before // a cancelled turn ends at once
	}
	if t.req.says.ring == nil { // which has a limit of its own, that grows with it
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, turnLimit)
		defer cancel()
	}
	defer t.req.up.drop()
	a.notes = &notes{header: t.Header, person: t.req.person, aloud: t.req.source == "voice", moved: func(s event.State) { a.report(ctx, s) }}
	a.notes.said.Store(&t.req.text)
	a.notes.foreign.Store(d.outside.Load() || d.opt.Outside != nil && d.opt.Outside())
	ctx = context.WithValue(ctx, notesKey{}, a.notes)
	a.speech = d.opt.Voice.Begin()
	a.first = a.speech
	if t.req.source == "announcement" {
		d.opt.Tools.cite(a.notes, t.req.says.sources)
		if t.req.says.foreign {
			a.notes.shown()
		}
		a.announce(ctx)
	} else {
		a.doc.Transcript = t.req.text
		a.find(ctx)
		a.question(ctx)
	}
	if err := a.speech.Drain(ctx); err != nil && ctx.Err() == nil {
		d.opt.Log.WarnContext(ctx, "play answer", "component", "voice", "error", err)
	}
	a.conclude(ctx)
	close(t.over)
	d.reports <- report{turn: t, doc: a.doc}
}

// report tells the loop that the turn moved. The loop may be on its way out.
func (a *answer) report(ctx context.Context, s event.State) {
	select {
	case a.d.reports <- report{turn: a.t, state: s}:
	case <-ctx.Done():
	}
}

// find routes the request: intents first, always.
func (a *answer) find(ctx context.Context) {
	if a.t.req.sound != nil {
		a.message(ctx)
		return
	}
	calls, intent, ok := a.match()
	if ok {
		a.t.req.up.drop()
	}
	if ok && calls[0].Name == consentCall {
		if a.t.req.question != nil || a.d.opt.Thinker == nil {
			a.consent(ctx, calls[0], intent)
			return
		}
		ok = false // it answers what the thinker has asked
	}
	if ok && a.d.opt.Thinker != nil && !a.offered(calls) {
		ok = false // such as stocks without a key: the thinker may know another way
		a.lacks = a.missing(calls)
	}
	if ok {
		a.doc.Route, a.doc.Intent = "intent", intent
		a.routed()
		a.run(ctx, calls)
		return
	}
	if a.respond(ctx) {
		return
	}
	switch {
	case a.t.req.text == "": // only a responder could have heard it
		a.refuse(ctx, "not_understood", sayNotUnderstood)
		return
	case a.t.req.route == "cloud" && a.t.req.up == nil:
		a.refuse(ctx, "no_route", sayNoCloud)
		return
	case a.d.opt.Thinker == nil && a.t.req.question != nil && len(a.t.req.question.then) > 0:
		a.refuse(ctx, "not_understood", sayNotUnderstood)
		return
	case a.d.opt.Thinker == nil:
		a.refuse(ctx, "no_thinker", sayNoThinker)
		return
	}
	a.doc.Route = "local"
	a.routed()
	a.think(ctx)
}

// refuse ends a request that nobody here can answer.
func (a *answer) refuse(ctx context.Context, reason, text string) {
	a.routed()
	a.fail(reason)
	a.say(ctx, line{text: text, failed: true})
}

func (a *answer) routed() {
	a.d.opt.Bus.Publish(&event.Routed{Header: a.t.Header, Route: a.doc.Route, Intent: a.doc.Intent})
	a.doc.Stages.Route = time.Since(a.t.begun).Milliseconds()
}

// think lets the thinker answer; the voice speaks a sentence while the next one
// is still being written.
func (a *answer) think(ctx context.Context) {
	sentences := make(chan line, sentenceQueue)
	spoken := make(chan struct{})
	go func() {
		defer close(spoken)
		for s := range sentences {
			a.say(ctx, s)
		}
	}()
	wrote, err := a.write(ctx, sentences)
	if err == nil && !wrote && ctx.Err() == nil && a.notes.asks() == nil {
		err = errNoAnswer
	}
	if err != nil && ctx.Err() == nil {
		a.d.opt.Log.WarnContext(ctx, "think", "component", "thinker", "error", err)
		a.fail("thinker")
		why := a.d.apologise(err)
		if a.lacks != "" && !wrote {
			why = a.lacks
		}
		sentences <- line{text: why, failed: true}
	}
	close(sentences)
	<-spoken
}

var errNoAnswer = errors.New("the model gave no answer")

// write ranges over the thinker's answer.
func (a *answer) write(ctx context.Context, sentences chan<- line) (wrote bool, err error) {
	for delta, err := range a.d.opt.Thinker.Think(ctx, a.ask()) {
		if err != nil {
			return wrote, err
		}
		if delta.Usage != nil {
			a.used(delta.Usage)
		}
		if delta.Text == "" {
			continue
		}
		if !wrote {
			wrote = true
			a.doc.Stages.Route = time.Since(a.t.begun).Milliseconds()
		}
		select {
		case sentences <- line{text: delta.Text}:
		case <-ctx.Done():
			return wrote, nil
		}
	}
	return wrote, nil
}

// used notes what the thinker's answer cost.
func (a *answer) used(u *llm.Usage) {
	a.doc.Thinker, a.doc.Cached, a.doc.Recalled = u.Thinker, u.Cached, u.Recalled
	a.d.opt.Tools.cite(a.notes, u.Sources)
	if u.Foreign {
		a.notes.foreign.Store(true)
	}
	a.doc.PromptTokens, a.doc.EvaluatedTokens, a.doc.OutputTokens = u.PromptTokens, u.Evaluated, u.OutputTokens
	a.doc.FirstTokenMS = u.FirstToken.Milliseconds()
}

// ask is the request as a thinker takes it.
func (a *answer) ask() llm.Ask {
	text := a.t.req.text
	if a.doc.Route == "cloud" { // where it was heard better, perhaps
		text = a.doc.Transcript
	}
	mode := llm.Typed
	if a.t.req.source == "voice" {
		mode = llm.Voice
	}
	return llm.Ask{Text: text, Mode: mode, Person: a.t.req.person, Said: a.t.req.text, Foreign: a.notes.foreign.Load()}
}

func (d *Dialogue) apologise(err error) string {
	if errors.Is(err, errNoAnswer) {
		return SayNothing
	}
	return d.opt.Thinker.Apology(err)
}

func (a *answer) announce(ctx context.Context) {
	a.doc.Route = "announcement"
	says := &a.t.req.says
	switch {
	case a.t.req.remark != "":
		a.remark(ctx)
		return
	case says.ring != nil:
		a.ring(ctx, says.ring)
		return
	}
	if time.Until(says.at) > 0 {
		defer a.speech.Forget()
		a.assemble(ctx)
	}
	if says.chime {
		a.cue(ctx, cue.Notice)
	}
	a.say(ctx, line{text: says.text})
	a.play(ctx, says.sound)
}

// fail notes that the request was not fulfilled.
func (a *answer) fail(reason string) { a.doc.Outcome, a.doc.Reason = "failed", reason }

// line is what is said at once: a sentence, or several, with an earcon before it
// when it says that something failed.
type line struct {
	text   string
	failed bool
}

// say speaks l and returns when it is on its way to the speaker.
func (a *answer) say(ctx context.Context, l line) {
	if ctx.Err() != nil {
		return
	}
	if l.failed && !a.warned {
		a.cue(ctx, cue.Failed)
	}
	for text := range pieces(l.text) {
		a.d.opt.Bus.Publish(&event.Said{Header: a.t.Header, Text: a.d.opt.words(text)})
		err := a.speech.Say(ctx, text, func() { a.report(ctx, event.Speaking) })
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			a.d.opt.Log.WarnContext(ctx, "speak answer", "component", "tts", "error", err)
			a.d.opt.Voice.Cue(cue.Failed)
			return
		}
	}
}

// cue plays an earcon before what is said next.
func (a *answer) cue(ctx context.Context, c cue.Cue) {
	if err := a.speech.Cue(ctx, c); err != nil && ctx.Err() == nil {
		a.d.opt.Log.WarnContext(ctx, "play earcon", "component", "voice", "error", err)
	}
}

// conclude completes the document once nothing more will be played.
func (a *answer) conclude(ctx context.Context) {
	req, st := &a.t.req, &a.doc.Stages
	a.doc.Answer = a.speech.Text()
	a.d.opt.Tools.say(a.doc.Answer, a.notes.foreign.Load())
	if cause := context.Cause(ctx); cause != nil {
		a.doc.Answer = a.speech.Heard()
		a.doc.Outcome = "failed"
		switch {
		case errors.Is(cause, context.DeadlineExceeded):
			a.doc.Reason = "turn_limit"
			a.d.opt.Voice.Cue(cue.Failed)
		case errors.Is(cause, errInterrupted), errors.Is(cause, errSuperseded):
			a.doc.Outcome = cause.Error()
		default:
			a.doc.Outcome = errStopped.Error()
		}
	}
	if a.doc.Answer == "" && a.speech != a.first { // the last round was cut before its first word
		a.doc.Answer = a.first.Text()
	}
	if a.notes.foreign.Load() {
		a.d.outside.Store(true)
	}
	if a.spoken != nil {
		a.spoken.turn.Cut(a.spoken.stream.Heard())
	}
	a.remember()
	uses, took := a.notes.list()
	a.doc.Tools, st.Tool = uses, took.Milliseconds()
	for _, s := range a.notes.cited() {
		a.doc.Sources = append(a.doc.Sources, event.Source(s))
	}
	origin := a.t.begun
	if !req.ended.IsZero() {
		origin = req.speechEnd
		st.Endpoint = req.ended.Sub(req.speechEnd).Milliseconds()
		st.STT = a.t.begun.Sub(req.ended).Milliseconds()
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
	if a.d.opt.Remember != nil && a.t.req.source != "announcement" {
		ask, answer := a.ask(), a.doc.Answer
		if ask.Foreign { // the person's own words are not
			answer = ""
		}
		ask.Foreign = a.notes.fresh.Load()
		a.d.opt.Remember(ask, answer)
	}
	if r := a.d.opt.Responder; r != nil && a.t.req.source != "announcement" && a.doc.Route != "cloud" {
		r.Note(a.ask(), a.doc.Answer)
	}
	th := a.d.opt.Thinker
	switch {
	case th == nil:
	case a.doc.Route == "intent", a.doc.Route == "cloud":
		th.Note(a.ask(), a.doc.Answer)
	case a.doc.Route == "local" && a.doc.Outcome != "answered":
		th.Heard(a.doc.Answer)
	}
}
