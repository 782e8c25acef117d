package answer

import (
	"context"
	"errors"
	"time"

	"hearthd/llm"
)

// sentenceQueue is how far a model may write ahead of the voice.
const sentenceQueue = 32

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
	if err == nil && !wrote && ctx.Err() == nil && a.notes.question(a.opt.Tools.book) == nil {
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

// write ranges over the thinker's answer.
func (a *answer) write(ctx context.Context, sentences chan<- line) (wrote bool, err error) {
	for delta, err := range a.opt.Thinker.Think(ctx, a.thinkerAsk()) {
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

func (d *Answerer) apologise(err error) string {
	if errors.Is(err, errNoAnswer) {
		return d.opt.Tools.book.Say("dialogue.nothing")
	}
	return d.opt.Thinker.Apology(err)
}
