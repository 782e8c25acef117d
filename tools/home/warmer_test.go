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

func TestAFanThatIsOffIsNotBegunByLess(t *testing.T) {
	house := newHouse(Entity{ID: "fan.hood", Name: "Hood", Kind: Fan, Can: can(Main, Speed), State: State{Main: "off", Speed: 0.0}})
	out := run(t, house)("home_control", `{"action":"lower","property":"speed","name":"hood"}`)
	for _, sent := range house.sent {
		if sent != "fan.hood off" && sent != `fan.hood {"state":"off"}` {
			t.Errorf("sent %q, %+v", house.sent, out)
		}
	}
	house = newHouse(Entity{ID: "fan.hood", Name: "Hood", Kind: Fan, Can: can(Main, Speed), State: State{Main: "on", Speed: 50.4}})
	run(t, house)("home_control", `{"action":"lower","property":"speed","name":"hood"}`)
	if len(house.sent) != 1 || house.sent[0] != `fan.hood {"speed":30}` {
		t.Errorf("sent %q", house.sent)
	}
}
