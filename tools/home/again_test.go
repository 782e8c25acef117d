package home

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// What is left out was said in the last order or question.
func TestAgainIsTheLastOrderForOthersOrMoreOfIt(t *testing.T) {
	lamp := func(id, name, area, main string) Entity {
		return Entity{ID: id, Kind: Light, Name: name, Area: area, Can: can(Main, Brightness), Reports: can(Main, Brightness),
			State: State{Main: main, Brightness: 50.0}}
	}
	heat := Entity{ID: "h", Kind: Climate, Name: "Bath heating", Area: "Bath", Min: 5, Max: 30, Can: can(Mode, Target),
		Reports: can(Mode, Target, Current), Options: map[Key][]string{Mode: {"off", "heat"}},
		State: State{Mode: "heat", Target: 20.0, Current: 22.5}}
	house := []Entity{
		lamp("a", "Ceiling", "Kitchen", "on"), lamp("b", "Worktop", "Kitchen", "on"), lamp("c", "Mirror", "Bath", "on"),
		{ID: "d", Kind: Switch, Name: "Kettle", Area: "Kitchen", Can: can(Main), Reports: can(Main), State: State{Main: "on"}}, heat,
		{ID: "t", Kind: Sensor, Class: "temperature", Name: "Kitchen temperature", Area: "Kitchen", State: State{Main: 19.0}},
	}
	for _, c := range []struct{ first, then, sent, said string }{
		{`{"action":"off","name":"ceiling"}`, `{"name":"kettle"}`, "d", "off"},
		{`{"action":"off","name":"kitchen lights"}`, `{"area":"bath"}`, "c", "off"},
		{`{"action":"off","name":"mirror"}`, `{"area":"kitchen"}`, "a b", "off"}, // lights, and no kettle
		{`{"action":"lower","name":"mirror","property":"brightness"}`, `{}`, "c", "10 percent"},
		{`{"action":"set","name":"mirror","value":30,"unit":"percent"}`, `{}`, "c", "50 percent"},
		{`{"area":"kitchen","what":"temperature"}`, `{"area":"bath"}`, "", "22.5"},
		{`{"name":"mirror","is":"on"}`, `{"name":"kettle"}`, "", "Yes, the kettle is on."},
	} {
		synctest.Test(t, func(t *testing.T) {
			devices := newHouse(house...)
			byName, _ := newTools(t, devices)
			tool := "home_control"
			if !strings.Contains(c.first, "action") {
				tool = "home_read"
			}
			call(t, byName[tool], c.first)
			devices.sent = nil
			then := `{"action":"again"` + strings.TrimSuffix(","+c.then[1:], ",}")
			if c.then == "{}" {
				then = `{"action":"again"}`
			}
			said := call(t, byName["home_control"], then).Text
			var ids []string
			for _, s := range devices.sent {
				id, _, _ := strings.Cut(s, " ")
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if got := strings.Join(ids, " "); got != c.sent || !strings.Contains(said, c.said) {
				t.Errorf("after %s, %s: said %q to %q, want %q to %q", c.first, then, said, got, c.said, c.sent)
			}
		})
	}
}

func TestTheOtherOneIsOfTheSameKindAndRoom(t *testing.T) {
	lamp := func(id, area string) Entity {
		return Entity{ID: id, Kind: Light, Name: "Lamp " + id, Area: area, Can: can(Main), State: State{Main: "off"}}
	}
	devices := newHouse(lamp("one", "Kitchen"), lamp("two", "Kitchen"), lamp("three", "Bath"))
	byName, _ := newTools(t, devices)
	call(t, byName["home_control"], `{"action":"on","name":"lamp one"}`)
	devices.sent = nil
	call(t, byName["home_control"], `{"action":"on","name":"other"}`)
	if len(devices.sent) != 1 || !strings.HasPrefix(devices.sent[0], "two ") {
		t.Errorf("sent %q", devices.sent)
	}
}

func TestWhatIsSwitchedOnBeginsAsItIsCalled(t *testing.T) {
	climate := func(name, mode string) Entity {
		return Entity{ID: "c", Kind: Climate, Name: name, Can: can(Mode), Reports: can(Mode), State: State{Mode: mode},
			Options: map[Key][]string{Mode: {"off", "heat", "cool"}}}
	}
	for _, c := range []struct {
		name, mode, want string
	}{{"Air conditioner", "off", "cool"}, {"Bedroom AC", "off", "cool"}, {"Radiator", "off", "heat"}, {"AC", "heat", "heat"}} {
		e := climate(c.name, c.mode)
		want, why := (&arguments{Action: "on", Name: c.name}).wanted(&e, false)
		if why != fine || want[Mode] != c.want {
			t.Errorf("%s that is %s: %v, %v; want %s", c.name, c.mode, want, why, c.want)
		}
	}
}
