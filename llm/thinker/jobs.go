package thinker

import (
	"context"
	"sync"
	"time"

	"hearthd/llm"
)

// maxJobs bounds the background jobs that wait. One runs at a time: more would keep a
// small box from answering.
const maxJobs = 4

// startJob queues a background job and says so.
func (t *Thinker) startJob(ctx context.Context, d *Domain, ask llm.Ask, yield func(llm.Delta, error) bool) {
	r := t.begin(ctx, d, ask, true, yield)
	r.promise = true
	answer := t.queue(d, ask)
	r.end(ctx, Satisfied, r.say(ctx, []string{answer}))
}

// queue queues a background job and returns what is to be said about it.
func (t *Thinker) queue(d *Domain, ask llm.Ask) string {
	ask.Turn = 0 // the turn ends before the job does
	select {
	case t.jobs <- job{d, ask, t.forgotten()}:
		return t.opt.Book.Say("thinker.looking")
	default:
		return t.opt.Book.Say("thinker.occupied")
	}
}

// Run does, until ctx ends, what can be done between the turns: background jobs, ending a
// conversation after an hour of silence, and embedding the examples that routing compares with. It
// returns nil.
func (t *Thinker) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { t.work(ctx) })
	if t.opt.Meanings != nil {
		running.Go(func() { t.learnExamples(ctx) })
	}
	silence := time.NewTimer(sessionTTL)
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.wake:
			silence.Reset(sessionTTL)
		case <-silence.C:
			t.expire()
		}
	}
}

// learnRetry is the pause between two attempts to reach the embedding model.
const learnRetry = 5 * time.Minute

// learnExamples embeds the examples once the embedding model answers, and again when they have
// changed.
func (t *Thinker) learnExamples(ctx context.Context) {
	for {
		t.mu.Lock()
		r, known := t.router, t.router.vectors != nil
		t.mu.Unlock()
		var again <-chan time.Time
		if !known && !t.learn(ctx, r) {
			again = time.After(learnRetry)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-t.relearn:
		}
	}
}

// learn makes r compare with its examples, and reports whether it can.
func (t *Thinker) learn(ctx context.Context, r *router) bool {
	examples, err := r.learn(ctx)
	if err != nil {
		t.opt.Log.DebugContext(ctx, "routing uses words alone", "component", "thinker", "error", err)
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.vectors = examples
	return true
}

// work runs background jobs, one after the other.
func (t *Thinker) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-t.jobs:
			t.finishJob(ctx, j)
		}
	}
}

// noteJob adds the answer of a job to the conversation, unless it is to be forgotten. A turn that
// is going on is not disturbed, and stays the newest one, which Heard refers to.
func (t *Thinker) noteJob(j job, answer string, foreign bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if j.age != t.age {
		return false
	}
	t.conv.insert(&exchange{
		user: "(The answer to an earlier request is ready: " + j.ask.Text + ")", mode: j.ask.Mode, answer: answer,
		closed: true, foreign: foreign,
	}, t.conv.newest != nil && t.conv.newest.thinking)
	t.conv.trim(t.opt.MaxTokens)
	t.touch()
	return true
}

// finishJob finds the answer in a separate conversation and announces it.
func (t *Thinker) finishJob(ctx context.Context, j job) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	t.mu.Lock()
	t.giveUp = giveUp
	forgotten := j.age != t.age
	t.mu.Unlock()
	if forgotten {
		return
	}
	answer, foreign, err := t.apart(ctx, j.domain, j.ask)
	t.mu.Lock()
	t.giveUp = nil
	t.mu.Unlock()
	if ctx.Err() != nil {
		return // hearthd stops, or the job is to be forgotten
	}
	text := t.opt.Book.Say("thinker.found") + " " + answer.Text
	if err != nil {
		t.opt.Log.WarnContext(ctx, "background job failed", "component", "thinker", "domain", j.domain.Name,
			"error", err)
		text = t.opt.Book.Say("thinker.not_found")
	}
	if !t.noteJob(j, text, foreign) {
		return
	}
	if t.opt.Announce != nil {
		t.opt.Announce(context.WithoutCancel(ctx), Kept{text, answer.Sources})
	}
}
