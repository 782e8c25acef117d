package ears

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/vad/wake/remote"
)

// maxTuning bounds how much talk may be wanted: nobody waits for more.
const maxTuning = 10 * time.Hour

// Tune finds how sure a hearth-speech has to be of a phrase, in the talk that the box hears from now on. What is said
// goes to no other machine for that.
func (k *WordKeeper) Tune(ctx context.Context, of api.Tune) iter.Seq2[api.TuneStep, error] {
	return func(yield func(api.TuneStep, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		want := time.Duration(of.Minutes * float64(time.Minute))
		switch {
		case !strings.HasPrefix(of.Server, "unix:"):
			yield(api.TuneStep{}, refusal.Error("the server has to be one of this machine, unix:/PATH"))
			return
		case want <= 0 || want > maxTuning:
			yield(api.TuneStep{}, refusal.Error(fmt.Sprintf("%g minutes: want more than 0, and at most %g", of.Minutes,
				maxTuning.Minutes())))
			return
		case k.recorder.muted():
			yield(api.TuneStep{}, refusal.Error("hearthd is muted; run hearthctl unmute"))
			return
		}
		found, err := remote.Tune(ctx, of.Server, of.Phrase, want, k.recorder.Overhear(ctx), func(t remote.Tuned) {
			if !yield(tuneStep(t), nil) {
				cancel(errEnough)
			}
		})
		if errors.Is(context.Cause(ctx), errEnough) {
			return
		}
		if err != nil {
			yield(tuneStep(found), err)
			return
		}
		done := tuneStep(found)
		done.Done = true
		yield(done, nil)
	}
}

func tuneStep(t remote.Tuned) api.TuneStep {
	return api.TuneStep{Minutes: t.Talk.Minutes(), Cutoff: t.Cutoff, Alarms: t.Alarms}
}
