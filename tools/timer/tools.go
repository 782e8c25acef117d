package timer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

const (
	setParameters = `{"type":"object","properties":{"duration_s":{"type":"integer","minimum":1,"maximum":86400,"description":"seconds"},` +
		labelProperty + `},"required":["duration_s"],"additionalProperties":false}`
	leftParameters   = `{"type":"object","properties":{` + labelProperty + `},"additionalProperties":false}`
	cancelParameters = `{"type":"object","properties":{` + labelProperty + `,"all":{"type":"boolean"}},"additionalProperties":false}`
	labelProperty    = `"label":{"type":"string","maxLength":40,"description":"what the timer is for, such as pasta"}`
)

type setArguments struct {
	Seconds int    `json:"duration_s"`
	Label   string `json:"label"`
}

type leftArguments struct {
	Label string `json:"label"`
}

type cancelArguments struct {
	Label string `json:"label"`
	All   bool   `json:"all"`
}

// shown is a timer in structured results.
type shown struct {
	ID    int64     `json:"id"`
	Label string    `json:"label,omitempty"`
	Ends  time.Time `json:"ends"`
	Left  float64   `json:"left_s"`
}

// Tools makes the three tools.
func (t *Timers) Tools() []tools.Tool {
	spec := func(name, description, parameters string) llm.ToolSpec {
		return llm.ToolSpec{Name: name, Description: description, Parameters: json.RawMessage(parameters)}
	}
	return []tools.Tool{
		tools.Func(spec("timer_set", "Starts a kitchen timer.", setParameters), t.callSet),
		tools.Func(spec("timer_left", "Tells how much time is left on one timer or on all.", leftParameters), t.callLeft),
		tools.Func(spec("timer_cancel", "Cancels one timer, or all.", cancelParameters), t.callCancel),
	}
}

func (t *Timers) callSet(ctx context.Context, a setArguments) (tools.Result, error) {
	length := time.Duration(a.Seconds) * time.Second
	set, err := t.add(ctx, cleanLabel(a.Label), length)
	if errors.Is(err, errFull) {
		return t.result(fmt.Sprintf("You already have %s timers, so I did not set another.", tools.Words(maxTimers))), nil
	}
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I could not save the timer, so it is not set.", Cause: err}
	}
	text := tools.Sentence(strings.TrimSpace(set.Label+" timer")) + " set for " + tools.Duration(length) + "."
	return t.result(text), nil
}

func (t *Timers) callLeft(ctx context.Context, a leftArguments) (tools.Result, error) {
	if err := t.load(ctx); err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I can't get at the timers right now.", Cause: err}
	}
	list := t.snapshot()
	chosen := match(list, a.Label)
	if len(chosen) == 0 {
		return t.result(saidNone(list, a.Label)), nil
	}
	return t.result(saidLeft(list, chosen)), nil
}

func (t *Timers) callCancel(ctx context.Context, a cancelArguments) (tools.Result, error) {
	var text string
	err := t.cancel(ctx, func(list []running) []running {
		chosen := match(list, a.Label)
		switch {
		case len(chosen) == 0:
			text = saidNone(list, a.Label)
			return nil
		case !a.All && !alike(chosen):
			text = "You have " + named(chosen) + ". Which one should I cancel?"
			return nil
		}
		text = saidCancelled(list, chosen)
		return chosen
	})
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I could not cancel that.", Cause: err}
	}
	return t.result(text), nil
}

// result adds the running timers to what is said.
func (t *Timers) result(text string) tools.Result {
	list := []shown{}
	for _, r := range t.snapshot() {
		list = append(list, shown{r.ID, r.Label, r.Ends, time.Until(r.due).Seconds()})
	}
	return tools.Result{Text: text, Data: list}
}
