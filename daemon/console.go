package daemon

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/llm"
	"hearthd/tools"
)

// console is the tools as the control API sees them.
type console struct {
	h      *house
	people []string
}

func (c console) Tools() []api.Tool {
	var list []api.Tool
	for _, t := range c.h.registry.List() {
		list = append(list, api.Tool{
			Name: t.Spec.Name, Description: t.Spec.Description, Parameters: t.Spec.Parameters,
			Origin: cmp.Or(t.Origin, "built in"), Triggers: t.Triggers,
			TimeoutS: t.Limits.Timeout.Seconds(), CooldownS: t.Limits.Cooldown.Seconds(),
			Confirm: t.Limits.Confirm || t.Limits.ConfirmFunc != nil, Person: t.Limits.Person, ReadOnly: t.Spec.ReadOnly,
		})
	}
	return list
}

// RunTool runs one call as a turn would, but for what is said: the events come in
// pairs, and the household's limits hold.
func (c console) RunTool(ctx context.Context, run api.ToolRun) (api.ToolOutcome, error) {
	if run.As != "" && !slices.Contains(c.people, run.As) {
		return api.ToolOutcome{}, dialogue.ErrPerson
	}
	ctx = llm.WithCaller(ctx, llm.Caller{Person: run.As})
	call := llm.ToolCall{ID: "console", Name: run.Name, Arguments: run.Arguments}
	begun := time.Now()
	var out answer.Outcome
	if run.Confirmed {
		out = c.h.toolbox.RunConfirmed(ctx, call, run.Question)
	} else {
		out = c.h.toolbox.Run(ctx, call)
	}
	answer := api.ToolOutcome{
		Outcome: out.Class, Text: out.Text, Question: out.Question, Foreign: out.Foreign,
		Data: out.Data, TookMS: time.Since(begun).Milliseconds(),
	}
	if out.Class == string(tools.Asked) {
		answer.Text = out.Question
	}
	if len(out.Sources) > 0 {
		answer.Sources = out.Sources
	}
	return answer, ctx.Err()
}
