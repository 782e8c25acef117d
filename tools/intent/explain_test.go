package intent

import (
	"strings"
	"testing"
)

func TestAReadingIsToldAsATreeWithTheRunnerUp(t *testing.T) {
	m := newMatcher(t)
	got := m.Explain("it's dark, turn off all the kitchen lights except the island").String()
	for _, want := range []string{
		"home_power: home_control", "meant    turn off", "<device> \"all the kitchen lights except the island\"\n",
		"      which = all (how_many_of \"all the\")\n", "except = island (label \"island\")", "action = off",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if e := m.Explain("turn it down"); e.RunnerUp == nil || e.RunnerUp.Cost < e.Cost || e.RunnerUp.Intent == e.Intent {
		t.Errorf("%+v", e.RunnerUp)
	}
	for text, wants := range map[string][]string{
		"in ten minutes turn off the heater": {"home_later:", "words    turn off the heater\n", "<power> \"off\"", "name = heater", "in_s = 600"},
		"turn on the fan for an hour":        {"and then home_later:", "in_s = 3600"},
	} {
		got := m.Explain(text).String()
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %q:\n%s", text, want, got)
			}
		}
	}
	if e := m.Explain("lay the table in the garden"); e.Understood || len(e.Near) > 0 && e.Near[0].Wanted == "" {
		t.Errorf("%+v", e)
	}
}
