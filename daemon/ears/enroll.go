package ears

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/queue"
	"hearthd/daemon/refusal"
	"hearthd/vad"
	"hearthd/vad/wake/enrolled"
)

const (
	// A word is made of enrollGood recordings that agree, out of at most enrollTries.
	enrollGood  = 3
	enrollTries = 8
	// enrollWait is how long the person may take to say the word.
	enrollWait = 20 * time.Second
	// maxRecorded is longer than any word with the silence around it, in samples.
	maxRecorded = 4 * audio.Rate
)

// recorder takes utterances away from the dialogue while a word is enrolled. The
// listen goroutine calls take; everything else is the enrolment's.
type recorder struct {
	blank chan []int16  // cap 1: an empty buffer for the recording that is wanted
	full  chan []int16  // cap 1: the recording
	busy  chan struct{} // cap 1: full while a word is enrolled

	// Both belong to the listen goroutine:
	taking bool    // the open utterance is a recording
	now    []int16 // its samples so far; nil: nobody waits for it
}

func newRecorder() *recorder {
	return &recorder{blank: make(chan []int16, 1), full: make(chan []int16, 1), busy: make(chan struct{}, 1)}
}

// recording reports whether a word is being enrolled.
func (r *recorder) recording() bool { return len(r.busy) > 0 }

// take takes a signal of the segmenter, and reports whether it belongs to a recording. While
// a word is enrolled every utterance does, even if nobody waits for one.
func (r *recorder) take(s *vad.Signal) bool {
	switch s.Kind {
	case vad.Onset:
		r.taking = r.recording()
		if !r.taking {
			return false
		}
		select {
		case r.now = <-r.blank:
		default:
			r.now = nil
		}
		return true
	case vad.Audio:
		if r.taking && len(r.now)+len(s.Frame) <= cap(r.now) {
			r.now = append(r.now, s.Frame[:]...)
		}
		return r.taking
	case vad.End, vad.Discard:
		if !r.taking {
			return false
		}
		r.taking = false
		switch {
		case r.now == nil:
		case s.Kind == vad.Discard: // a click; the word is still to come
			queue.Offer(r.blank, r.now[:0])
		default:
			queue.Offer(r.full, r.now)
		}
		r.now = nil
		return true
	}
	return r.taking
}

// empty discards what an aborted enrolment has left behind.
func (r *recorder) empty() {
	for _, c := range []chan []int16{r.blank, r.full} {
		select {
		case <-c:
		default:
		}
	}
}

// record waits for one utterance.
func (r *recorder) record(ctx context.Context) ([]int16, error) {
	r.empty()
	queue.Offer(r.blank, make([]int16, 0, maxRecorded))
	limit := time.NewTimer(enrollWait)
	defer limit.Stop()
	select {
	case x := <-r.full:
		return x, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-limit.C:
		return nil, errNobody
	}
}

var errNobody = refusal.Error("nothing was heard within 20 s; hearthctl mic test shows why")

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
	if k.muted() {
		return refusal.Error("hearthd is muted; run hearthctl unmute")
	}
	select {
	case k.recorder.busy <- struct{}{}:
		defer func() { <-k.recorder.busy }()
	default:
		return refusal.Error("another word is being enrolled")
	}
	k.discard()
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
		x, err := k.recorder.record(ctx)
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
