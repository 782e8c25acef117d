package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"hearthd/llm"
	"hearthd/tools"
)

// speakerTools are the tools that act on the speaker itself. They run within
// turns, when the dialogue exists.
func (d *Daemon) speakerTools() []tools.Tool {
	return []tools.Tool{
		tools.Func(llm.ToolSpec{
			Name:        "volume_set",
			Description: "Set the volume of this speaker to a percentage, or change it by a step.",
			Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,
				"properties":{
					"percent":{"type":"integer","minimum":0,"maximum":100},
					"step":{"type":"integer","minimum":-100,"maximum":100,"description":"percent points up or down"}},
				"oneOf":[{"required":["percent"]},{"required":["step"]}]}`),
		}, func(ctx context.Context, a struct {
			Percent *int `json:"percent"`
			Step    int  `json:"step"`
		}) (tools.Result, error) {
			if a.Percent == nil {
				now, err := d.dialogue.StepVolume(ctx, a.Step)
				return volumeResult(now), err
			}
			return volumeResult(*a.Percent), d.dialogue.SetVolume(ctx, *a.Percent)
		}),
		tools.Func(llm.ToolSpec{
			Name:        "speaker_stop",
			Description: "Be quiet: stop speaking and drop what is waiting to be said.",
			Parameters:  json.RawMessage(`{"type":"object","additionalProperties":false}`),
		}, func(ctx context.Context, _ struct{}) (tools.Result, error) {
			return tools.Result{Text: "Okay."}, d.dialogue.Hush(ctx)
		}),
	}
}

func volumeResult(percent int) tools.Result {
	return tools.Result{
		Text: fmt.Sprintf("The volume is %d percent.", percent),
		Data: map[string]int{"percent": percent},
	}
}
