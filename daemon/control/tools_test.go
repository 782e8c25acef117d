package control

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// fakeTools has a bell and a door; the door asks first.
type fakeTools struct{ fakeServers }

func (fakeTools) Tools() []api.Tool {
	return []api.Tool{{Name: "bell", Description: "Rings.", Parameters: json.RawMessage(`{"type":"object"}`),
		Origin: "built in", ReadOnly: true}}
}

func (fakeTools) RunTool(_ context.Context, run api.ToolRun) (api.ToolOutcome, error) {
	switch {
	case run.As == "Mallory":
		return api.ToolOutcome{}, refusal.Error("nobody of that name")
	case run.Name == "door" && !run.Confirmed:
		return api.ToolOutcome{Outcome: "asked", Text: "Open it?", Question: "Open it?"}, nil
	}
	return api.ToolOutcome{Outcome: "ok", Text: run.Name + string(run.Arguments) + run.As, Data: []int{1}, TookMS: 3},
		nil
}

// fakeServers have an oven that has changed.
type fakeServers struct{}

func (fakeServers) ToolChanges() []api.ToolChange {
	return []api.ToolChange{{Server: "bakery", Tool: "oven", Hash: "12ab", Description: "Heats."}}
}

func (fakeServers) AcceptTool(_ context.Context, a api.ToolAcceptance) error {
	if a != (api.ToolAcceptance{Server: "bakery", Tool: "oven", Hash: "12ab"}) {
		return refusal.Error("the server says something else by now")
	}
	return nil
}

func TestChangedToolsAreShownAndAgreedTo(t *testing.T) {
	r := onSocket(t)
	for _, c := range [][4]string{
		{"GET", "/v1/tools/changes", "",
			`200 [{"server":"bakery","tool":"oven","hash":"12ab","description":"Heats."}]`},
		{"POST", "/v1/tools/accept", `{"server":"bakery","tool":"oven","hash":"12ab"}`, `200 {}`},
		{"POST", "/v1/tools/accept", `{"server":"bakery","tool":"oven","hash":"ffff"}`,
			`409 {"error":"the server says something else by now"}`},
	} {
		code, text := r.do(c[0], c[1], c[2])
		if got := fmt.Sprint(code, " ", text); got != c[3] {
			t.Errorf("%s: %s, want %s", c[1], got, c[3])
		}
	}
}

func TestToolsAreListedAndRun(t *testing.T) {
	r := onSocket(t)
	ask := func(method, path, body string) string {
		code, text := r.do(method, path, body)
		return fmt.Sprint(code, " ", text)
	}
	if got, want := ask("GET", "/v1/tools", ""),
		`200 [{"name":"bell","description":"Rings.","parameters":{"type":"object"},"origin":"built in","read_only":true}]`; got != want {
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
