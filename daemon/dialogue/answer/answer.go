package answer

import (
	"context"
	"errors"
	"time"

	"hearthd/audio"
	"hearthd/audio/cue"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
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
	*Answerer
	t       *Turn
	query   *Query
	spoken  *Spoken // empty where the request is none
	names   string  // the question that a written request says to answer
	reports chan<- Report
	doc     *event.Turn
	notes   *notes
	speech  *voice.Speech
	replied *response     // what a responder answered, or nil
	first   *voice.Speech // of what rings; else speech
	warned  bool          // an earcon has said already that something failed
	lacks   string        // what the tool of an intent lacks, where the thinker is asked instead
}

// Answer finds and speaks the answer of a turn, and reports to the loop. before is closed
// when the turn before it has left the conversation.
func (d *Answerer) Answer(ctx context.Context, t *Turn, before <-chan struct{}, reports chan<- Report) {
	a := &answer{
		Answerer: d, t: t, query: &Query{}, spoken: &Spoken{}, reports: reports,
		doc: &event.Turn{Header: t.Header, Route: "none", Outcome: "answered"},
	}
	a.doc.Source, a.doc.WokenBy = t.Request.origin()
	if before != nil {
		<-before // a cancelled turn ends at once
	}
	switch req := t.Request.(type) {
	case *Spoken:
		a.query, a.spoken = &req.Query, req
	case *Written:
		a.query, a.names = &req.Query, req.Names
	}
	if _, rings := t.Request.(*Ring); !rings { // which has a limit of its own, that grows with it
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, turnLimit)
		defer cancel()
	}
	defer a.spoken.Upload.Drop()
	a.notes = &notes{
		header: t.Header, person: a.query.Person, aloud: a.doc.Source == "voice",
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
	a.conclude(ctx)
	close(t.Over)
	reports <- &Ended{t, a.doc}
}

// perform says what the request is for.
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
		a.question(ctx)
	}
}

// report tells the loop that the turn moved. The loop may be on its way out.
func (a *answer) report(ctx context.Context, s event.State) {
	select {
	case a.reports <- &Moved{a.t, s}:
	case <-ctx.Done():
	}
}

// find routes the request: intents first, always.
func (a *answer) find(ctx context.Context) {
	if a.spoken.Sound != nil {
		a.message(ctx)
		return
	}
	calls, intent, ok := a.match()
	if ok {
		a.spoken.Upload.Drop()
	}
	if ok && calls[0].Name == consentCall {
		if a.query.Answers != nil || a.opt.Thinker == nil {
			a.consent(ctx, calls[0], intent)
			return
		}
		ok = false // it answers what the thinker has asked
	}
	if ok && a.opt.Thinker != nil && !a.offered(calls) {
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
	case a.query.Text == "": // only a responder could have heard it
		a.refuse(ctx, "not_understood", SayNotUnderstood)
		return
	case a.spoken.Route == "cloud" && a.spoken.Upload == nil:
		a.refuse(ctx, "no_route", SayNoCloud)
		return
	case a.opt.Thinker == nil && a.query.Answers != nil && len(a.query.Answers.then) > 0:
		a.refuse(ctx, "not_understood", SayNotUnderstood)
		return
	case a.opt.Thinker == nil:
		a.refuse(ctx, "no_thinker", SayNoThinker)
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
	a.opt.Bus.Publish(&event.Routed{Header: a.t.Header, Route: a.doc.Route, Intent: a.doc.Intent})
	a.doc.Stages.Route = time.Since(a.t.Begun).Milliseconds()
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
	if err == nil && !wrote && ctx.Err() == nil && a.notes.question() == nil {
		err = errNoAnswer
	}
	if err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "think", "component", "thinker", "error", err)
		a.fail("thinker")
		why := a.apologise(err)
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
	for delta, err := range a.opt.Thinker.Think(ctx, a.ask()) {
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
			a.doc.Stages.Route = time.Since(a.t.Begun).Milliseconds()
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
	a.opt.Tools.cite(a.notes, u.Sources)
	if u.Foreign {
		a.notes.foreign.Store(true)
	}
	a.doc.PromptTokens, a.doc.EvaluatedTokens, a.doc.OutputTokens = u.PromptTokens, u.Evaluated, u.OutputTokens
	a.doc.FirstTokenMS = u.FirstToken.Milliseconds()
}

// ask is the request as a thinker takes it.
func (a *answer) ask() llm.Ask {
	text := a.query.Text
	if a.doc.Route == "cloud" { // where it was heard better, perhaps
		text = a.doc.Transcript
	}
	mode := llm.Typed
	if a.doc.Source == "voice" {
		mode = llm.Voice
	}
	ask := a.asker()
	ask.Text, ask.Mode = text, mode
	return ask
}

// asker is who asks, where, and with which words, for calls of tools. Any goroutine may use it.
func (a *answer) asker() llm.Ask {
	return llm.Ask{
		Person: a.query.Person, Session: a.t.Session, Turn: a.t.Turn, Guest: a.opt.Guest,
		Said: *a.notes.said.Load(), Foreign: a.notes.foreign.Load(),
	}
}

func (d *Answerer) apologise(err error) string {
	if errors.Is(err, errNoAnswer) {
		return SayNothing
	}
	return d.opt.Thinker.Apology(err)
}

func (a *answer) announce(ctx context.Context, says *Announcement) {
	a.opt.Tools.cite(a.notes, says.Sources)
	if says.Foreign {
		a.notes.shown()
	}
	if time.Until(says.At) > 0 {
		defer a.speech.Forget()
		a.assemble(ctx, says)
	}
	if says.Chime {
		a.cue(ctx, cue.Notice)
	}
	a.say(ctx, line{text: says.Text})
	a.play(ctx, says.Sound)
}

// playPart is how much of a message is queued at once, in samples.
const playPart = audio.Rate / 10

// play plays what somebody has recorded.
func (a *answer) play(ctx context.Context, sound []int16) {
	if len(sound) == 0 {
		return
	}
	s, err := a.speech.Stream(audio.Rate)
	for len(sound) > 0 && err == nil && ctx.Err() == nil {
		n := min(playPart, len(sound))
		err = s.Play(ctx, sound[:n], func() { a.report(ctx, event.Speaking) })
		sound = sound[n:]
	}
	if err == nil {
		err = s.End(ctx)
	}
	if err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "play message", "component", "voice", "error", err)
	}
}

// assemble waits until the other boxes begin, with the first sentence ready.
func (a *answer) assemble(ctx context.Context, says *Announcement) {
	wait := time.NewTimer(time.Until(says.At))
	defer wait.Stop()
	for text := range voice.Pieces(says.Text) {
		a.speech.Prepare(ctx, text)
		break
	}
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
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
	for text := range voice.Pieces(l.text) {
		a.opt.Bus.Publish(&event.Said{Header: a.t.Header, Text: a.opt.words(text)})
		err := a.speech.Say(ctx, text, func() { a.report(ctx, event.Speaking) })
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			a.opt.Log.WarnContext(ctx, "speak answer", "component", "tts", "error", err)
			a.opt.Voice.Cue(cue.Failed)
			return
		}
	}
}

// cue plays an earcon before what is said next.
func (a *answer) cue(ctx context.Context, c cue.Cue) {
	if err := a.speech.Cue(ctx, c); err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "play earcon", "component", "voice", "error", err)
	}
}

// conclude completes the document once nothing more will be played.
func (a *answer) conclude(ctx context.Context) {
	req, st := a.spoken, &a.doc.Stages
	a.doc.Answer = a.speech.Text()
	a.opt.Tools.say(a.doc.Answer, a.notes.foreign.Load())
	if cause := context.Cause(ctx); cause != nil {
		a.doc.Answer = a.speech.Heard()
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
	if a.replied != nil {
		a.replied.turn.Cut(a.replied.stream.Heard())
	}
	a.remember()
	uses, took := a.notes.list()
	a.doc.Tools, st.Tool = uses, took.Milliseconds()
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
	if a.opt.Memory != nil && a.doc.Source != "announcement" {
		ask, answer := a.ask(), a.doc.Answer
		if ask.Foreign { // the person's own words are not
			answer = ""
		}
		ask.Foreign = a.notes.fresh.Load()
		a.opt.Memory.Remember(ask, answer)
	}
	if r := a.opt.Responder; r != nil && a.doc.Source != "announcement" && a.doc.Route != "cloud" {
		r.Note(a.ask(), a.doc.Answer)
	}
	th := a.opt.Thinker
	switch {
	case th == nil:
	case a.doc.Route == "intent", a.doc.Route == "cloud":
		th.Note(a.ask(), a.doc.Answer)
	case a.doc.Route == "local" && a.doc.Outcome != "answered":
		th.Heard(a.doc.Answer)
	}
}

// RingEnded tells that ids do not ring any more.
func (d *Answerer) RingEnded(h event.Header, ids []int64, reason string) {
	if len(ids) > 0 {
		d.opt.Bus.Publish(&event.RingEnded{Header: h, Timers: ids, Reason: reason})
		d.opt.Ringing.Timers.Ended(ids)
	}
}
