package prints

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/llm/wyoming"
	"hearthd/memory"
)

const (
	// A voice is known by good recordings that agree, out of at most tries.
	good, tries = 3, 8
	// whole is how much voice one has to have, in samples.
	whole = 3 * audio.Rate / 2
	// recorded is more than anybody says in one sentence, in samples.
	recorded = 15 * audio.Rate
)

// errEnough says that the caller does not want to hear the rest.
var errEnough = errors.New("enough was heard")

// Enroll records the voice of a person, and yields each step of it.
func (p *Prints) Enroll(ctx context.Context, person string) iter.Seq2[api.EnrollStep, error] {
	return func(yield func(api.EnrollStep, error) bool) {
		err := p.enroll(ctx, person, func(s api.EnrollStep) error {
			if !yield(s, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(api.EnrollStep{}, err)
		}
	}
}

func (p *Prints) enroll(ctx context.Context, person string, tell func(api.EnrollStep) error) error {
	switch {
	case p.opt.Server == "":
		return refusal.Error("memory.voices names no hearth-speech that could tell voices apart: hearthctl voice --help " +
			"says how to get one")
	case !slices.Contains(p.opt.People, person):
		return refusal.Error("nobody of that name is in memory.people")
	}
	end, err := p.opt.Recorder.Begin()
	if err != nil {
		return err
	}
	defer end()
	prints, model, err := p.learn(ctx, tell)
	if err != nil {
		return err
	}
	if err := p.distinct(ctx, person, prints); err != nil {
		return err
	}
	vectors := make([][]float32, len(prints))
	for i, made := range prints {
		vectors[i] = made.Print
	}
	if err := p.opt.Store.SetVoicePrints(ctx, person, model, vectors...); err != nil {
		return err
	}
	return tell(api.EnrollStep{State: "done", Good: good, Of: good, Model: model})
}

// learn records until enough recordings agree, and gives their prints.
func (p *Prints) learn(ctx context.Context, tell func(api.EnrollStep) error) ([]wyoming.Print, string, error) {
	var kept, agree []wyoming.Print
	for range tries {
		if err := tell(api.EnrollStep{State: "say", Good: len(agree), Of: good}); err != nil {
			return nil, "", err
		}
		samples, err := p.opt.Recorder.Record(ctx, recorded)
		if err != nil {
			return nil, "", err
		}
		said := voiced(samples)
		step := api.EnrollStep{State: "heard", Of: good, Seconds: float64(len(said)) / audio.Rate}
		made := wyoming.Print{}
		if len(said) >= whole {
			if made, err = p.print(ctx, said); err != nil {
				return nil, "", refusal.Error(fmt.Sprintf("there is no print of the voice: %v", err))
			}
		}
		if len(made.Print) == 0 {
			step.Good, step.Problem = len(agree), "too short: say a whole sentence"
		} else {
			like := slices.DeleteFunc(slices.Clone(kept), func(k wyoming.Print) bool {
				return k.Model != made.Model || len(k.Print) != len(made.Print) ||
					cosine(k.Print, made.Print) < made.Likely
			})
			if len(kept) > 0 && len(like) == 0 {
				step.Problem = "not like the one before: only one person may speak"
			}
			kept, agree = append(kept, made), append(like, made)
			step.Good = len(agree)
		}
		if err := tell(step); err != nil {
			return nil, "", err
		}
		if len(agree) >= good {
			return agree[:good], agree[0].Model, nil
		}
	}
	return nil, "", refusal.Error("the recordings do not agree; say the sentences alone and in your usual voice")
}

// distinct refuses a voice that would be taken for somebody else's.
func (p *Prints) distinct(ctx context.Context, person string, prints []wyoming.Print) error {
	known, err := p.opt.Store.VoicePrints(ctx)
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(k memory.VoicePrint) bool { return k.Person == person })
	for _, made := range prints {
		known = append(known, memory.VoicePrint{Person: person, Model: made.Model, Print: made.Print})
	}
	for _, made := range prints {
		if who, _, _ := nearest(made, known); who != person {
			return refusal.Error("the voice is too much like one that is known already to tell the two apart")
		}
	}
	return nil
}
