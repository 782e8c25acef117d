package main

import (
	"strings"
	"testing"
)

func TestChangedToolsAreAgreedToOneByOne(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/tools/changes", 200, `[{"server":"bakery","tool":"oven","hash":"12ab","description":"Heats\u001b."},
{"server":"bakery","tool":"bread","hash":"34cd","new":true,"description":"Bakes."},{"server":"other","tool":"oven","hash":"56ef","description":"No."}]`)
	f.answer("/v1/tools/accept", 200, `{}`)
	accept := func(said string, args ...string) outcome {
		cmd := command(t.Context(), t, append([]string{"--socket", f.path, "tools", "accept"}, args...)...)
		cmd.Stdin = strings.NewReader(said)
		return finish(t, cmd)
	}
	if out := accept("n\n", "bakery"); out.code != 1 || out.stdout != "oven of bakery (changed): Heats .\n" || strings.Contains(f.asked(), "accept") {
		t.Errorf("%+v", out)
	}
	if out := accept("y\n", "bakery", "bread"); out.code != 0 || out.stdout != "bread of bakery (new): Bakes.\n" {
		t.Errorf("%+v", out)
	}
	if got, want := f.asked(), `GET /v1/tools/changes, POST /v1/tools/accept {"server":"bakery","tool":"bread","hash":"34cd"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	accept("", "bakery", "--yes")
	if got := f.asked(); strings.Count(got, "accept") != 2 || strings.Contains(got, "56ef") {
		t.Errorf("asked %s", got)
	}
	if out := accept("", "kitchen"); out.code != 1 || out.stderr != "hearthctl: no tool of \"kitchen\" waits for you\n" {
		t.Errorf("%+v", out)
	}
}
