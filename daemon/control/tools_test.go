package control

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// fakeTools has a bell and a door; the door asks first.
type fakeTools struct{}

func (fakeTools) Tools() []Tool {
	return []Tool{{Name: "bell", Description: "Rings.", Parameters: json.RawMessage(`{"type":"object"}`), Origin: "built in", ReadOnly: true}}
}

func (fakeTools) RunTool(_ context.Context, run ToolRun) (ToolOutcome, error) {
	switch {
	case run.As == "Mallory":
		return ToolOutcome{}, refusal("nobody of that name")
	case run.Name == "door" && !run.Confirmed:
		return ToolOutcome{Outcome: "asked", Text: "Open it?", Question: "Open it?"}, nil
	}
	return ToolOutcome{Outcome: "ok", Text: run.Name + string(run.Arguments) + run.As, Data: []int{1}, TookMS: 3}, nil
}

func TestToolsAreListedAndRun(t *testing.T) {
	r := onSocket(t)
	ask := func(method, path, body string) string {
		code, text := r.do(method, path, body)
		return fmt.Sprint(code, " ", text)
	}
	if got, want := ask("GET", "/v1/tools", ""), `200 [{"name":"bell","description":"Rings.","parameters":{"type":"object"},"origin":"built in","read_only":true}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for body, want := range map[string]string{
		`{"name":"bell","arguments":{"n":1},"as":"Ada"}`: `200 {"outcome":"ok","text":"bell{\"n\":1}Ada","data":[1],"took_ms":3}`,
		`{"name":"door"}`: `200 {"outcome":"asked","text":"Open it?","question":"Open it?","took_ms":0}`,
		`{"name":"door","confirmed":true,"question":"Open it?"}`: `200 {"outcome":"ok","text":"door","data":[1],"took_ms":3}`,
		`{"name":"door","confirmed":true}`:                       `400 {"error":"question is missing: what is confirmed is the answer to one"}`,
		`{"name":"bell","as":"Mallory"}`:                         `409 {"error":"nobody of that name"}`,
		`{"arguments":{}}`:                                       `400 {"error":"name is missing"}`,
		`{"name":"bell","args":{}}`:                              `400 {"error":"read request: json: unknown field \"args\""}`,
	} {
		if got := ask("POST", "/v1/tools/run", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
