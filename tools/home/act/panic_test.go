package act

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

var allKinds = []home.Kind{home.Light, home.Switch, home.Cover, home.Fan, home.Lock, home.Climate, home.WaterHeater, home.Humidifier, home.Valve, home.Vacuum, home.LawnMower, home.Scene, home.Script, home.Button, home.Sensor, home.BinarySensor, home.Number, home.Select, home.Text, home.Siren, home.Alarm, home.MediaPlayer}

// spoken are arguments as sentences and models make them, with what is left out left out.
func spoken() (controls, reads []meaning.Request) {
	one := 1.0
	for _, name := range []string{"", "it", "everything", "light", "doors and windows"} {
		for _, area := range []string{"", "here", "house", "kitchen and attic"} {
			for _, which := range []string{"", "all", "any", "none", "number"} {
				for _, is := range []string{"", "off", "open", "locked"} {
					reads = append(reads, meaning.Request{Name: name, Area: area, Which: which, Is: is})
				}
			}
			for _, what := range []string{"temperature", "humidity", "battery", "position", "brightness", "???"} {
				reads = append(reads, meaning.Request{Name: name, Area: area, What: what})
			}
			for _, a := range []meaning.Request{
				{Action: "on"}, {Action: "off"}, {Action: "toggle"}, {Action: "open"}, {Action: "lock"}, {Action: "stop"}, {Action: "dock"}, {Action: "set"}, {Action: "press"},
				{Action: "set", Property: "brightness", Step: &one}, {Action: "set", Property: "brightness", Value: 1.0}, {Action: "set", Property: "temperature", Step: &one},
				{Action: "set", Property: "temperature", Value: one}, {Action: "set", Property: "color", Value: "red"}, {Action: "set", Property: "color_temperature", Value: "max"},
				{Action: "set", Property: "speed", Value: "low"}, {Action: "set", Property: "mode", Value: "eco"}, {Action: "set", Value: "x"}, {Action: "start", Value: "attic"},
				{Action: "set", Property: "position", Value: one}, {Action: "set", Value: "max"}, {Action: "set", Step: &one}, {Action: "set", Property: "volume", Value: "mute"},
				{Action: "set", Value: 30.0, Unit: "percent"}, {Action: "set", Value: 30.0, Unit: "degrees"}, {Action: "set", Value: 3000.0, Unit: "kelvin"}, {Action: "set", Property: "tilt", Value: "half"},
			} {
				a.Name, a.Area = name, area
				controls = append(controls, a, meaning.Request{Action: a.Action, Name: name, Area: area, Except: "light", Which: "all"})
			}
		}
	}
	return controls, reads
}

func TestNoRequestPanicsInAHouseOfFewDevices(t *testing.T) {
	controls, reads := spoken()
	tryAll := func(area string, list ...home.Entity) {
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
					h.confirms("home.shall", "")(raw)
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
		some := home.Entity{ID: "a", Kind: k, Name: "Light A", Area: "Kitchen", Can: can(home.Main), Reports: can(home.Main)}
		tryAll("", home.Entity{ID: "a", Kind: k}, home.Entity{ID: "b", Kind: k, Device: "Light", Class: "temperature", State: home.State{home.Main: 3.0}, Floors: []string{"attic"}})
		tryAll("Attic", some, home.Entity{ID: "b", Kind: k, Class: "door", State: home.State{home.Main: "on", home.Position: 3.0}, Can: can(home.Main, home.Position, home.Speed, home.Target, home.Mode), Offline: true})
	}
}

func TestTheOnlyThermometerIsAskedForTheTemperatureHere(t *testing.T) {
	thermometer := home.Entity{ID: "t", Kind: home.Sensor, Class: "temperature", Device: "Weather station", Name: "Temperature", Unit: "°C", State: home.State{home.Main: 7.0}}
	for _, args := range []string{`{"what":"temperature"}`, `{"what":"temperature","area":"here"}`, `{"what":"temperature","area":"house"}`} {
		byName, _ := newTools(t, newHouse(thermometer))
		if got := call(t, byName["home_read"], args).Text; got != "The weather station temperature is 7 degrees." {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// brokenHouse has a mistake of ours in it.
type brokenHouse struct{ *fakeHouse }

func (h brokenHouse) Send(ctx context.Context, id string, want home.State) error {
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
