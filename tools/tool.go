package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// Triggered is implemented by a Tool that whole sentences may start, without
// arguments and without a model.
type Triggered interface {
	Triggers() []string
}

// Result is what a tool has to say. Text is one or two plain sentences that can
// be spoken as they are and that a model can read; Data is for machines.
type Result struct {
	Text string `json:"text"`
	Data any    `json:"data,omitempty"`
	// Sources are what Text rests on, if it is from somewhere.
	Sources []llm.Source `json:"sources,omitempty"`
}

// Failure is the error of a tool that knows how to tell a person what went
// wrong. Say is one plain sentence; Cause is for the log alone.
type Failure struct {
	Say   string
	Cause error
}

func (f *Failure) Error() string { return f.Cause.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// ArgumentError is the error of a tool whose arguments fit the schema and still
// make no sense. A model is shown Reason.
type ArgumentError struct{ Reason string }

func (e *ArgumentError) Error() string { return e.Reason }

type function[A any] struct {
	spec llm.ToolSpec
	call func(context.Context, A) (Result, error)
}

// Func makes a Tool of a function whose arguments are a struct.
func Func[A any](spec llm.ToolSpec, call func(context.Context, A) (Result, error)) Tool {
	return function[A]{spec, call}
}

func (f function[A]) Spec() llm.ToolSpec { return f.spec }

func (f function[A]) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	var a A
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Result{}, &ArgumentError{fmt.Sprintf("decode arguments: %v", err)}
	}
	return f.call(ctx, a)
}
