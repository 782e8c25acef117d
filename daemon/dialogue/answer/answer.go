package answer

import (
	"context"
	"errors"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
	"hearthd/llm"
)

// answer is the work of one turn's goroutine.
type answer struct {
	*Answerer
	t         *Turn
	query     *Query
	spoken    *Spoken // empty where the request is none
	names     string  // the question that a written request names as the one it answers
	reports   chan<- Report
	doc       *event.Turn
	notes     *notes
	speech    *voice.Speech
	replied   spoken.Turn   // turn at a responder that has answered, or nil
	reply     *voice.Stream // what it has said
	first     *voice.Speech // the first speech of what rings; otherwise speech
	elsewhere bool          // Home Assistant has answered, in a conversation of its own
	warned    bool          // an earcon has said already that something failed
	reminds   bool          // it says what rang while nobody was there
	lacks     string        // what an intent or the agent could not do, and why, where the thinker is asked instead
}

// toolAsk is who asks, where, and with which words, for calls of tools. Any goroutine may use it.
func (a *answer) toolAsk() llm.Ask {
	return llm.Ask{
		Person: a.query.Person, ByVoice: a.notes.aloud, Session: a.t.Session, Turn: a.t.Turn, Guest: a.opt.Guest,
		Said: *a.notes.said.Load(), Faint: a.spoken.Faint, Rival: a.spoken.Rival, Foreign: a.notes.foreign.Load(),
	}
}

// thinkerAsk is the request as a thinker takes it.
func (a *answer) thinkerAsk() llm.Ask {
	ask := a.toolAsk()
	ask.Text, ask.Mode = a.query.Text, llm.Typed
	if a.doc.Route == "cloud" { // the responder may have understood it better
		ask.Text = a.doc.Transcript
	}
	if a.doc.Source == "voice" {
		ask.Mode = llm.Voice
	}
	return ask
}

// report tells the loop the new state of the turn. The loop may be ending.
func (a *answer) report(ctx context.Context, s event.State) {
	select {
	case a.reports <- &Moved{a.t, s}:
	case <-ctx.Done():
	}
}

func (a *answer) routed() {
	a.opt.Bus.Publish(&event.Routed{Header: a.t.Header, Route: a.doc.Route, Intent: a.doc.Intent})
	a.doc.Stages.Route = time.Since(a.t.Begun).Milliseconds()
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

// warn plays, once in a turn, the earcon of what failed.
func (a *answer) warn(ctx context.Context) {
	if !a.warned {
		a.warned = true
		a.cue(ctx, cue.Failed)
	}
}

var errNoAnswer = errors.New("the model gave no answer")
