package ears

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/vad/wake/enrolled"
)

const (
	// A word is made of enrollGood recordings that agree, out of at most enrollTries.
	enrollGood  = 3
	enrollTries = 8
	// maxRecorded is longer than any word with the silence around it, in samples.
	maxRecorded = 4 * audio.Rate
)

// Enroll records a new word with the person, and yields each step of it.
func (k *WordKeeper) Enroll(ctx context.Context, name string) iter.Seq2[api.EnrollStep, error] {
	return func(yield func(api.EnrollStep, error) bool) {
		if err := k.enroll(ctx, name, func(s api.EnrollStep) error {
			if !yield(s, nil) {
				return errEnough
			}
			return nil
		}); err != nil && !errors.Is(err, errEnough) {
			yield(api.EnrollStep{}, err)
		}
	}
}

func (k *WordKeeper) enroll(ctx context.Context, name string, tell func(api.EnrollStep) error) error {
	model, err := modelName(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(k.dir, model+modelExt)); err == nil { // the recording would hide it
		return refusal.Error(fmt.Sprintf("a model is installed as %s; record the word under another name", model))
	}
	end, err := k.recorder.Begin()
	if err != nil {
		return err
	}
	defer end()
	template, agreement, err := k.learn(ctx, name, tell)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.dir, 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := template.Save(filepath.Join(k.dir, model+enrolledExt)); err != nil {
		return err
	}
	done := api.EnrollStep{State: "done", Good: agreement.Good, Of: enrollGood, Spread: agreement.Spread, Model: model}
	return tell(done)
}

// learn records until enough recordings agree.
func (k *WordKeeper) learn(
	ctx context.Context, name string, tell func(api.EnrollStep) error,
) (*enrolled.Template, enrolled.Agreement, error) {
	var kept [][]int16
	var good int
	for range enrollTries {
		if err := tell(api.EnrollStep{State: "say", Good: good, Of: enrollGood}); err != nil {
			return nil, enrolled.Agreement{}, err
		}
		x, err := k.recorder.Record(ctx, maxRecorded)
		if err != nil {
			return nil, enrolled.Agreement{}, err
		}
		kept = append(kept, x)
		template, a, check, err := judge(name, kept)
		if err != nil {
			return nil, a, err
		}
		if p := check.Problem; p != enrolled.Good && p != enrolled.Different {
			kept = kept[:len(kept)-1] // no other can agree with it
		}
		good = a.Good
		if err := tell(api.EnrollStep{
			State: "heard", Good: good, Of: enrollGood, Problem: string(check.Problem),
			Seconds: check.Speech.Seconds(), Level: check.Level, Distance: check.Distance,
		}); err != nil {
			return nil, a, err
		}
		if good >= enrollGood {
			return template, a, nil
		}
	}
	return nil, enrolled.Agreement{},
		refusal.Error("the recordings do not agree; say the word the same way each time, or choose a longer one")
}

// judge makes a template of the recordings, and checks the last of them.
func judge(name string, list [][]int16) (*enrolled.Template, enrolled.Agreement, enrolled.Check, error) {
	alone := len(list) == 1
	if alone { // Learn compares, so the first one is compared with itself
		list = append(list, list[0])
	}
	t, a, err := enrolled.Learn(name, list)
	if err != nil && !errors.Is(err, enrolled.ErrDisagree) {
		return nil, a, enrolled.Check{}, err
	}
	if alone {
		a.Good /= 2
	}
	return t, a, a.Checks[len(list)-1], nil
}
