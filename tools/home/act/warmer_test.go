package act

import (
	"encoding/json"
	"slices"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
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

// warm is a house with a heating, an air conditioner and hot water.
func warm() *fakeHouse {
	target := func(id, name string, kind home.Kind) home.Entity {
		return home.Entity{ID: id, Name: name, Area: name, Kind: kind, Can: can(home.Target), State: home.State{home.Target: 20.0}}
	}
	return newHouse(target("c1", "Hall Thermostat", home.Climate), target("c2", "Study Air Conditioner", home.Climate),
		target("w1", "Hot Water", home.WaterHeater))
}

func TestTheHeatIsNotTheAirConditioner(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`{"action":"lower","name":"heat"}`, `c1 {"temperature":19}`},
		{`{"action":"lower","name":"air conditioning"}`, `c2 {"temperature":19}`},
		{`{"action":"lower","name":"air conditioning","which":"all"}`, `c2 {"temperature":19}`},
		{`{"action":"lower","name":"heaters","which":"all"}`, `c1 {"temperature":19}`},
	} {
		house := warm()
		out := run(t, house)("home_control", c.args)
		if len(house.sent) != 1 || house.sent[0] != c.want {
			t.Errorf("%s: %q, want %s: %+v", c.args, house.sent, c.want, out)
		}
	}
}

func TestTheHouseIsNotItsHotWater(t *testing.T) {
	house := warm()
	out := run(t, house)("home_control", `{"action":"lower","name":"everything","property":"temperature"}`)
	slices.Sort(house.sent)
	if !slices.Equal(house.sent, []string{`c1 {"temperature":19}`, `c2 {"temperature":19}`}) {
		t.Errorf("%q: %+v", house.sent, out)
	}
}

func TestWhatOnlyTellsIsNoUnknownDevice(t *testing.T) {
	house := newHouse(home.Entity{ID: "b1", Name: "Dishwasher", Kind: home.BinarySensor, Class: "running",
		Reports: can(home.Main), State: home.State{home.Main: "on"}})
	out := run(t, house)("home_control", `{"action":"off","name":"dishwasher"}`)
	if len(house.sent) != 0 || out.Text != "The dishwasher cannot do that." {
		t.Errorf("%q: %+v", house.sent, out)
	}
	out = run(t, newHouse(home.Entity{ID: "b2", Name: "Water Leak", Kind: home.BinarySensor, Class: "moisture",
		Reports: can(home.Main), State: home.State{home.Main: "off"}}))("home_control", `{"action":"on","name":"washer"}`)
	if out.Text != "I don't know a device called washer." {
		t.Errorf("%+v", out)
	}
}

func TestHereIsAPlaceBesideOthers(t *testing.T) {
	sensor := func(id, area string) home.Entity {
		return home.Entity{ID: id, Name: area + " Temperature", Area: area, Kind: home.Sensor, Class: "temperature",
			Reports: can(home.Main), State: home.State{home.Main: 20.0}}
	}
	house := newHouse(sensor("s1", "Study"), sensor("s2", "Attic"), sensor("s3", "Loft"))
	hm, err := New(Options{Devices: house, Area: "Study"})
	if err != nil {
		t.Fatal(err)
	}
	out := executorOf(t, hm).Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: "home_read",
		Arguments: json.RawMessage(`{"what":"temperature","area":"here and attic"}`)}})
	if out.Text != "The study temperature is 20. The attic temperature is 20." {
		t.Errorf("%+v", out)
	}
}
