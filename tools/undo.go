package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"hearthd/llm"
)

// undoTool is the name of the tool that takes back what was done last, whichever tool did that.
const undoTool = "undo"

// undoLimit is as long as the longest of the tools that take something back may need.
const undoLimit = 15 * time.Second

// undo calls the tool that takes back what was done last in a turn. The others say by Limits.Undoes what they take
// back, and each keeps for itself what that was.
type undo struct{ *Executor }

// Undo is a tool for what people mean by "undo that".
func (e *Executor) Undo() Tool { return undo{e} }

func (undo) Spec() llm.ToolSpec {
	return llm.ToolSpec{
		Name: undoTool, Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
		Description: "Takes back what was done last: an order to devices, a change of a list or of a timer.",
	}
}

func (u undo) Limits() Limits {
	return Limits{Timeout: undoLimit, ConfirmFunc: func(args json.RawMessage) string {
		if t, _ := u.taker(); t != nil {
			return t.question(args)
		}
		return ""
	}}
}

func (u undo) Call(ctx context.Context, call Call) (Result, error) {
	t, last := u.taker()
	switch {
	case t != nil:
		return t.tool.Call(ctx, call)
	case last == "":
		return Result{Text: u.registry.book.Say("tools.undo_nothing")}, nil
	}
	return Result{Text: u.registry.book.Say("tools.undo_cannot")}, nil
}

// taker is the tool that takes back what was done last, or nil, and the tool that did it.
func (e *Executor) taker() (t *entry, last string) {
	e.mu.Lock()
	last = e.last
	e.mu.Unlock()
	return e.registry.undoing(last), last
}

// did notes the tool of a call that a person asked for in a turn. What failed did nothing.
func (e *Executor) did(t *entry, call *Call, ok bool) {
	if call.For.Turn == 0 || t.spec.ReadOnly || t.spec.Name == undoTool {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last = t.spec.Name; !ok {
		e.last = ""
	}
}

// undoing is the tool that takes the last call of another one back, or nil.
func (r *Registry) undoing(name string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, t := range r.tools {
		if slices.Contains(t.limits.Undoes, name) {
			return t
		}
	}
	return nil
}
