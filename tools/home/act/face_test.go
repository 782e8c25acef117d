package act

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
)

// villa is a house with names that hold rooms, several classes of covers, and two floors.
func villa() *fakeHouse {
	cover := func(id, class, name, area string, keys ...home.Key) home.Entity {
		return home.Entity{ID: id, Kind: home.Cover, Class: class, Name: name, Area: area, Can: can(append(keys, home.Main)...), State: home.State{home.Main: "open", home.Position: 100.0}}
	}
	first := []string{"First Floor"}
	lamp := light("bl", "Bedroom Lamp", "Bedroom", home.Brightness, home.Colour, home.Kelvin)
	overhead := light("ov", "Overhead light", "Hall", home.Brightness)
	overhead.Floors = first
	corner := light("pc", "Play Corner", "Living Room", home.Brightness, home.Colour)
	corner.State = home.State{home.Main: "on", home.Brightness: 40.0}
	plain := light("pl", "Porch light", "Porch")
	return newHouse(
		lamp, overhead, corner, plain, light("k1", "Kitchen ceiling", "Kitchen", home.Brightness), light("k2", "Kitchen cabinets", "Kitchen", home.Brightness), light("ov2", "Overhead light", "Cellar", home.Brightness),
		light("br", "Light", "Bathroom", home.Brightness), light("br2", "Bathroom mirror", "Bathroom", home.Brightness), light("gb", "Floor light", "Guest Bathroom", home.Brightness),
		home.Entity{ID: "f1", Kind: home.Fan, Name: "Ceiling Fan", Area: "Living Room", Can: can(home.Main, home.Speed), State: home.State{home.Main: "on", home.Speed: 75.0}, Step: 25},
		home.Entity{ID: "f2", Kind: home.Fan, Name: "Tower fan", Area: "Bedroom", Can: can(home.Main, home.Preset), Options: map[home.Key][]string{home.Preset: {"low", "medium", "high"}}},
		cover("c1", "curtain", "Curtain Left", "Living Room", home.Position), cover("c2", "curtain", "Curtain Right", "Living Room", home.Position), cover("c3", "blind", "Slat blind", "Kitchen"),
		cover("g1", "garage", "Big gate", "Garage"), cover("s1", "shade", "Roller", "Bedroom", home.Position, home.Tilt),
		home.Entity{ID: "t1", Kind: home.Climate, Name: "Thermostat", Area: "Living Room", Min: 5, Max: 30, Can: can(home.Mode, home.Target, home.FanMode), Options: map[home.Key][]string{home.Mode: {"off", "heat", "cool"}, home.FanMode: {"low", "high"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}},
		home.Entity{ID: "t2", Kind: home.Climate, Name: "Office Thermostat", Area: "Office", Min: 5, Max: 30, Can: can(home.Mode, home.Target), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 19.0}},
		home.Entity{ID: "h1", Kind: home.Humidifier, Name: "Humidifier", Area: "Office", Can: can(home.Main, home.TargetHumidity), State: home.State{home.Main: "on", home.TargetHumidity: 40.0}},
		home.Entity{ID: "m1", Kind: home.MediaPlayer, Name: "Radio", Area: "Kitchen", Can: can(home.Main, home.Volume, home.Muted), State: home.State{home.Main: "playing", home.Volume: 30.0}},
		home.Entity{ID: "v1", Kind: home.Vacuum, Name: "Rover", Can: can(home.Main), State: home.State{home.Main: "docked"}},
		home.Entity{ID: "v2", Kind: home.Vacuum, Name: "Dusty", Area: "Hall", Can: can(home.Main, home.Room), State: home.State{home.Main: "docked"}},
		home.Entity{ID: "l1", Kind: home.Lock, Name: "Front Door", Area: "Hall", Can: can(home.Main), State: home.State{home.Main: "locked"}}, home.Entity{ID: "l2", Kind: home.Lock, Name: "Back Door", Can: can(home.Main), State: home.State{home.Main: "unlocked"}},
		home.Entity{ID: "n1", Kind: home.Number, Name: "Pool timer", Min: 10, Max: 60, Can: can(home.Main), State: home.State{home.Main: 20.0}},
		home.Entity{ID: "o1", Kind: home.BinarySensor, Class: "moisture", Name: "Kitchen leak sensor", Area: "Kitchen", State: home.State{home.Main: "on"}, Reports: can(home.Main)},
		home.Entity{ID: "o2", Kind: home.BinarySensor, Class: "occupancy", Name: "Office occupancy", Area: "Office", State: home.State{home.Main: "off"}, Reports: can(home.Main)},
		home.Entity{ID: "o3", Kind: home.BinarySensor, Class: "presence", Name: "Anna", State: home.State{home.Main: "off"}, Reports: can(home.Main)},
	)
}

func TestCallsOfTheFace(t *testing.T) {
	failed := false
	for _, c := range []struct{ room, args, text, sent string }{
		// Who is meant.
		{"", `{"action":"on","name":"play corner lights"}`, "The play corner was already on.", `pc {"state":"on"}`},
		{"", `{"action":"on","name":"overhead light","area":"first floor"}`, "The overhead light is on.", `ov {"state":"on"}`},
		{"", `{"action":"on","name":"lamp","area":"bedroom"}`, "The bedroom lamp is on.", `bl {"state":"on"}`},
		{"", `{"action":"close","name":"left curtain"}`, "The curtain left is closed.", `c1 {"state":"closed"}`},
		{"", `{"action":"on","name":"light","area":"kitchen"}`, "Both lights are on.", `k1 {"state":"on"};k2 {"state":"on"}`},
		{"", `{"action":"on","name":"kitchen light"}`, "Both lights are on.", `k1 {"state":"on"};k2 {"state":"on"}`},
		{"", `{"action":"on","name":"bathroom light"}`, "Both lights are on.", `br {"state":"on"};br2 {"state":"on"}`},
		{"", `{"action":"on","name":"light","area":"guest bathroom"}`, "The floor light is on.", `gb {"state":"on"}`},
		{"Kitchen", `{"action":"on","name":"lights"}`, "Both lights are on.", `k1 {"state":"on"};k2 {"state":"on"}`},
		{"Kitchen", `{"action":"off","name":"lights","area":"here","except":"the cabinets"}`, "The kitchen ceiling is off.", `k1 {"state":"off"}`},
		{"", `{"action":"close","name":"curtain","area":"living room"}`, "Which one: curtain left or curtain right?", ""},
		{"", `{"action":"close","name":"curtains","which":"both"}`, "Both covers are closed.", `c1 {"state":"closed"};c2 {"state":"closed"}`},
		{"", `{"action":"close","name":"blinds"}`, "The slat blind is closed.", `c3 {"state":"closed"}`},
		{"", `{"action":"lock","name":"door"}`, "Which one: back door or front door?", ""},
		{"", `{"action":"off","name":"kitchen and bathroom lights","except":"mirror"}`, "All three lights are off.", `br {"state":"off"};k1 {"state":"off"};k2 {"state":"off"}`},
		{"", `{"action":"off","name":"everything","area":"living room","except":"fan"}`, "Both devices are off.", `pc {"state":"off"};t1 {"mode":"off"}`},
		{"", `{"action":"on","name":"helicopter"}`, "I don't know a device called helicopter.", ""},
		// What it is set to.
		{"", `{"action":"set","name":"bedroom lamp","property":"brightness","value":"max"}`, "The bedroom lamp is at 100 percent.", `bl {"brightness":100,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","value":"lowest","property":"brightness"}`, "The bedroom lamp is at 1 percent.", `bl {"brightness":1,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","value":40}`, "The bedroom lamp is at 40 percent.", `bl {"brightness":40,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","value":"half"}`, "The bedroom lamp is at 50 percent.", `bl {"brightness":50,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","value":"blue"}`, "The bedroom lamp is blue.", `bl {"color":"#0000ff","state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","property":"color","value":"warm white"}`, "The bedroom lamp is at 2700 kelvin.", `bl {"kelvin":2700,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","property":"color_temperature","value":"candle light"}`, "The bedroom lamp is at 1900 kelvin.", `bl {"kelvin":1900,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","value":3000,"unit":"kelvin"}`, "The bedroom lamp is at 3000 kelvin.", `bl {"kelvin":3000,"state":"on"}`},
		{"", `{"action":"set","name":"kitchen cabinets","property":"color_temperature","value":"daylight"}`, "The kitchen cabinets have no colour temperature.", ""},
		{"", `{"action":"set","name":"kitchen cabinets","property":"color","value":"red"}`, "The kitchen cabinets have no colours.", ""},
		{"", `{"action":"set","name":"play corner","property":"brightness","step":80}`, "The play corner is at 100 percent.", `pc {"brightness":100,"state":"on"}`},
		{"", `{"action":"set","name":"play corner","step":-60}`, "The play corner is at 1 percent.", `pc {"brightness":1,"state":"on"}`},
		{"", `{"action":"on","name":"play corner","property":"brightness","value":10}`, "The play corner is at 10 percent.", `pc {"brightness":10,"state":"on"}`},
		{"Kitchen", `{"action":"set","property":"brightness","value":50}`, "Both lights are at 50 percent.", `k1 {"brightness":50,"state":"on"};k2 {"brightness":50,"state":"on"}`},
		{"Office", `{"action":"set","property":"brightness","step":10}`, "The play corner is at 50 percent.", `pc {"brightness":50,"state":"on"}`},
		{"Living Room", `{"action":"set","property":"brightness","value":"max"}`, "The play corner is at 100 percent.", `pc {"brightness":100,"state":"on"}`},
		{"", `{"action":"set","area":"kitchen","value":20,"unit":"percent"}`, "Both lights are at 20 percent.", `k1 {"brightness":20,"state":"on"};k2 {"brightness":20,"state":"on"}`},
		{"", `{"action":"set","name":"bedroom lamp","property":"temperature","value":"cool white"}`, "The bedroom lamp is at 4000 kelvin.", `bl {"kelvin":4000,"state":"on"}`},
		{"Kitchen", `{"action":"start","name":"vacuum","value":"here"}`, "Dusty is cleaning.", `v2 {"room":"Kitchen","state":"cleaning"}`},
		{"", `{"action":"set","name":"ceiling fan","property":"speed","value":"high"}`, "The ceiling fan is at 100 percent.", `f1 {"speed":100}`},
		{"", `{"action":"set","name":"ceiling fan","property":"speed","value":"lowest"}`, "The ceiling fan is at 25 percent.", `f1 {"speed":25}`},
		{"", `{"action":"set","name":"ceiling fan","value":0,"unit":"percent"}`, "The ceiling fan is off.", `f1 {"state":"off"}`},
		{"", `{"action":"set","name":"tower fan","property":"speed","value":"medium"}`, "The tower fan is set to medium.", `f2 {"preset":"medium"}`},
		{"", `{"action":"set","name":"left curtain","property":"position","value":30}`, "The curtain left is at 30 percent.", `c1 {"position":30}`},
		{"", `{"action":"open","name":"left curtain","value":"half"}`, "The curtain left is at 50 percent.", `c1 {"position":50}`},
		{"", `{"action":"set","name":"slat blind","value":0}`, "The slat blind is closed.", `c3 {"state":"closed"}`},
		{"", `{"action":"set","name":"slat blind","property":"position","value":30}`, "The slat blind only opens and closes.", ""},
		{"", `{"action":"set","name":"roller","property":"tilt","value":70}`, "The roller is at 70 percent.", `s1 {"tilt":70}`},
		{"Living Room", `{"action":"set","property":"temperature","value":21}`, "The thermostat is set to 21 degrees.", `t1 {"temperature":21}`},
		{"Living Room", `{"action":"set","property":"temperature","step":50}`, "The thermostat is set to 30 degrees.", `t1 {"temperature":30}`},
		{"", `{"action":"set","area":"office","value":21,"unit":"degrees"}`, "The office thermostat is set to 21 degrees.", `t2 {"temperature":21}`},
		{"Living Room", `{"action":"set","name":"it","value":21,"unit":"degrees"}`, "The thermostat is set to 21 degrees.", `t1 {"temperature":21}`},
		{"", `{"action":"set","name":"office thermostat","property":"position","value":17}`, "The office thermostat is set to 17 degrees.", `t2 {"temperature":17}`},
		{"", `{"action":"set","name":"office thermostat","value":"max"}`, "The office thermostat is set to 30 degrees.", `t2 {"temperature":30}`},
		{"", `{"action":"set","name":"office thermostat","value":45}`, "The office thermostat only goes from 5 to 30 degrees.", ""},
		{"", `{"action":"set","name":"heating","area":"living room","value":"cool"}`, "The thermostat is set to cool.", `t1 {"mode":"cool"}`},
		{"", `{"action":"set","name":"thermostat","area":"living room","property":"speed","value":"high"}`, "The thermostat is set to high.", `t1 {"fan_mode":"high"}`},
		{"", `{"action":"set","name":"humidifier","property":"humidity","step":10}`, "The humidifier is at 50 percent.", `h1 {"target_humidity":50}`},
		{"", `{"action":"set","name":"radio","property":"volume","step":-10}`, "The radio is at 20 percent.", `m1 {"volume":20}`},
		{"Kitchen", `{"action":"set","property":"volume","value":"mute"}`, "The radio is muted.", `m1 {"muted":"on"}`},
		{"", `{"action":"pause","name":"radio"}`, "The radio is paused.", `m1 {"state":"paused"}`},
		{"", `{"action":"set","name":"radio","property":"option","value":"next"}`, "I sent that to the radio.", `m1 {"state":"next"}`},
		{"", `{"action":"dock","name":"rover"}`, "Rover is returning to the dock.", `v1 {"state":"returning"}`},
		{"", `{"action":"start","name":"vacuum","value":"kitchen"}`, "Dusty is cleaning.", `v2 {"room":"kitchen","state":"cleaning"}`},
		{"", `{"action":"start","name":"rover","value":"kitchen"}`, "Rover does the whole house or nothing, not one room.", ""},
		{"", `{"action":"start","name":"vacuum","area":"kitchen"}`, "Dusty is cleaning.", `v2 {"room":"kitchen","state":"cleaning"}`},
		{"", `{"action":"set","name":"pool timer","value":"30"}`, "The pool timer is set to 30.", `n1 {"state":30}`},
		{"", `{"action":"set","name":"pool timer","value":"max"}`, "The pool timer is set to 60.", `n1 {"state":60}`},
		// More and less.
		{"", `{"action":"raise","name":"play corner"}`, "The play corner is at 60 percent.", `pc {"brightness":60,"state":"on"}`},
		{"", `{"action":"lower","name":"play corner","property":"brightness","step":10,"unit":"percent"}`, "The play corner is at 30 percent.", `pc {"brightness":30,"state":"on"}`},
		{"", `{"action":"lower","name":"office thermostat"}`, "The office thermostat is set to 18 degrees.", `t2 {"temperature":18}`},
		{"", `{"action":"raise","name":"heating","area":"office","property":"temperature","step":2,"unit":"degrees"}`, "The office thermostat is set to 21 degrees.", `t2 {"temperature":21}`},
		{"", `{"action":"raise","name":"heating","area":"office","step":7}`, "The office thermostat is set to 26 degrees.", `t2 {"temperature":26}`},
		{"", `{"action":"raise","name":"bedroom lamp","property":"temperature"}`, "The bedroom lamp is at 2700 kelvin.", `bl {"kelvin":2700,"state":"on"}`},
		{"", `{"action":"lower","name":"ceiling fan"}`, "The ceiling fan is at 55 percent.", `f1 {"speed":55}`},
		{"", `{"action":"raise","name":"radio"}`, "The radio is at 40 percent.", `m1 {"volume":40}`},
		{"", `{"action":"lower","name":"left curtain"}`, "The curtain left is closed.", `c1 {"state":"closed"}`},
		{"", `{"action":"lower","name":"left curtain","step":30}`, "The curtain left is at 70 percent.", `c1 {"position":70}`},
		{"Living Room", `{"action":"raise","name":"it","area":"here","property":"brightness"}`, "The play corner is at 60 percent.", `pc {"brightness":60,"state":"on"}`},
		// The keys of before.
		{"", `{"action":"set","name":"bedroom lamp","kelvin":3000}`, "The bedroom lamp is at 3000 kelvin.", `bl {"kelvin":3000,"state":"on"}`},
		{"", `{"action":"off","kind":"light","area":"kitchen"}`, "Both lights are off.", `k1 {"state":"off"};k2 {"state":"off"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := villa()
			h, err := New(Options{Devices: house, Area: c.room})
			if err != nil {
				t.Fatal(err)
			}
			got := call(t, h.Tools()[0], c.args).Text
			slices.Sort(house.sent)
			if sent := strings.Join(house.sent, ";"); got != c.text || sent != c.sent {
				t.Logf("%s: %q, sent %s; want %q, %s", c.args, got, sent, c.text, c.sent)
				failed = true
			}
		})
	}
	if failed {
		t.Fail()
	}
}

func TestQuestionsOfTheFace(t *testing.T) {
	for args, want := range map[string]string{
		`{"name":"kitchen leak sensor","is":"wet"}`:                  "Yes, the kitchen leak sensor is wet.",
		`{"name":"office","is":"occupied"}`:                          "No. The office occupancy is clear.",
		`{"name":"anna","is":"home"}`:                                "No. Anna is away.",
		`{"name":"rover","is":"docked"}`:                             "Yes, Rover is docked.",
		`{"name":"doors","is":"locked","which":"all"}`:               "No, the back door is unlocked.",
		`{"name":"lights","is":"on","which":"any","area":"kitchen"}`: "I do not know how the kitchen cabinets and the kitchen ceiling are.",
		`{"name":"radio","what":"volume"}`:                           "The radio is playing at 30 percent.",
		`{"name":"curtains","is":"open","except":"left curtain"}`:    "Yes, the curtain right is open.",
	} {
		byName, _ := newTools(t, villa())
		if got := call(t, byName["home_read"], args); strings.TrimPrefix(got.Text, "I cannot tell. ") != want {
			t.Errorf("%s: %q, want %q", args, got.Text, want)
		}
	}
}

func TestArgumentsThatSayTwoThingsAreRefused(t *testing.T) {
	byName, _ := newTools(t, villa())
	for _, args := range []string{`{"action":"set","name":"bedroom lamp","brightness":40,"color":"blue"}`, `{"action":"on","nam":"x"}`, `{"action":"on","value":[1]}`, `{"action":"on","name":3}`} {
		if _, err := byName["home_control"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}}); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}

func TestRaisingWhatOpensTheHouseIsAskedFor(t *testing.T) {
	gate := home.Entity{ID: "x1", Kind: home.Cover, Class: "garage", Name: "Big one", Can: can(home.Main, home.Position), State: home.State{home.Main: "closed", home.Position: 0.0}}
	for args, want := range map[string]string{
		`{"action":"raise","name":"big one"}`: "Open the big one?", `{"action":"raise","name":"big one","step":20}`: "Open the big one?",
		`{"action":"set","name":"big one","value":"half"}`: "Open the big one?", `{"action":"open","name":"big one","value":10}`: "Open the big one?",
		`{"action":"set","name":"big one","property":"brightness","value":40}`: "Open the big one?", `{"action":"lower","name":"big one"}`: "",
	} {
		if q, sent := asks(t, args, gate); q != want || want != "" && len(sent) > 0 {
			t.Errorf("%s: asked %q, want %q; sent %v", args, q, want, sent)
		}
	}
}
