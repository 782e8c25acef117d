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
		"      which = all (how_much \"all the\")\n", "except = island (label \"island\")", "action = off",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if e := m.Explain("turn it down"); e.RunnerUp == nil || e.RunnerUp.Cost < e.Cost || e.RunnerUp.Intent == e.Intent {
		t.Errorf("%+v", e.RunnerUp)
	}
}
