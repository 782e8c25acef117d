package daemon

import (
	"cmp"
	"context"
	"slices"

	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/llm"
	"hearthd/tools"
)

// console is the tools as the control API sees them.
type console struct {
	h      *assistant
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
	call := tools.Call{
		ToolCall: llm.ToolCall{ID: "console", Name: run.Name, Arguments: run.Arguments}, For: llm.Ask{Person: run.As},
	}
	if run.Confirmed {
		call.Agreed = run.Question
	}
	out := c.h.toolbox.Run(ctx, call)
	answer := api.ToolOutcome{
		Outcome: string(out.Class), Text: out.Text, Question: out.Question, Foreign: out.Foreign,
		Data: out.Data, TookMS: out.Took.Milliseconds(),
	}
	if out.Class == tools.Asked {
		answer.Text = out.Question
	}
	if len(out.Sources) > 0 {
		answer.Sources = out.Sources
	}
	return answer, ctx.Err()
}
