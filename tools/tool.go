package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"hearthd/llm"
)

// Tool is something that hearthd can do for a person. Call is given arguments
// that fit Spec().Parameters and returns before its context ends.
type Tool interface {
	Spec() llm.ToolSpec
	Call(ctx context.Context, call Call) (Result, error)
}

// Call is one call of a tool, for somebody.
type Call struct {
	llm.ToolCall
	// For is the request that the call belongs to: who asks, where, with which words, and
	// whether words from outside the house stand in the conversation.
	For llm.Ask
	// Ask says that the person has to be asked before the call is run, whichever tool it is.
	Ask bool
	// Unsure says that For.Said is what a recogniser guessed. Unless the tool asks a question of
	// its own, those words are read back first.
	Unsure bool
	// Agreed is the question that the person has said yes to. A call that would be asked
	// about in other words by now, because "it" means another door, is asked about again.
	Agreed string
	// Recorded is what the person has said for it, mono at audio.Rate, or nil. It belongs
	// to the turn.
	Recorded []int16
}

// Limited is implemented by a Tool that needs other bounds than the executor's defaults.
type Limited interface {
	Limits() Limits
}

// Limits bounds the runs of one tool. Zero values mean the executor's defaults.
type Limits struct {
	Timeout  time.Duration // longest run of one call, without the wait for a person's yes
	Cooldown time.Duration // least time between two calls with the same arguments
	// Person says that the tool is refused unless one of the household is known to
	// ask: it shows or changes what belongs to that person.
	Person bool
	// Unlisted keeps the tool out of every list but Registry.Unlisted.
	Unlisted bool
	// Confirm says that a person is asked before each call, and that no clear yes
	// is a no: locks, the garage, purchases.
	Confirm bool
	// ConfirmFunc gives the question for some arguments: "Unlock the front door?",
	// or "" for those that need none. With it Confirm is not needed. It is called
	// with checked arguments, must not block, and may be nil.
	ConfirmFunc func(args json.RawMessage) string
	// Grave tells calls that do harm when nobody has asked for them: what they take away does not
	// come back, they open something, or they are for the whole house. What was not heard clearly
	// is read back before one. It gets checked arguments; nil: no call is grave.
	Grave func(args json.RawMessage) bool
	// Undoes are the tools whose last call this one takes back when it is called without arguments.
	Undoes []string
}

// Sweeping is Limits.Grave of a tool whose arguments say whether a call is for everything there
// is: all, or which "all" without an area.
func Sweeping(args json.RawMessage) bool {
	var a struct {
		All   bool
		Which string
		Area  string
	}
	return json.Unmarshal(args, &a) == nil && (a.All || a.Which == "all" && a.Area == "")
}

// LoudFrom is the volume, in percent, from which a player frightens people.
const LoudFrom = 80

// Loud is Limits.Grave of a tool whose argument percent is a volume: from LoudFrom on.
func Loud(args json.RawMessage) bool {
	var a struct{ Percent int }
	return json.Unmarshal(args, &a) == nil && a.Percent >= LoudFrom
}

// Always is Limits.Grave of a tool of which every call is grave.
func Always(json.RawMessage) bool { return true }

// WithLimits gives t other bounds than the executor's defaults.
func WithLimits(t Tool, l Limits) Tool { return bounded{t, l} }

type bounded struct {
	Tool
	limits Limits
}

func (b bounded) Limits() Limits { return b.limits }

func (b bounded) Triggers() []string {
	if t, ok := b.Tool.(Triggered); ok {
		return t.Triggers()
	}
	return nil
}

// Triggered is implemented by a Tool that certain sentences start, without arguments and without a
// model.
type Triggered interface {
	Triggers() []string
}

// Sourced is implemented by a Tool that somebody has added to the house.
type Sourced interface {
	Origin() string // the file or the server that it comes from
}

// Result is what a tool has to say. Text is one or two plain sentences that can
// be spoken as they are and that a model can read; Data is for machines.
type Result struct {
	Text string `json:"text"`
	Data any    `json:"data,omitempty"`
	// Sources are where Text comes from, if that is known.
	Sources []llm.Source `json:"sources,omitempty"`
	// Then says that Text is a question, and lists the requests that an answer to it may mean, in
	// which {answer} stands for the answer. Where no model phrases the answer, the first of them
	// that is understood is carried out.
	Then []string `json:"-"`
	// Choose says that Text asks which of several is meant, and names the tool that takes the answer, as intents of the
	// tool choose read it. Where a model phrases the answer, it makes the call again itself.
	Choose string `json:"-"`
	// Next is the call that follows from this one, where no model phrases the answer.
	Next *llm.ToolCall `json:"-"`
	// Record says that Text asks a person to speak, and that the call is to be made
	// again with what they say.
	Record bool `json:"-"`
	// Kept says that Text tells of something that the memory of the box keeps.
	Kept bool `json:"-"`
	// Foreign says that words of Text were written outside the house: a web page, a headline, the
	// title of an invitation, the name that a device gives itself, the output of a server. A model
	// is shown such text fenced, as data, and after it may call only what the person's own request
	// allows.
	Foreign bool `json:"foreign,omitempty"`
}

// Failure is the error of a tool that knows how to tell a person what went wrong. Say is one plain
// sentence; Cause is for the log alone. Told is further text for a model, in words from outside the
// house; it may be empty. Foreign says that Say contains such words too: the name of a device.
type Failure struct {
	Say     string
	Cause   error
	Told    string
	Foreign bool
}

func (f *Failure) Error() string { return f.Cause.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// ArgumentError is the error of a tool whose arguments fit the schema and still make no sense. A
// model reads Reason.
type ArgumentError struct{ Reason string }

func (e *ArgumentError) Error() string { return e.Reason }

type function[A any] struct {
	spec llm.ToolSpec
	call func(context.Context, Call, A) (Result, error)
}

// Func makes a Tool of a function whose arguments are a struct. If spec has no schema, it is
// derived from the struct, see parameters.
func Func[A any](spec llm.ToolSpec, call func(context.Context, A) (Result, error)) Tool {
	return CallFunc(spec, func(ctx context.Context, _ Call, a A) (Result, error) { return call(ctx, a) })
}

// CallFunc is Func for a function that needs to know for whom it is called.
func CallFunc[A any](spec llm.ToolSpec, call func(context.Context, Call, A) (Result, error)) Tool {
	if spec.Parameters == nil {
		spec.Parameters = parameters(reflect.TypeFor[A]())
	}
	return function[A]{spec, call}
}

// Query makes a Tool of a function that only looks something up.
func Query[A any](name, description string, call func(context.Context, A) (Result, error)) Tool {
	return Func(llm.ToolSpec{Name: name, Description: description, ReadOnly: true}, call)
}

// Action makes a Tool of a function that changes something.
func Action[A any](name, description string, call func(context.Context, A) (Result, error)) Tool {
	return Func(llm.ToolSpec{Name: name, Description: description}, call)
}

func (f function[A]) Spec() llm.ToolSpec { return f.spec }

func (f function[A]) Call(ctx context.Context, call Call) (Result, error) {
	var a A
	dec := json.NewDecoder(bytes.NewReader(call.Arguments))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Result{}, &ArgumentError{fmt.Sprintf("decode arguments: %v", err)}
	}
	return f.call(ctx, call, a)
}
