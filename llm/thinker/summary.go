package thinker

import (
	"context"
	"errors"
	"strings"
	"time"

	"hearthd/config/letters"
	"hearthd/llm"
)

const (
	// summaryEvery is how many turns go into a summary at a time.
	summaryEvery = 10
	maxSummary   = 2000 // bytes
	// keepLimit bounds the last write.
	keepLimit = time.Second
)

// keep writes what is new to the journal. What cannot be written waits for the next time.
func (r *Reflector) keep(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.unkept) == 0 {
		return
	}
	if err := r.opt.Journal.Keep(ctx, r.unkept); err != nil {
		r.opt.Log.Warn("keep exchanges for the summary", "component", "memory", "error", err)
		return
	}
	r.unkept = nil
}

// resume ends the conversation that the last process left behind, if its turns wait for a summary.
func (r *Reflector) resume(ctx context.Context) {
	left, err := r.opt.Journal.Unmerged(ctx)
	if err != nil && ctx.Err() == nil {
		r.opt.Log.Warn("read exchanges that wait for a summary", "component", "memory", "error", err)
	}
	if len(left) > 0 {
		r.end()
	}
}

// merge updates the summaries that are due: all of them when a conversation has ended.
func (r *Reflector) merge(ctx context.Context, age int, ended bool) error {
	waiting, err := r.opt.Journal.Unmerged(ctx)
	for person, turns := range byPerson(waiting) {
		if ended || len(turns) >= summaryEvery {
			err = errors.Join(err, r.summarise(ctx, age, person, turns))
		}
	}
	return err
}

func byPerson(turns []llm.Exchange) map[string][]llm.Exchange {
	people := make(map[string][]llm.Exchange)
	for _, e := range turns {
		people[e.Person] = append(people[e.Person], e)
	}
	return people
}

// summarise merges turns into the summary of a person.
func (r *Reflector) summarise(ctx context.Context, age int, person string, turns []llm.Exchange) error {
	before, err := r.opt.Journal.Summary(ctx, person)
	if err != nil {
		return err
	}
	text, err := r.ask(ctx, age, llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: r.prompts.Load().Summary},
		{Role: llm.User, Content: "Summary so far: " + before + "\n\nNew:\n" + transcript(turns)},
	}})
	if err != nil {
		return err
	}
	if text = strings.Join(r.writing.sentences(text), " "); text == "" { // it is read out too
		return errors.New("the model gave no summary")
	}
	return r.write(age, func() error {
		return r.opt.Journal.SetSummary(ctx, person, letters.Cut(text, maxSummary), turns[len(turns)-1].ID)
	})
}
