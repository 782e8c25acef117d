package timer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hearthd/tools"
)

// callAgain starts a timer once more for its whole length: one that has just rung, or else one
// that runs, or else the last one that rang.
func (t *Timers) callAgain(ctx context.Context, a labelArgument) (tools.Result, error) {
	if err := t.load(ctx); err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I can't get at the timers right now.", Cause: err}
	}
	last, ago, rang := t.lastRung(a.Label)
	running := match(of(t.snapshot(), Countdown), a.Label)
	if rang && (ago < snoozable || len(running) == 0) {
		return t.setAgain(ctx, last)
	}
	restart := func(list, chosen []entry) (string, []entry, []int64) {
		e := chosen[0]
		e.run(e.Length, t.wall())
		return fmt.Sprintf("The %s starts again: %s.", shortName(list, e), tools.Duration(e.Length)), []entry{e}, nil
	}
	return t.choose(ctx, cancelArguments{labelArgument: a}, deed{todo: "restart", do: restart})
}

// setAgain sets a timer like one that rang, and ends the ringing.
func (t *Timers) setAgain(ctx context.Context, last Timer) (tools.Result, error) {
	fresh := Timer{Kind: Countdown, Label: last.Label, Length: last.Length}
	if _, err := t.add(ctx, fresh); err != nil {
		return t.notSet("timer", err)
	}
	if _, err := t.silence(ctx, last.Label, Countdown); err != nil {
		return tools.Result{}, &tools.Failure{Say: "The timer is set again, but I could not end the ringing.", Cause: err}
	}
	text := fmt.Sprintf("%s set again for %s.", name(fresh), tools.Duration(fresh.Length))
	return t.result(Countdown, tools.Sentence(text)), nil
}

// lastRung is the timer with a label that rang last, and how long ago that was.
func (t *Timers) lastRung(label string) (last Timer, ago time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Backward(t.rung) {
		if r.Timer.Kind == Countdown && r.Timer.Length > 0 && named(r.Timer, label) {
			return r.Timer, time.Since(r.at), true
		}
	}
	return Timer{}, 0, false
}
