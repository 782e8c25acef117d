package home

import (
	"slices"
	"testing"
)

func TestWarmerIsNothingThatACurtainBecomes(t *testing.T) {
	for command, want := range map[string]string{"raise": "21", "lower": "19"} {
		house := newHouse(
			Entity{ID: "climate.parlour", Name: "Heating", Area: "Parlour", Kind: Climate, Can: can(Target), State: State{Target: 20.0}},
			Entity{ID: "cover.parlour", Name: "Curtain", Area: "Parlour", Kind: Cover, Can: can(Main, Position),
				State: State{Main: "open", Position: 50.0}})
		out := run(t, house)("home_control", `{"action":"`+command+`","property":"temperature","area":"Parlour"}`)
		if len(house.sent) != 1 || !slices.Contains(house.sent, `climate.parlour {"temperature":`+want+`}`) {
			t.Errorf("%s: %q, %+v", command, house.sent, out)
		}
	}
}
