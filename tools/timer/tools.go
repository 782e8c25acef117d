package timer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

const (
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

type changeArguments struct {
	Label   string `json:"label"`
	Add     int    `json:"add_s"`
	Seconds int    `json:"duration_s"`
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

// callChange changes a timer. It never sets another: who speaks of a timer that is not
// there is told so.
func (t *Timers) callChange(ctx context.Context, a changeArguments) (tools.Result, error) {
	return t.choose(ctx, cancelArguments{Label: a.Label}, deed{todo: "change", do: func(list, chosen []entry) (string, []entry, []int64) {
		e := chosen[0] // of several that are called the same, the next one
		left := e.left() + time.Duration(a.Add)*time.Second
		if a.Seconds > 0 {
			left = time.Duration(a.Seconds) * time.Second
		}
		said := fmt.Sprintf("The %s now has %s left.", among(list, e), tools.Duration(left))
		switch {
		case left > maxLength:
			return fmt.Sprintf("There are %s left on the %s, so I left it alone.", tools.Duration(e.left()), among(list, e)), nil, nil
		case left <= 0: // more was taken than was left: it rings
			said = fmt.Sprintf("The %s is up.", among(list, e))
			e.run(0, t.wall())
		case e.Left > 0:
			e.Left = left
		default:
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
