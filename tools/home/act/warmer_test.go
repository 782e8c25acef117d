package act

import (
	"slices"
	"testing"

	"hearthd/tools/home"
)

func TestWarmerIsNothingThatACurtainBecomes(t *testing.T) {
	for command, want := range map[string]string{"raise": "21", "lower": "19"} {
		house := newHouse(
			home.Entity{ID: "climate.parlour", Name: "Heating", Area: "Parlour", Kind: home.Climate, Can: can(home.Target), State: home.State{home.Target: 20.0}},
			home.Entity{ID: "cover.parlour", Name: "Curtain", Area: "Parlour", Kind: home.Cover, Can: can(home.Main, home.Position),
				State: home.State{home.Main: "open", home.Position: 50.0}})
		out := run(t, house)("home_control", `{"action":"`+command+`","property":"temperature","area":"Parlour"}`)
		if len(house.sent) != 1 || !slices.Contains(house.sent, `climate.parlour {"temperature":`+want+`}`) {
			t.Errorf("%s: %q, %+v", command, house.sent, out)
		}
	}
}

func TestAFanThatIsOffIsNotBegunByLess(t *testing.T) {
	house := newHouse(home.Entity{ID: "fan.hood", Name: "Hood", Kind: home.Fan, Can: can(home.Main, home.Speed), State: home.State{home.Main: "off", home.Speed: 0.0}})
	out := run(t, house)("home_control", `{"action":"lower","property":"speed","name":"hood"}`)
	for _, sent := range house.sent {
		if sent != "fan.hood off" && sent != `fan.hood {"state":"off"}` {
			t.Errorf("sent %q, %+v", house.sent, out)
		}
	}
	house = newHouse(home.Entity{ID: "fan.hood", Name: "Hood", Kind: home.Fan, Can: can(home.Main, home.Speed), State: home.State{home.Main: "on", home.Speed: 50.4}})
	run(t, house)("home_control", `{"action":"lower","property":"speed","name":"hood"}`)
	if len(house.sent) != 1 || house.sent[0] != `fan.hood {"speed":30}` {
		t.Errorf("sent %q", house.sent)
	}
}

func TestTheLightThatIsDimmedIsWhatShines(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`{"action":"set","name":"light","property":"brightness","value":40,"unit":"percent"}`, `l1 {"brightness":40,"state":"on"}`},
		{`{"action":"lower","name":"light","property":"brightness"}`, `l1 {"brightness":40,"state":"on"}`},
		{`{"action":"raise","name":"light","area":"Parlour"}`, `l1 {"brightness":80,"state":"on"}`},
	} {
		lamp, dark := light("l1", "Ceiling", "Parlour", home.Brightness), light("l2", "Shelf", "Parlour", home.Brightness)
		lamp.State, dark.State = home.State{home.Main: "on", home.Brightness: 60.0}, home.State{home.Main: "off"}
		house := newHouse(lamp, dark)
		out := run(t, house)("home_control", c.args)
		if len(house.sent) != 1 || house.sent[0] != c.want {
			t.Errorf("%s: %q, want %s: %+v", c.args, house.sent, c.want, out)
		}
	}
}

func TestTheACIsTheAirConditioner(t *testing.T) {
	house := newHouse(
		home.Entity{ID: "c1", Name: "Heater", Area: "Bedroom", Kind: home.Climate, Can: can(home.Mode), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat"}},
		home.Entity{ID: "c2", Name: "Air Conditioner", Area: "Study", Kind: home.Climate, Can: can(home.Mode), Options: map[home.Key][]string{home.Mode: {"off", "cool"}}, State: home.State{home.Mode: "cool"}})
	run(t, house)("home_control", `{"action":"off","name":"ac"}`)
	if len(house.sent) != 1 || house.sent[0] != `c2 {"mode":"off"}` {
		t.Errorf("sent %q", house.sent)
	}
}
