package timer

import (
	"context"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// callAgain starts a timer once more for its whole length: one that has just rung, or else one
// that runs, or else the last one that rang.
func (t *Timers) callAgain(ctx context.Context, a timerArgument) (tools.Result, error) {
	if err := t.load(ctx); err != nil {
		return tools.Result{}, t.failure(err, "timer.unreachable", phrase.Args{"kind": string(Countdown)})
	}
	last, ago, rang := t.lastRung(t.meant(a))
	running := t.match(of(t.snapshot(), Countdown), t.meant(a))
	if rang && (ago < snoozable || len(running) == 0) {
		return t.setAgain(ctx, last)
	}
	restart := func(list, chosen []entry) (string, []entry, []int64) {
		e := chosen[0]
		e.run(e.Length, t.wall())
		return t.Book.Say("timer.starts_again", t.one(list, e)) + t.unsure(e.Timer), []entry{e}, nil
	}
	return t.choose(ctx, cancelArguments{timerArgument: a}, deed{todo: "restart", single: true, do: restart})
}

// setAgain sets a timer like one that rang, and ends the ringing.
func (t *Timers) setAgain(ctx context.Context, last Timer) (tools.Result, error) {
	fresh := Timer{Kind: Countdown, Label: last.Label, Length: last.Length}
	if _, err := t.add(ctx, fresh); err != nil {
		return t.notSet(Countdown, err)
	}
	if _, err := t.silence(ctx, last.Label, Countdown, nil); err != nil {
		return tools.Result{}, t.failure(err, "timer.rings_on")
	}
	return t.kept(Countdown, t.Book.Say("timer.set_again", t.about(fresh))+t.unsure(fresh)), nil
}

// lastRung is the timer with a label that rang last, and how long ago that was.
func (t *Timers) lastRung(label string) (last Timer, ago time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Backward(t.rung) {
		if r.Timer.Kind == Countdown && r.Timer.Length > 0 && t.named(r.Timer, label) {
			return r.Timer, time.Since(r.at), true
		}
	}
	return Timer{}, 0, false
}
