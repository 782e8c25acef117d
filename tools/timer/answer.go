package timer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// labelArgument is the label of a timer.
type labelArgument struct {
	Label string `json:"label" max:"40" about:"what it is for, such as pasta"`
}

// timerArgument names a timer that is set.
type timerArgument struct {
	labelArgument
	Length int `json:"length_s" min:"1" max:"604800" about:"or for how many seconds it was set: the ten minute timer"`
}

// meant is what the timer of a is called.
func (t *Timers) meant(a timerArgument) string {
	if a.Length == 0 || a.Label != "" {
		return a.Label
	}
	name := t.name(Timer{Kind: Countdown, Length: time.Duration(a.Length) * time.Second})
	return t.cleanLabel(strings.ReplaceAll(name, "-", " "))
}

type cancelArguments struct {
	timerArgument
	All    bool   `json:"all"`
	Except string `json:"except" max:"40" about:"of all, the one that stays as it is"`
}

// shown is a timer in a structured result.
type shown struct {
	ID     int64     `json:"id"`
	Kind   Kind      `json:"kind"`
	Label  string    `json:"label,omitempty"`
	Ends   time.Time `json:"ends"`
	Left   float64   `json:"left_s"`
	Paused bool      `json:"paused,omitempty"`
	Repeat string    `json:"repeat,omitempty"`
}

// failure is an error and the sentence for it.
func (t *Timers) failure(err error, key string, args ...phrase.Args) error {
	return &tools.Failure{Say: t.Book.Say(key, args...), Cause: err}
}

// notSet says that something was not set, and why.
func (t *Timers) notSet(kind Kind, err error) (tools.Result, error) {
	if errors.Is(err, errFull) {
		return tools.Result{Text: t.Book.Say("timer.full", phrase.Args{"n": maxTimers})}, nil
	}
	return tools.Result{}, t.failure(err, "timer.not_saved", phrase.Args{"kind": string(kind)})
}

// timers lists those of a kind, or fails if they cannot be read.
func (t *Timers) timers(ctx context.Context, kind Kind) ([]entry, error) {
	if err := t.load(ctx); err != nil {
		return nil, t.failure(err, "timer.unreachable", phrase.Args{"kind": string(kind)})
	}
	return of(t.snapshot(), kind), nil
}

// deed is something that is done with timers.
type deed struct {
	todo string           // its verb, as in the question which one is meant: pause
	only func(entry) bool // the timers with which it can be done; nil: all
	runs bool             // timers with which it cannot be done run already, and are not paused
	// single: it is done with one timer at a time.
	single bool
	do     func(list, chosen []entry) (said string, changed []entry, gone []int64)
}

// choose finds the timers that are meant, and does with them what d says. If it is not clear
// which are meant, it asks.
func (t *Timers) choose(ctx context.Context, a cancelArguments, d deed) (tools.Result, error) {
	label := t.meant(a.timerArgument)
	return t.act(ctx, d, a.All, func(list []entry) (meant []entry, none string) {
		meant = t.but(t.match(slices.Clone(list), label), a.Except)
		switch {
		case a.Except != "" && len(t.but(slices.Clone(list), a.Except)) == len(list):
			return nil, t.saidNone(list, a.Except)
		case len(meant) == 0 && len(t.match(list, label)) > 0:
			return nil, t.Book.Say("timer.no_other")
		case len(meant) == 0:
			return nil, t.saidNone(list, label)
		}
		return meant, ""
	})
}

// act does with the timers that pick chooses what d says; where it chooses none it says why. Of several that are not
// alike it asks which, unless all are meant.
func (t *Timers) act(ctx context.Context, d deed, all bool,
	pick func(list []entry) (meant []entry, none string)) (tools.Result, error) {
	var text string
	var several []entry
	told := t.result
	err := t.edit(ctx, func(entries []entry) (changed []entry, gone []int64) {
		list := of(entries, Countdown)
		meant, none := pick(list)
		chosen := meant
		if d.only != nil {
			chosen = slices.DeleteFunc(slices.Clone(meant), func(e entry) bool { return !d.only(e) })
		}
		switch {
		case len(meant) == 0:
			text = none
		case len(chosen) == 0:
			already := t.one(list, meant[0])
			already["running"] = d.runs
			text = t.Book.Say("timer.already", already)
		case !all && !t.alike(chosen):
			text, several = t.which(chosen, d.todo), chosen
		default:
			text, changed, gone = d.do(list, chosen)
			told = t.kept
		}
		return changed, gone
	})
	if err != nil {
		return tools.Result{}, t.failure(err, "timer.not_done", phrase.Args{"deed": d.todo})
	}
	if several == nil {
		return told(Countdown, text), nil
	}
	do := func(ctx context.Context, ids []int64) (tools.Result, error) {
		return t.act(ctx, d, true, t.those(ids))
	}
	if d.single {
		do = oneByOne(do)
	}
	return t.ask(Countdown, several, text, do), nil
}

// result makes a result of a text and the timers of a kind.
func (t *Timers) result(kind Kind, text string) tools.Result {
	list := []shown{}
	for _, e := range of(t.snapshot(), kind) {
		often := t.Book.Often(e.Repeat.Parts())
		list = append(list, shown{e.ID, e.Kind, e.Label, e.Ends, e.left().Seconds(), e.Left > 0, often})
	}
	// An order may contain device names, which devices choose themselves.
	return tools.Result{Text: text, Data: list, Foreign: kind == Order}
}

// kept is result for what the memory keeps from now on.
func (t *Timers) kept(kind Kind, text string) tools.Result {
	r := t.result(kind, text)
	r.Kept = true
	return r
}

// chooser is the tool that takes the answer to a question of which.
const chooser = "timer_choose"

// ask asks which of some is meant. do gets those that the answer chooses.
func (t *Timers) ask(kind Kind, list []entry, text string, do settle) tools.Result {
	t.asked.Set(&open{kind, ids(list), do})
	r := t.result(kind, text)
	r.Choose = chooser
	return r
}

// oneByOne does something that is done with one at a time.
func oneByOne(do settle) settle {
	return func(ctx context.Context, ids []int64) (all tools.Result, err error) {
		var said []string
		for _, id := range ids {
			if all, err = do(ctx, []int64{id}); err != nil {
				return tools.Result{}, err
			}
			said = append(said, all.Text)
		}
		all.Text = strings.Join(said, " ")
		return all, nil
	}
}

// those chooses timers by their ids, for act.
func (t *Timers) those(ids []int64) func([]entry) ([]entry, string) {
	return func(list []entry) ([]entry, string) { return among(list, ids), t.saidNone(list, "") }
}
