package daemon

import (
	"context"
	"encoding/json"
	"errors"

	"hearthd/daemon/dialogue"
	"hearthd/llm"
	"hearthd/tools"
)

// announceTools is the tool that announces, when the turn that asks for it has
// ended.
func (d *Daemon) announceTools() []tools.Tool {
	return []tools.Tool{tools.Func(llm.ToolSpec{
		Name:        "announce",
		Description: "Announce a text to everybody in the room, after a chime.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["text"],
			"properties":{"text":{"type":"string","minLength":1,"maxLength":400}}}`),
	}, func(ctx context.Context, a struct {
		Text string `json:"text"`
	}) (tools.Result, error) {
		err := d.dialogue.Announce(ctx, tools.Sentence(a.Text), true, false)
		var refused dialogue.Refusal
		switch {
		case errors.Is(err, dialogue.ErrDND):
			return tools.Result{Text: "I am not to disturb anybody, so I announce nothing."}, nil
		case errors.Is(err, dialogue.ErrQuiet):
			return tools.Result{Text: "It is quiet time, so I announce nothing."}, nil
		case errors.As(err, &refused):
			return tools.Result{}, &tools.Failure{Say: "Sorry, I can't announce that now.", Cause: err}
		}
		return tools.Result{Text: "Okay."}, err
	})}
}
