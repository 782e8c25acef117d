package tools

import (
	"context"
	"encoding/json"
	"testing"

	"hearthd/llm"
)

// saying is a tool that says something.
func saying(name, text string, readOnly bool) Tool {
	s := spec(name, `{"type":"object","properties":{}}`)
	s.ReadOnly = readOnly
	return Func(s, func(context.Context, struct{}) (Result, error) { return Result{Text: text}, nil })
}

func TestUndoIsForTheToolThatDidSomethingLast(t *testing.T) {
	e := newExecutor(t, ExecutorOptions{}, saying("lamp", "On.", false), saying("look", "It is on.", true), saying("play", "Playing.", false),
		WithLimits(saying("lamp_undo", "Off again.", false), Limits{Undoes: []string{"lamp", "lamp_undo"}}), saying("door", "Locked.", false),
		limited{saying("door_undo", "Unlocked.", false), Limits{Undoes: []string{"door"}, ConfirmFunc: func(json.RawMessage) string { return "Unlock it?" }}})
	if err := e.registry.Register(e.Undo()); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		turn         uint64
		tool, agreed string
		want         string
	}{
		{1, "undo", "", "There is nothing that I could undo."},
		{2, "lamp", "", "On."}, {3, "look", "", "It is on."}, {4, "undo", "", "Off again."}, {5, "undo", "", "Off again."},
		{6, "play", "", "Playing."}, {7, "undo", "", "That I cannot take back."},
		{8, "lamp", "", "On."}, {0, "play", "", "Playing."}, {9, "undo", "", "Off again."}, // nobody asked for it to play
		{10, "door", "", "Locked."}, {11, "undo", "", "Unlock it?"}, {12, "undo", "Unlock it?", "Unlocked."},
	} {
		out := e.Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: c.tool}, For: llm.Ask{Turn: c.turn}, Agreed: c.agreed})
		if got := out.Spoken(e.registry.book); got != c.want {
			t.Errorf("%d: %s says %q, want %q", i, c.tool, got, c.want)
		}
	}
}
