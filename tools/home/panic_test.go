package home

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"hearthd/llm"
	"hearthd/tools"
)

var allKinds = []Kind{Light, Switch, Cover, Fan, Lock, Climate, WaterHeater, Humidifier, Valve, Vacuum, LawnMower, Scene, Script, Button, Sensor, BinarySensor, Number, Select, Text, Siren, Alarm, MediaPlayer}

// spoken are arguments as sentences and models make them, with what is left out left out.
func spoken() (controls, reads []arguments) {
	one := 1.0
	for _, name := range []string{"", "it", "everything", "light", "doors and windows"} {
		for _, area := range []string{"", "here", "house", "kitchen and attic"} {
			for _, which := range []string{"", "all", "any", "none", "number"} {
				for _, is := range []string{"", "off", "open", "locked"} {
					reads = append(reads, arguments{Name: name, Area: area, Which: which, Is: is})
				}
			}
			for _, what := range []string{"temperature", "humidity", "battery", "position", "brightness", "???"} {
				reads = append(reads, arguments{Name: name, Area: area, What: what})
			}
			for _, a := range []arguments{
				{Action: "on"}, {Action: "off"}, {Action: "toggle"}, {Action: "open"}, {Action: "lock"}, {Action: "stop"}, {Action: "dock"}, {Action: "set"}, {Action: "press"},
				{Action: "set", Property: "brightness", Step: &one}, {Action: "set", Property: "brightness", Value: 1.0}, {Action: "set", Property: "temperature", Step: &one},
				{Action: "set", Property: "temperature", Value: one}, {Action: "set", Property: "color", Value: "red"}, {Action: "set", Property: "color_temperature", Value: "max"},
				{Action: "set", Property: "speed", Value: "low"}, {Action: "set", Property: "mode", Value: "eco"}, {Action: "set", Value: "x"}, {Action: "start", Value: "attic"},
				{Action: "set", Property: "position", Value: one}, {Action: "set", Value: "max"}, {Action: "set", Step: &one}, {Action: "set", Property: "volume", Value: "mute"},
				{Action: "set", Value: 30.0, Unit: "percent"}, {Action: "set", Value: 30.0, Unit: "degrees"}, {Action: "set", Value: 3000.0, Unit: "kelvin"}, {Action: "set", Property: "tilt", Value: "half"},
			} {
				a.Name, a.Area = name, area
				controls = append(controls, a, arguments{Action: a.Action, Name: name, Area: area, Except: "light", Which: "all"})
			}
		}
	}
	return controls, reads
}

func TestNoRequestPanicsInAHouseOfFewDevices(t *testing.T) {
	controls, reads := spoken()
	tryAll := func(area string, list ...Entity) {
		synctest.Test(t, func(t *testing.T) {
			h, err := New(Options{Devices: newHouse(list...), Area: area})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range append(controls, reads...) {
				raw, err := json.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				tool := h.Tools()[0]
				if i >= len(controls) {
					tool = h.Tools()[1]
				} else {
					h.question(raw)
				}
				r, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: raw}})
				if err != nil || r.Text == "" {
					t.Errorf("%v: %s: %q %v", list, raw, r.Text, err)
				}
			}
		})
	}
	tryAll("")
	tryAll("Kitchen")
	for _, k := range allKinds {
		some := Entity{ID: "a", Kind: k, Name: "Light A", Area: "Kitchen", Can: can(Main), Reports: can(Main)}
		tryAll("", Entity{ID: "a", Kind: k}, Entity{ID: "b", Kind: k, Device: "Light", Class: "temperature", State: State{Main: 3.0}, Floors: []string{"attic"}})
		tryAll("Attic", some, Entity{ID: "b", Kind: k, Class: "door", State: State{Main: "on", Position: 3.0}, Can: can(Main, Position, Speed, Target, Mode), Offline: true})
	}
}

func TestTheOnlyThermometerIsAskedForTheTemperatureHere(t *testing.T) {
	thermometer := Entity{ID: "t", Kind: Sensor, Class: "temperature", Device: "Weather station", Name: "Temperature", Unit: "°C", State: State{Main: 7.0}}
	for _, args := range []string{`{"what":"temperature"}`, `{"what":"temperature","area":"here"}`, `{"what":"temperature","area":"house"}`} {
		byName, _ := newTools(t, newHouse(thermometer))
		if got := call(t, byName["home_read"], args).Text; got != "The weather station temperature is 7 degrees." {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// brokenHouse has a mistake of ours in it.
type brokenHouse struct{ *fakeHouse }

func (h brokenHouse) Send(ctx context.Context, id string, want State) error {
	if id == "a" {
		panic("a mistake")
	}
	return h.fakeHouse.Send(ctx, id, want)
}

// Commands are sent beside the executor's goroutine, which would else take the panic.
func TestAPanicWhileItIsSentEndsOneCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		byName, _ := newTools(t, brokenHouse{newHouse(light("a", "Lamp", "Kitchen"), light("b", "Spot", "Kitchen"))})
		want := "One light is on. The lamp could not be told."
		if got := call(t, byName["home_control"], `{"action":"on","name":"lights","which":"all"}`).Text; got != want {
			t.Error(got)
		}
	})
}
