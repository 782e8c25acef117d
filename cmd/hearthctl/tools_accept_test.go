package main

import (
	"hearthd/rigs/ctltest"

	"strings"
	"testing"
)

func TestChangedToolsAreAgreedToOneByOne(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/tools/changes", 200, `[{"server":"bakery","tool":"oven","hash":"12ab","description":"Heats\u001b."},
{"server":"bakery","tool":"bread","hash":"34cd","new":true,"description":"Bakes."},{"server":"other","tool":"oven","hash":"56ef","description":"No."}]`)
	f.Answer("/v1/tools/accept", 200, `{}`)
	accept := func(said string, args ...string) ctltest.Outcome {
		cmd := ctltest.Command(t.Context(), t, append([]string{"--socket", f.Path, "tools", "accept"}, args...)...)
		return atTerminal(t, cmd, said)
	}
	if out := accept("n\n", "bakery"); out.Code != 1 || out.Stdout != "oven of bakery (changed): Heats .\n" ||
		strings.Contains(f.Asked(), "accept") {
		t.Errorf("%+v", out)
	}
	if out := accept("y\n", "bakery", "bread"); out.Code != 0 || out.Stdout != "bread of bakery (new): Bakes.\n" {
		t.Errorf("%+v", out)
	}
	if got, want := f.Asked(),
		`GET /v1/tools/changes, POST /v1/tools/accept {"server":"bakery","tool":"bread","hash":"34cd"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	accept("", "bakery", "--yes")
	if got := f.Asked(); strings.Count(got, "accept") != 2 || strings.Contains(got, "56ef") {
		t.Errorf("asked %s", got)
	}
	if out := accept("", "kitchen"); out.Code != 1 ||
		out.Stderr != "hearthctl: no tool of \"kitchen\" waits for you\n" {
		t.Errorf("%+v", out)
	}
}
