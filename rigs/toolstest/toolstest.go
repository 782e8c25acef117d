// Package toolstest offers and calls tools for tests. It runs no goroutine.
package toolstest

import (
	"encoding/json"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Named are tools by their names. A registry takes all of them.
func Named(t testing.TB, all []tools.Tool) map[string]tools.Tool {
	t.Helper()
	if err := tools.NewRegistry(phrase.English()).Register(all...); err != nil {
		t.Fatal(err)
	}
	named := make(map[string]tools.Tool)
	for _, tool := range all {
		named[tool.Spec().Name] = tool
	}
	return named
}

// Call calls a tool with arguments that it accepts.
func Call(t testing.TB, tool tools.Tool, args string) tools.Result {
	t.Helper()
	r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r
}
