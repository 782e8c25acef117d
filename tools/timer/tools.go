package timer

import (
	"context"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// maxLength is the longest a timer may become.
const maxLength = 7 * 24 * time.Hour

// oneTimer is a timer that is to be set.
type oneTimer struct {
	Seconds int `json:"duration_s" need:"yes" min:"1" max:"604800" about:"seconds"`
	labelArgument
}

type setArguments struct {
	oneTimer
	More []oneTimer `json:"more" max:"20" about:"further timers that begin at the same time"`
}

type changeArguments struct {
	_ struct{} `oneof:"add_s,duration_s"`
	timerArgument
	Add     int `json:"add_s" min:"-604800" max:"604800" about:"seconds more, or less when negative"`
	Seconds int `json:"duration_s" min:"1" max:"604800" about:"seconds"`
}

// Tools makes the tools.
func (t *Timers) Tools() []tools.Tool {
	return slices.Concat([]tools.Tool{
		tools.Action("timer_set", "Starts a kitchen timer for so many minutes, or several.", t.callSet),
		tools.Query("timer_left", "Tells how much time is left on one timer or on all.", t.callLeft),
		sweeping("timer_cancel", "Cancels one timer, or all.", t.callCancel),
		tools.Action("timer_change", "Adds time to a running timer, takes some away, or sets what is left.", t.callChange),
		tools.Action("timer_again",
			"Starts a timer again for its whole length: one that runs, or the one that rang last.", t.callAgain),
		tools.Action("timer_pause", "Pauses a timer, or all.", t.callPause),
		tools.Action("timer_resume", "Lets a paused timer go on, or all.", t.callResume),
		tools.WithLimits(tools.Action("timer_undo", "Takes the last change of a timer, alarm or reminder back.", t.callUndo),
			tools.Limits{Undoes: undone, Unlisted: true}),
		t.chooseTool(),
	}, t.alarmTools(), t.reminderTools(), t.orderTools())
}

// sweeping is tools.Action for what may be done to all at once.
func sweeping[A any](name, description string, call func(context.Context, A) (tools.Result, error)) tools.Tool {
	return tools.WithLimits(tools.Action(name, description, call), tools.Limits{Grave: tools.Sweeping})
}

func (t *Timers) callSet(ctx context.Context, a setArguments) (tools.Result, error) {
	var fresh []Timer
	for _, s := range append([]oneTimer{a.oneTimer}, a.More...) {
		length := time.Duration(s.Seconds) * time.Second
		fresh = append(fresh, Timer{Kind: Countdown, Label: t.cleanLabel(s.Label), Length: length})
	}
	set, err := t.add(ctx, fresh...)
	if err != nil {
		return t.notSet(Countdown, err)
	}
	var all []phrase.Args
	for _, s := range set {
		all = append(all, t.about(s))
	}
	return t.kept(Countdown, t.Book.Say("timer.set", phrase.Args{"timers": all})+t.unsure(set[0])), nil
}

func (t *Timers) callLeft(ctx context.Context, a timerArgument) (tools.Result, error) {
	list, err := t.timers(ctx, Countdown)
	if err != nil {
		return tools.Result{}, err
	}
	label := t.meant(a)
	chosen := t.match(list, label)
	if len(chosen) == 0 {
		return t.result(Countdown, t.saidNone(list, label)), nil
	}
	t.recent.Set(ids(chosen))
	return t.result(Countdown, t.saidLeft(list, chosen)), nil
}

// callCancel cancels a timer. If one rings, that one is meant.
func (t *Timers) callCancel(ctx context.Context, a cancelArguments) (tools.Result, error) {
	if rang, err := t.silence(ctx, t.meant(a.timerArgument), Countdown, nil); err != nil || rang && !a.All {
		return t.result(Countdown, t.Book.Say("core.okay")), err
	}
	return t.choose(ctx, a, t.cancelling())
}

func (t *Timers) cancelling() deed {
	return deed{todo: "cancel", do: func(list, chosen []entry) (string, []entry, []int64) {
		return t.saidCancelled(list, chosen), nil, ids(chosen)
	}}
}

// callChange changes a timer. One that is heard to ring gets its time again. Otherwise it never sets a new one:
// if there is no such timer it says so.
func (t *Timers) callChange(ctx context.Context, a changeArguments) (tools.Result, error) {
	if off := t.ringing(t.meant(a.timerArgument), Countdown, nil); a.Add > 0 && len(off) > 0 && !t.Mute() {
		set, err := t.again(ctx, off, time.Duration(a.Add)*time.Second)
		if err != nil {
			return t.notSet(Countdown, err)
		}
		return t.kept(Countdown, t.Book.Say("timer.snoozed", t.about(set[0]))+t.unsure(set[0])), nil
	}
	change := func(list, chosen []entry) (string, []entry, []int64) {
		e := chosen[0] // of several with the same name, the next one
		left := e.left() + time.Duration(a.Add)*time.Second
		if a.Seconds > 0 {
			left = time.Duration(a.Seconds) * time.Second
		}
		one := t.one(list, e)
		if left > maxLength {
			return t.Book.Say("timer.too_long", one), nil, nil
		}
		one["left"] = left
		said := t.Book.Say("timer.changed", one)
		switch {
		case left <= 0: // more was taken than was left: it rings
			said = t.Book.Say("timer.up", one)
			e.run(0, t.wall())
		case e.Left > 0:
			e.Left = left
		default:
			e.run(left, t.wall())
		}
		return said, []entry{e}, nil
	}
	return t.choose(ctx, cancelArguments{timerArgument: a.timerArgument}, deed{todo: "change", single: true, do: change})
}

func (t *Timers) callPause(ctx context.Context, a cancelArguments) (tools.Result, error) {
	return t.toggle(ctx, a, "pause", false)
}

func (t *Timers) callResume(ctx context.Context, a cancelArguments) (tools.Result, error) {
	return t.toggle(ctx, a, "resume", true)
}

// Toggle lets timers that are paused go on, or pauses those that run. It reports whether there are any.
func (t *Timers) Toggle(ctx context.Context, run bool) (tools.Result, bool, error) {
	list, err := t.timers(ctx, Countdown)
	if err != nil || !slices.ContainsFunc(list, func(e entry) bool { return e.Left > 0 == run }) {
		return tools.Result{}, false, err
	}
	call := t.callPause
	if run {
		call = t.callResume
	}
	r, err := call(ctx, cancelArguments{})
	return r, true, err
}

// toggle pauses timers that run, or resumes those that are paused.
func (t *Timers) toggle(ctx context.Context, a cancelArguments, todo string, run bool) (tools.Result, error) {
	set := func(list, chosen []entry) (string, []entry, []int64) {
		key, those := "timer.toggled", t.one(list, chosen[0])
		if len(chosen) > 1 {
			key, those = "timer.toggled_some", t.many(Countdown, chosen)
		}
		those["running"] = run
		said := t.Book.Say(key, those)
		for i := range chosen {
			if e := &chosen[i]; run {
				e.run(e.Left, t.wall())
			} else {
				e.pause()
			}
		}
		return said, chosen, nil
	}
	return t.choose(ctx, a, deed{todo: todo, only: func(e entry) bool { return e.Left > 0 == run }, runs: run, do: set})
}
