package act

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// asks gives a house a command, and what it asks before.
func asks(t *testing.T, args string, list ...home.Entity) (question string, sent []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(list...)
		out := run(t, h)("home_control", args)
		if (out.Class == tools.Asked) != (out.Question != "") {
			t.Errorf("%s: %s %q", args, out.Class, out.Question)
		}
		question, sent = out.Question, h.sent
	})
	return question, sent
}

func TestWhateverOpensTheHouseIsAskedForInEveryLanguage(t *testing.T) {
	on := can(home.Main)
	for _, e := range []home.Entity{
		{Kind: home.Switch, Name: "Front door strike"}, {Kind: home.Switch, Name: "Door buzzer"},
		{Kind: home.Switch, Name: "Door release"}, {Kind: home.Switch, Name: "Entrance door"},
		{Kind: home.Switch, Name: "Garage"}, {Kind: home.Switch, Name: "Haustür"}, {Kind: home.Switch, Name: "Garagentor"},
		{Kind: home.Button, Name: "Open front door"}, {Kind: home.Scene, Name: "Open the house"},
		{Kind: home.Script, Name: "Let in the cleaner"}, {Kind: home.Switch, Name: "Hoftor"}, {Kind: home.Button, Name: "Türöffner"},
		{Kind: home.Switch, Name: "Portail"}, {Kind: home.Button, Name: "Gâche électrique"},
		{Kind: home.Switch, Name: "Cancello"}, {Kind: home.Button, Name: "Apriporta"}, {Kind: home.Switch, Name: "Puerta principal"},
		{Kind: home.Button, Name: "Voordeur"}, {Kind: home.Switch, Name: "Brama wjazdowa"},
		{Kind: home.Button, Name: "Furtka"}, {Kind: home.Switch, Name: "Ytterdörr"}, {Kind: home.Button, Name: "Hoveddør"},
		{Kind: home.Switch, Name: "Ворота"},
		{Kind: home.Switch, Name: "Relay 3", Device: "Gate controller"}, {Kind: home.Button, Name: "Press", Device: "Haustür"},
		{Kind: home.Switch, Name: "Shelly 1", Area: "Garage"},
		{Kind: home.Switch, Name: "Relay 1", ID: "switch.front_door_strike"},
		{Kind: home.Button, Name: "Relay", Object: "button.haustur"}, {Kind: home.Valve, Name: "Gate"},
		{Kind: home.Switch, Name: "Lamp", ID: "switch.door_opener"},
		{Kind: home.Switch, Name: "Fritz", Aliases: []string{"old one", "front door"}},
		{Kind: home.Button, Name: "Relay", Aliases: []string{"Haustür"}}, {Kind: home.Switch, Name: "Garden lamp", Aliases: []string{"portail"}},
		{Kind: home.Script, Name: "Close the garage", Aliases: []string{"open the garage"}},
		{Kind: home.Switch, Name: "Shelly 2", Area: "Downstairs", AreaAliases: []string{"parking", "cochera"}},
	} {
		if e.ID == "" {
			e.ID = "x1"
		}
		e.Can = on
		action := map[home.Kind]string{home.Button: "press", home.Scene: "on", home.Script: "on", home.Valve: "open"}[e.Kind]
		if action == "" {
			action = "on"
		}
		if q, sent := asks(t, fmt.Sprintf(`{"action":%q,"name":%q}`, action, e.Spoken()), e); q == "" || len(sent) > 0 {
			t.Errorf("%s %s: asked %q, sent %v", e.Kind, e.Spoken(), q, sent)
		}
	}
}

func TestClassesAndKindsThatOpenAreAskedForWhateverTheyAreCalled(t *testing.T) {
	for _, c := range []struct {
		e    home.Entity
		args string
		want string
	}{
		{home.Entity{Kind: home.Lock, Name: "Fritz", Can: can(home.Main)}, `{"action":"unlock","name":"fritz"}`, "Unlock fritz?"},
		{home.Entity{Kind: home.Lock, Name: "Fritz", Can: can(home.Main)}, `{"action":"open","name":"fritz"}`, "Unlock fritz?"},
		{home.Entity{Kind: home.Cover, Class: "garage", Name: "Big one", Can: can(home.Main)}, `{"action":"open","name":"big one"}`, "Open the big one?"},
		{home.Entity{Kind: home.Cover, Class: "gate", Name: "Big one", Can: can(home.Main, home.Position)}, `{"action":"set","name":"big one","position":30}`, "Open the big one?"},
		{home.Entity{Kind: home.Cover, Class: "door", Name: "Big one", Can: can(home.Main)}, `{"action":"toggle","name":"big one"}`, "Open the big one?"},
		{home.Entity{Kind: home.Cover, Name: "Rolltor", Can: can(home.Main)}, `{"action":"open","name":"rolltor"}`, "Open rolltor?"},
		{home.Entity{Kind: home.Select, Name: "Lock mode", Can: can(home.Main), Options: map[home.Key][]string{home.Main: {"locked", "unlocked", "auto"}}}, `{"action":"set","name":"lock mode","value":"unlocked"}`, "Set the lock mode to unlocked?"},
		{home.Entity{Kind: home.Number, Name: "Garage door position", Min: 0, Max: 100, Can: can(home.Main)}, `{"action":"set","name":"garage door position","value":"80"}`, "Set the garage door position to 80?"},
		{home.Entity{Kind: home.Switch, Name: "Front door lock", Can: can(home.Main)}, `{"action":"off","name":"front door lock"}`, "Turn off the front door lock?"},
		{home.Entity{Kind: home.Switch, Name: "Gate", Can: can(home.Main)}, `{"action":"toggle","name":"gate"}`, "Turn on the gate?"},
	} {
		e := c.e
		e.ID, e.State = "x1", home.State{home.Main: map[string]string{"toggle": "closed"}[actionOf(c.args)]}
		if e.Kind == home.Switch {
			e.State = home.State{home.Main: "off"}
		}
		q, sent := asks(t, c.args, e)
		if strings.ReplaceAll(q, " the ", " ") != strings.ReplaceAll(c.want, " the ", " ") || len(sent) > 0 {
			t.Errorf("%s: asked %q, want %q; sent %v", c.args, q, c.want, sent)
		}
	}
}

func actionOf(args string) string {
	var a meaning.Request
	_ = json.Unmarshal([]byte(args), &a)
	return a.Action
}

func TestWhatOpensNothingIsNotAskedFor(t *testing.T) {
	for _, c := range []struct {
		e    home.Entity
		args string
	}{
		{home.Entity{Kind: home.Light, Name: "Lamp", Area: "Garage"}, `{"action":"on","name":"lamp"}`},
		{home.Entity{Kind: home.Light, Name: "Front door"}, `{"action":"on","name":"front door"}`},
		{home.Entity{Kind: home.Switch, Name: "Garage light"}, `{"action":"on","name":"garage light"}`},
		{home.Entity{Kind: home.Switch, Name: "Lamp", Area: "Garage", ID: "switch.garage_relay_2"}, `{"action":"on","name":"lamp"}`},
		{home.Entity{Kind: home.Switch, Name: "Garagenlicht"}, `{"action":"on","name":"garagenlicht"}`},
		{home.Entity{Kind: home.Fan, Name: "Garage fan"}, `{"action":"on","name":"garage fan"}`},
		{home.Entity{Kind: home.Switch, Name: "Coffee machine"}, `{"action":"on","name":"coffee machine"}`},
		{home.Entity{Kind: home.Switch, Name: "Shelly 1", Area: "Garage"}, `{"action":"off","name":"shelly 1"}`},
		{home.Entity{Kind: home.Switch, Name: "Door buzzer"}, `{"action":"off","name":"door buzzer"}`},
		{home.Entity{Kind: home.Switch, Name: "Child lock", Device: "Radiator"}, `{"action":"on","name":"radiator child lock"}`},
		{home.Entity{Kind: home.Button, Name: "Close the garage"}, `{"action":"press","name":"close the garage"}`},
		{home.Entity{Kind: home.Button, Class: "identify", Name: "Identify", Device: "Front door"}, `{"action":"press","name":"front door identify"}`},
		{home.Entity{Kind: home.Lock, Name: "Front door"}, `{"action":"lock","name":"front door"}`},
		{home.Entity{Kind: home.Cover, Class: "garage", Name: "Garage door"}, `{"action":"close","name":"garage door"}`},
		{home.Entity{Kind: home.Cover, Class: "garage", Name: "Garage door"}, `{"action":"stop","name":"garage door"}`},
		{home.Entity{Kind: home.Cover, Class: "blind", Name: "Door blind"}, `{"action":"open","name":"door blind"}`},
		{home.Entity{Kind: home.Scene, Name: "Movie night"}, `{"action":"on","name":"movie night"}`},
		{home.Entity{Kind: home.Switch, Name: "Garage light", Aliases: []string{"work lamp"}, Area: "Garage", AreaAliases: []string{"carport"}}, `{"action":"on","name":"work lamp"}`},
		{home.Entity{Kind: home.Button, Name: "Close the garage", Aliases: []string{"shut the garage", "good night"}}, `{"action":"press","name":"close the garage"}`},
		{home.Entity{Kind: home.Select, Name: "Lock mode", Options: map[home.Key][]string{home.Main: {"locked", "unlocked"}}}, `{"action":"set","name":"lock mode","value":"locked"}`},
	} {
		e := c.e
		if e.ID == "" {
			e.ID = "x1"
		}
		e.Can = can(home.Main)
		if q, sent := asks(t, c.args, e); q != "" || len(sent) != 1 {
			t.Errorf("%s %s: asked %q, sent %v", e.Kind, c.args, q, sent)
		}
	}
}

func TestOrderForAllThatHoldsAWayInIsAskedAsAWhole(t *testing.T) {
	list := []home.Entity{
		{ID: "a", Kind: home.Switch, Name: "Coffee machine", Can: can(home.Main)},
		{ID: "b", Kind: home.Switch, Name: "Haustür", Can: can(home.Main)},
		{ID: "c", Kind: home.Button, Name: "Door release", Can: can(home.Main)},
		{ID: "d", Kind: home.Lock, Name: "Back door", Can: can(home.Main)},
		{ID: "e", Kind: home.Cover, Class: "garage", Name: "Car", Can: can(home.Main)},
		{ID: "f", Kind: home.Cover, Class: "blind", Name: "Blind", Can: can(home.Main)},
	}
	for args, want := range map[string]string{
		`{"action":"on","name":"all switches"}`:  "Turn on the haustür?",
		`{"action":"on","name":"everything"}`:    "Press the door release and turn on the haustür?",
		`{"action":"open","name":"everything"}`:  "Open the car and unlock the back door?",
		`{"action":"close","name":"everything"}`: "",
	} {
		q, sent := asks(t, args, list...)
		if q != want || want != "" && len(sent) > 0 {
			t.Errorf("%s: asked %q, want %q; sent %v", args, q, want, sent)
		}
	}
}

func TestSceneOrGroupThatHoldsAWayInIsOne(t *testing.T) {
	lock := home.Entity{ID: "lock.front", Kind: home.Lock, Name: "Front door", Can: can(home.Main)}
	group := home.Entity{ID: "switch.group", Kind: home.Switch, Name: "Morning group", Members: []string{"lock.front"}, Can: can(home.Main)}
	for _, e := range []home.Entity{
		{ID: "scene.morning", Kind: home.Scene, Name: "Morning", Members: []string{"light.kitchen", "lock.front"}, Can: can(home.Main)},
		{ID: "scene.morning", Kind: home.Scene, Name: "Morning", Members: []string{"scene.morning", "switch.group"}, Can: can(home.Main)},
		// What is not for voice is not among the devices.
		{ID: "scene.morning", Kind: home.Scene, Name: "Morning", Members: []string{"lock.cellar"}, Can: can(home.Main)},
		{ID: "scene.morning", Kind: home.Scene, Name: "Morning", Members: []string{"light.hall", "switch.front_door_strike"}, Can: can(home.Main)},
	} {
		if q, sent := asks(t, `{"action":"on","name":"morning","kind":"scene"}`, e, lock, group); q != "Activate morning?" && q != "Activate the morning?" || len(sent) > 0 {
			t.Errorf("%v: asked %q, sent %v", e.Members, q, sent)
		}
	}
}

func TestOwnersWordIsTheLast(t *testing.T) {
	marks := home.Marks{Is: []string{"Beehive", "sw.2"}, Not: []string{"garage", "BEEHIVE"}, ByHand: map[string]bool{"sw.4": true, "lk.1": false}}
	h, err := New(Options{Devices: newHouse(), Marks: func() home.Marks { return marks }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    home.Entity
		want bool
	}{
		{home.Entity{ID: "sw.1", Kind: home.Switch, Name: "Beehive"}, true}, {home.Entity{ID: "sw.2", Kind: home.Light, Name: "Porch"}, true},
		{home.Entity{ID: "sw.3", Kind: home.Switch, Name: "Garage"}, false},
		{home.Entity{ID: "sw.4", Kind: home.Switch, Name: "Garage"}, true},
		{home.Entity{ID: "lk.1", Kind: home.Lock, Name: "Cabinet"}, false}, {home.Entity{ID: "lk.2", Kind: home.Lock, Name: "Cabinet"}, true},
	} {
		c.e.Can = can(home.Main)
		w, is := h.WayIn(&c.e)
		if is != c.want || w.Why == "" {
			t.Errorf("%s %s: %t %+v", c.e.ID, c.e.Name, is, w)
		}
	}
	lamp := home.Entity{ID: "sw.2", Kind: home.Light, Name: "Porch", Can: can(home.Main)}
	if w, _ := h.WayIn(&lamp); !w.Opens(&lamp, home.State{home.Main: "off"}) || !w.Opens(&lamp, home.State{home.Main: "on"}) {
		t.Error("which way a marked lamp goes is not known, and is not asked")
	}
}

func TestWayInIsAskedForOnEveryWayToGiveTheOrder(t *testing.T) {
	door := home.Entity{ID: "a", Kind: home.Switch, Name: "Haustür", Can: can(home.Main)}
	gate := home.Entity{ID: "b", Kind: home.Switch, Name: "Hoftor", Can: can(home.Main)}
	house := newHouse(door, gate)
	byName, _, kept := keeping(t, house)
	later := byName["home_later"].(tools.Limited).Limits().ConfirmFunc
	if q := later(json.RawMessage(`{"action":"on","name":"haustür","in_s":600}`)); q != "Shall I turn on the haustür then, without asking again?" {
		t.Errorf("for later: %q", q)
	}
	call(t, byName["home_later"], `{"action":"on","name":"haustür","in_s":600}`)
	var c Call
	if err := json.Unmarshal([]byte((*kept)[0].Call), &c); err != nil || c.Question != "Turn on the haustür?" {
		t.Errorf("what was agreed to is kept as %+v, %v", c, err)
	}
	do := run(t, newHouse(home.Entity{ID: "a", Kind: home.Switch, Name: "Left gate", Can: can(home.Main)}, home.Entity{ID: "b", Kind: home.Switch, Name: "Right gate", Can: can(home.Main)}))
	do("home_control", `{"action":"on","name":"gate"}`)
	if out := do("home_choose", `{"name":"left"}`); out.Class != tools.Asked || out.Question != "Turn on the left gate?" {
		t.Errorf("after a choice: %s %q", out.Class, out.Question)
	}
	if out := do("home_control", `{"action":"on","name":"left gate and right gate"}`); out.Class != tools.Asked {
		t.Errorf("of two: %s %q", out.Class, out.Result.Text)
	}
}

func TestSentenceForAnotherAgentNamesAWayIn(t *testing.T) {
	marks := home.Marks{Is: []string{"Beehive"}}
	h, err := New(Options{Devices: newHouse(home.Entity{ID: "a", Kind: home.Switch, Name: "Beehive", Aliases: []string{"honey pot"}, Can: can(home.Main)}), Marks: func() home.Marks { return marks }})
	if err != nil {
		t.Fatal(err)
	}
	for sentence, want := range map[string]bool{"switch the beehive on": true, "unlock it": true, "is it bin day": false, "tell me of bees": false, "start the honey pot": true,
		"hello there could you now maybe go ahead quickly and also soon please switch that beehive": true} {
		if got := h.NamesWayIn(sentence); got != want {
			t.Errorf("%q: %t", sentence, got)
		}
	}
}
