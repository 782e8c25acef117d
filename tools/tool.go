package tools

import (
	"context"
	"encoding/json"
	"time"

	"hearthd/llm"
)

// Tool is something that hearthd can do for a person. Call is given arguments
// that fit Spec().Parameters and returns before its context ends.
type Tool interface {
	Spec() llm.ToolSpec
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}

// Limited is implemented by a Tool that wants other bounds than the executor's
// defaults.
type Limited interface {
	Limits() Limits
}

// Limits bounds the runs of one tool. Zero values mean the executor's defaults.
type Limits struct {
	Timeout  time.Duration // longest run of one call
	Cooldown time.Duration // least time between two calls with the same arguments
}

// Result is what a tool has to say. Text is one or two plain sentences that can
// be spoken as they are and that a model can read; Data is for machines.
type Result struct {
	Text string `json:"text"`
	Data any    `json:"data,omitempty"`
}
