package timer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

const (
	labelProperty  = `"label":{"type":"string","maxLength":40,"description":"what it is for, such as pasta"}`
	lengthProperty = `{"type":"integer","minimum":1,"maximum":604800,"description":"seconds"}`

	setParameters = `{"type":"object","properties":{"duration_s":` + lengthProperty + `,` + labelProperty +
		`,"more":{"type":"array","maxItems":20,"description":"further timers that begin at the same time","items":` +
		`{"type":"object","properties":{"duration_s":` + lengthProperty + `,` + labelProperty + `},"required":["duration_s"],"additionalProperties":false}}` +
		`},"required":["duration_s"],"additionalProperties":false}`
	leftParameters   = `{"type":"object","properties":{` + labelProperty + `},"additionalProperties":false}`
	cancelParameters = `{"type":"object","properties":{` + labelProperty + `,"all":{"type":"boolean"}` +
		`,"except":{"type":"string","maxLength":40,"description":"of all, the one that stays as it is"}},"additionalProperties":false}`
	changeParameters = `{"type":"object","properties":{` + labelProperty +
		`,"add_s":{"type":"integer","minimum":-604800,"maximum":604800,"description":"seconds more, or less when negative"}` +
		`,"duration_s":` + lengthProperty + `},"oneOf":[{"required":["add_s"]},{"required":["duration_s"]}],"additionalProperties":false}`
)

// maxLength is the longest a timer may become.
const maxLength = 7 * 24 * time.Hour

type setArguments struct {
	Seconds int            `json:"duration_s"`
	Label   string         `json:"label"`
	More    []setArguments `json:"more"`
}

type leftArguments struct {
	Label string `json:"label"`
}

type cancelArguments struct {
	Label  string `json:"label"`
	All    bool   `json:"all"`
	Except string `json:"except"`
}

type changeArguments struct {
	Label   string `json:"label"`
	Add     int    `json:"add_s"`
	Seconds int    `json:"duration_s"`
}

// shown is a timer in structured results.
type shown struct {
	ID     int64     `json:"id"`
	Kind   Kind      `json:"kind"`
	Label  string    `json:"label,omitempty"`
	Ends   time.Time `json:"ends"`
	Left   float64   `json:"left_s"`
	Paused bool      `json:"paused,omitempty"`
	Repeat string    `json:"repeat,omitempty"`
}

// Tools makes the tools.
func (t *Timers) Tools() []tools.Tool {
	return slices.Concat([]tools.Tool{
		tools.Func(spec("timer_set", "Starts a kitchen timer, or several.", setParameters), t.callSet),
		tools.Func(look("timer_left", "Tells how much time is left on one timer or on all.", leftParameters), t.callLeft),
		tools.Func(spec("timer_cancel", "Cancels one timer, or all.", cancelParameters), t.callCancel),
		tools.Func(spec("timer_change", "Adds time to a running timer, takes some away, or sets what is left.", changeParameters), t.callChange),
		tools.Func(spec("timer_again", "Starts a timer again for its whole length: one that runs, or the one that rang last.", leftParameters), t.callAgain),
		tools.Func(spec("timer_pause", "Pauses a timer, or all.", cancelParameters), t.callPause),
		tools.Func(spec("timer_resume", "Lets a paused timer go on, or all.", cancelParameters), t.callResume),
	}, t.alarmTools(), t.reminderTools(), t.orderTools())
}

func spec(name, description, parameters string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Description: description, Parameters: json.RawMessage(parameters)}
}

// look is the spec of a tool that changes nothing.
func look(name, description, parameters string) llm.ToolSpec {
	s := spec(name, description, parameters)
	s.ReadOnly = true
	return s
}

func (t *Timers) callSet(ctx context.Context, a setArguments) (tools.Result, error) {
	var fresh []Timer
	for _, s := range append([]setArguments{a}, a.More...) {
		fresh = append(fresh, Timer{Kind: Countdown, Label: cleanLabel(s.Label), Length: time.Duration(s.Seconds) * time.Second})
	}
	set, err := t.add(ctx, fresh...)
	if err != nil {
		return t.notSet("timer", err)
	}
	var said []string
	for _, s := range set {
		said = append(said, strings.TrimSpace(s.Label+" timer")+" set for "+tools.Duration(s.Length))
	}
	return t.result(Countdown, tools.Sentence(some(said))+"."), nil
}

// notSet says that something was not set, and why.
func (t *Timers) notSet(what string, err error) (tools.Result, error) {
	if errors.Is(err, errFull) {
		return tools.Result{Text: fmt.Sprintf("You already have %s timers and alarms, so I did not set another.", tools.Words(maxTimers))}, nil
	}
	return tools.Result{}, &tools.Failure{Say: "Sorry, I could not save the " + what + ", so it is not set.", Cause: err}
}

// timers gives those of a kind, or the failure to read them.
func (t *Timers) timers(ctx context.Context, kind Kind) ([]entry, error) {
	if err := t.load(ctx); err != nil {
		return nil, &tools.Failure{Say: "Sorry, I can't get at the " + string(kind) + "s right now.", Cause: err}
	}
	return of(t.snapshot(), kind), nil
}

func (t *Timers) callLeft(ctx context.Context, a leftArguments) (tools.Result, error) {
	list, err := t.timers(ctx, Countdown)
	if err != nil {
		return tools.Result{}, err
	}
	chosen := match(list, a.Label)
	if len(chosen) == 0 {
		return t.result(Countdown, saidNone(list, a.Label)), nil
	}
	return t.result(Countdown, saidLeft(list, chosen)), nil
}

// callCancel cancels what runs. What rings is meant before that.
func (t *Timers) callCancel(ctx context.Context, a cancelArguments) (tools.Result, error) {
	if rang, err := t.silence(ctx, a.Label, Countdown); err != nil || rang && !a.All {
		return t.result(Countdown, "Okay."), err
	}
	return t.choose(ctx, a, deed{todo: "cancel", do: func(list, chosen []entry) (string, []entry, []int64) {
		return saidCancelled(list, chosen), nil, ids(chosen)
	}})
}

func ids(list []entry) []int64 {
	all := make([]int64, len(list))
	for i, e := range list {
		all[i] = e.ID
	}
	return all
}

// deed is what is done with timers.
type deed struct {
	todo string           // as a question asks for it: pause
	only func(entry) bool // those that it can be done with; nil: all
	done string           // what the others are: paused
	do   func(list, chosen []entry) (said string, changed []entry, gone []int64)
}

// choose finds the timers that are meant, asks back when that is not clear, and
// does with them what d says.
func (t *Timers) choose(ctx context.Context, a cancelArguments, d deed) (tools.Result, error) {
	var text string
	var then []string
	err := t.edit(ctx, func(all []entry) (changed []entry, gone []int64) {
		list := of(all, Countdown)
		meant := but(match(slices.Clone(list), a.Label), a.Except)
		chosen := meant
		if d.only != nil {
			chosen = slices.DeleteFunc(slices.Clone(meant), func(e entry) bool { return !d.only(e) })
		}
		switch {
		case a.Except != "" && len(but(slices.Clone(list), a.Except)) == len(list):
			text = saidNone(list, a.Except)
		case len(meant) == 0 && len(match(list, a.Label)) > 0:
			text = "You have no other timers."
		case len(meant) == 0:
			text = saidNone(list, a.Label)
		case len(chosen) == 0:
			text = fmt.Sprintf("The %s is already %s.", among(list, meant[0]), d.done)
		case !a.All && !alike(chosen):
			text, then = which(chosen, d.todo)
		default:
			text, changed, gone = d.do(list, chosen)
		}
		return changed, gone
	})
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I could not " + d.todo + " that.", Cause: err}
	}
	return t.asking(Countdown, text, then), nil
}

// callChange changes a timer. It never sets another: who speaks of a timer that is not
// there is told so.
func (t *Timers) callChange(ctx context.Context, a changeArguments) (tools.Result, error) {
	return t.choose(ctx, cancelArguments{Label: a.Label}, deed{todo: "change", do: func(list, chosen []entry) (string, []entry, []int64) {
		e := chosen[0] // of several that are called the same, the next one
		left := e.left() + time.Duration(a.Add)*time.Second
		if a.Seconds > 0 {
			left = time.Duration(a.Seconds) * time.Second
		}
		if left <= 0 || left > maxLength {
			return fmt.Sprintf("There are %s left on the %s, so I left it alone.", tools.Duration(e.left()), among(list, e)), nil, nil
		}
		said := fmt.Sprintf("The %s now has %s left.", among(list, e), tools.Duration(left))
		if e.Left > 0 {
			e.Left = left
		} else {
			e.run(left, t.wall())
		}
		return said, []entry{e}, nil
	}})
}

func (t *Timers) callPause(ctx context.Context, a cancelArguments) (tools.Result, error) {
	return t.toggle(ctx, a, "pause", "paused", false)
}

func (t *Timers) callResume(ctx context.Context, a cancelArguments) (tools.Result, error) {
	return t.toggle(ctx, a, "resume", "running again", true)
}

// toggle pauses what runs, or lets run what is paused.
func (t *Timers) toggle(ctx context.Context, a cancelArguments, todo, done string, run bool) (tools.Result, error) {
	return t.choose(ctx, a, deed{todo, func(e entry) bool { return e.Left > 0 == run }, done, func(list, chosen []entry) (string, []entry, []int64) {
		said := fmt.Sprintf("The %s is %s, with %s left.", among(list, chosen[0]), done, tools.Duration(chosen[0].left()))
		if len(chosen) > 1 {
			said = fmt.Sprintf("%s are %s.", tools.Sentence(names(chosen)), done)
		}
		for i := range chosen {
			if e := &chosen[i]; run {
				e.run(e.Left, t.wall())
			} else {
				e.pause()
			}
		}
		return said, chosen, nil
	}})
}

// asking is the result of a text that may be a question.
func (t *Timers) asking(kind Kind, text string, then []string) tools.Result {
	r := t.result(kind, text)
	r.Then = then
	return r
}

// result adds the timers of a kind to what is said.
func (t *Timers) result(kind Kind, text string) tools.Result {
	list := []shown{}
	for _, e := range of(t.snapshot(), kind) {
		list = append(list, shown{e.ID, e.Kind, e.Label, e.Ends, e.left().Seconds(), e.Left > 0, e.Repeat.String()})
	}
	return tools.Result{Text: text, Data: list, Foreign: kind == Order} // an order names devices as they call themselves
}
