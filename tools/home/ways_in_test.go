package home

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools"
)

// asks gives a house a command, and what it asks before.
func asks(t *testing.T, args string, list ...Entity) (question string, sent []string) {
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
	on := can(Main)
	for _, e := range []Entity{
		{Kind: Switch, Name: "Front door strike"}, {Kind: Switch, Name: "Door buzzer"},
		{Kind: Switch, Name: "Door release"}, {Kind: Switch, Name: "Entrance door"},
		{Kind: Switch, Name: "Garage"}, {Kind: Switch, Name: "Haustür"}, {Kind: Switch, Name: "Garagentor"},
		{Kind: Button, Name: "Open front door"}, {Kind: Scene, Name: "Open the house"},
		{Kind: Script, Name: "Let in the cleaner"}, {Kind: Switch, Name: "Hoftor"}, {Kind: Button, Name: "Türöffner"},
		{Kind: Switch, Name: "Portail"}, {Kind: Button, Name: "Gâche électrique"},
		{Kind: Switch, Name: "Cancello"}, {Kind: Button, Name: "Apriporta"}, {Kind: Switch, Name: "Puerta principal"},
		{Kind: Button, Name: "Voordeur"}, {Kind: Switch, Name: "Brama wjazdowa"},
		{Kind: Button, Name: "Furtka"}, {Kind: Switch, Name: "Ytterdörr"}, {Kind: Button, Name: "Hoveddør"},
		{Kind: Switch, Name: "Ворота"},
		{Kind: Switch, Name: "Relay 3", Device: "Gate controller"}, {Kind: Button, Name: "Press", Device: "Haustür"},
		{Kind: Switch, Name: "Shelly 1", Area: "Garage"},
		{Kind: Switch, Name: "Relay 1", ID: "switch.front_door_strike"},
		{Kind: Button, Name: "Relay", Object: "button.haustur"}, {Kind: Valve, Name: "Gate"},
		{Kind: Switch, Name: "Lamp", ID: "switch.door_opener"},
		{Kind: Switch, Name: "Fritz", Aliases: []string{"old one", "front door"}},
		{Kind: Button, Name: "Relay", Aliases: []string{"Haustür"}}, {Kind: Switch, Name: "Garden lamp", Aliases: []string{"portail"}},
		{Kind: Script, Name: "Close the garage", Aliases: []string{"open the garage"}},
		{Kind: Switch, Name: "Shelly 2", Area: "Downstairs", AreaAliases: []string{"parking", "cochera"}},
	} {
		if e.ID == "" {
			e.ID = "x1"
		}
		e.Can = on
		action := map[Kind]string{Button: "press", Scene: "on", Script: "on", Valve: "open"}[e.Kind]
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
		e    Entity
		args string
		want string
	}{
		{Entity{Kind: Lock, Name: "Fritz", Can: can(Main)}, `{"action":"unlock","name":"fritz"}`, "Unlock fritz?"},
		{Entity{Kind: Lock, Name: "Fritz", Can: can(Main)}, `{"action":"open","name":"fritz"}`, "Unlock fritz?"},
		{Entity{Kind: Cover, Class: "garage", Name: "Big one", Can: can(Main)}, `{"action":"open","name":"big one"}`, "Open the big one?"},
		{Entity{Kind: Cover, Class: "gate", Name: "Big one", Can: can(Main, Position)}, `{"action":"set","name":"big one","position":30}`, "Open the big one?"},
		{Entity{Kind: Cover, Class: "door", Name: "Big one", Can: can(Main)}, `{"action":"toggle","name":"big one"}`, "Open the big one?"},
		{Entity{Kind: Cover, Name: "Rolltor", Can: can(Main)}, `{"action":"open","name":"rolltor"}`, "Open rolltor?"},
		{Entity{Kind: Select, Name: "Lock mode", Can: can(Main), Options: map[Key][]string{Main: {"locked", "unlocked", "auto"}}}, `{"action":"set","name":"lock mode","value":"unlocked"}`, "Set the lock mode to unlocked?"},
		{Entity{Kind: Number, Name: "Garage door position", Min: 0, Max: 100, Can: can(Main)}, `{"action":"set","name":"garage door position","value":"80"}`, "Set the garage door position to 80?"},
		{Entity{Kind: Switch, Name: "Front door lock", Can: can(Main)}, `{"action":"off","name":"front door lock"}`, "Turn off the front door lock?"},
		{Entity{Kind: Switch, Name: "Gate", Can: can(Main)}, `{"action":"toggle","name":"gate"}`, "Turn on the gate?"},
	} {
		e := c.e
		e.ID, e.State = "x1", State{Main: map[string]string{"toggle": "closed"}[actionOf(c.args)]}
		if e.Kind == Switch {
			e.State = State{Main: "off"}
		}
		q, sent := asks(t, c.args, e)
		if strings.ReplaceAll(q, " the ", " ") != strings.ReplaceAll(c.want, " the ", " ") || len(sent) > 0 {
			t.Errorf("%s: asked %q, want %q; sent %v", c.args, q, c.want, sent)
		}
	}
}

func actionOf(args string) string {
	var a arguments
	_ = json.Unmarshal([]byte(args), &a)
	return a.Action
}

func TestWhatOpensNothingIsNotAskedFor(t *testing.T) {
	for _, c := range []struct {
		e    Entity
		args string
	}{
		{Entity{Kind: Light, Name: "Lamp", Area: "Garage"}, `{"action":"on","name":"lamp"}`},
		{Entity{Kind: Light, Name: "Front door"}, `{"action":"on","name":"front door"}`},
		{Entity{Kind: Switch, Name: "Garage light"}, `{"action":"on","name":"garage light"}`},
		{Entity{Kind: Switch, Name: "Lamp", Area: "Garage", ID: "switch.garage_relay_2"}, `{"action":"on","name":"lamp"}`},
		{Entity{Kind: Switch, Name: "Garagenlicht"}, `{"action":"on","name":"garagenlicht"}`},
		{Entity{Kind: Fan, Name: "Garage fan"}, `{"action":"on","name":"garage fan"}`},
		{Entity{Kind: Switch, Name: "Coffee machine"}, `{"action":"on","name":"coffee machine"}`},
		{Entity{Kind: Switch, Name: "Shelly 1", Area: "Garage"}, `{"action":"off","name":"shelly 1"}`},
		{Entity{Kind: Switch, Name: "Door buzzer"}, `{"action":"off","name":"door buzzer"}`},
		{Entity{Kind: Switch, Name: "Child lock", Device: "Radiator"}, `{"action":"on","name":"radiator child lock"}`},
		{Entity{Kind: Button, Name: "Close the garage"}, `{"action":"press","name":"close the garage"}`},
		{Entity{Kind: Button, Class: "identify", Name: "Identify", Device: "Front door"}, `{"action":"press","name":"front door identify"}`},
		{Entity{Kind: Lock, Name: "Front door"}, `{"action":"lock","name":"front door"}`},
		{Entity{Kind: Cover, Class: "garage", Name: "Garage door"}, `{"action":"close","name":"garage door"}`},
		{Entity{Kind: Cover, Class: "garage", Name: "Garage door"}, `{"action":"stop","name":"garage door"}`},
		{Entity{Kind: Cover, Class: "blind", Name: "Door blind"}, `{"action":"open","name":"door blind"}`},
		{Entity{Kind: Scene, Name: "Movie night"}, `{"action":"on","name":"movie night"}`},
		{Entity{Kind: Switch, Name: "Garage light", Aliases: []string{"work lamp"}, Area: "Garage", AreaAliases: []string{"carport"}}, `{"action":"on","name":"work lamp"}`},
		{Entity{Kind: Button, Name: "Close the garage", Aliases: []string{"shut the garage", "good night"}}, `{"action":"press","name":"close the garage"}`},
		{Entity{Kind: Select, Name: "Lock mode", Options: map[Key][]string{Main: {"locked", "unlocked"}}}, `{"action":"set","name":"lock mode","value":"locked"}`},
	} {
		e := c.e
		if e.ID == "" {
			e.ID = "x1"
		}
		e.Can = can(Main)
		if q, sent := asks(t, c.args, e); q != "" || len(sent) != 1 {
			t.Errorf("%s %s: asked %q, sent %v", e.Kind, c.args, q, sent)
		}
	}
}

func TestOrderForAllThatHoldsAWayInIsAskedAsAWhole(t *testing.T) {
	list := []Entity{
		{ID: "a", Kind: Switch, Name: "Coffee machine", Can: can(Main)},
		{ID: "b", Kind: Switch, Name: "Haustür", Can: can(Main)},
		{ID: "c", Kind: Button, Name: "Door release", Can: can(Main)},
		{ID: "d", Kind: Lock, Name: "Back door", Can: can(Main)},
		{ID: "e", Kind: Cover, Class: "garage", Name: "Car", Can: can(Main)},
		{ID: "f", Kind: Cover, Class: "blind", Name: "Blind", Can: can(Main)},
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
	lock := Entity{ID: "lock.front", Kind: Lock, Name: "Front door", Can: can(Main)}
	group := Entity{ID: "switch.group", Kind: Switch, Name: "Morning group", Members: []string{"lock.front"}, Can: can(Main)}
	for _, e := range []Entity{
		{ID: "scene.morning", Kind: Scene, Name: "Morning", Members: []string{"light.kitchen", "lock.front"}, Can: can(Main)},
		{ID: "scene.morning", Kind: Scene, Name: "Morning", Members: []string{"scene.morning", "switch.group"}, Can: can(Main)},
		// What is not for voice is not among the devices.
		{ID: "scene.morning", Kind: Scene, Name: "Morning", Members: []string{"lock.cellar"}, Can: can(Main)},
		{ID: "scene.morning", Kind: Scene, Name: "Morning", Members: []string{"light.hall", "switch.front_door_strike"}, Can: can(Main)},
	} {
		if q, sent := asks(t, `{"action":"on","name":"morning","kind":"scene"}`, e, lock, group); q != "Activate morning?" && q != "Activate the morning?" || len(sent) > 0 {
			t.Errorf("%v: asked %q, sent %v", e.Members, q, sent)
		}
	}
}

func TestOwnersWordIsTheLast(t *testing.T) {
	marks := Marks{Is: []string{"Beehive", "sw.2"}, Not: []string{"garage", "BEEHIVE"}, ByHand: map[string]bool{"sw.4": true, "lk.1": false}}
	h, err := New(Options{Devices: newHouse(), Marks: func() Marks { return marks }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    Entity
		want bool
	}{
		{Entity{ID: "sw.1", Kind: Switch, Name: "Beehive"}, true}, {Entity{ID: "sw.2", Kind: Light, Name: "Porch"}, true},
		{Entity{ID: "sw.3", Kind: Switch, Name: "Garage"}, false},
		{Entity{ID: "sw.4", Kind: Switch, Name: "Garage"}, true},
		{Entity{ID: "lk.1", Kind: Lock, Name: "Cabinet"}, false}, {Entity{ID: "lk.2", Kind: Lock, Name: "Cabinet"}, true},
	} {
		c.e.Can = can(Main)
		w, is := h.WayIn(&c.e)
		if is != c.want || w.Why == "" {
			t.Errorf("%s %s: %t %+v", c.e.ID, c.e.Name, is, w)
		}
	}
	lamp := Entity{ID: "sw.2", Kind: Light, Name: "Porch", Can: can(Main)}
	if w, _ := h.WayIn(&lamp); !w.opens(&lamp, State{Main: "off"}) || !w.opens(&lamp, State{Main: "on"}) {
		t.Error("which way a marked lamp goes is not known, and is not asked")
	}
}

func TestWayInIsAskedForOnEveryWayToGiveTheOrder(t *testing.T) {
	door := Entity{ID: "a", Kind: Switch, Name: "Haustür", Can: can(Main)}
	gate := Entity{ID: "b", Kind: Switch, Name: "Hoftor", Can: can(Main)}
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
	do := run(t, newHouse(Entity{ID: "a", Kind: Switch, Name: "Left gate", Can: can(Main)}, Entity{ID: "b", Kind: Switch, Name: "Right gate", Can: can(Main)}))
	do("home_control", `{"action":"on","name":"gate"}`)
	if out := do("home_choose", `{"name":"left"}`); out.Class != tools.Asked || out.Question != "Turn on the left gate?" {
		t.Errorf("after a choice: %s %q", out.Class, out.Question)
	}
	if out := do("home_control", `{"action":"on","name":"left gate and right gate"}`); out.Class != tools.Asked {
		t.Errorf("of two: %s %q", out.Class, out.Result.Text)
	}
}

func TestSentenceForAnotherAgentNamesAWayIn(t *testing.T) {
	marks := Marks{Is: []string{"Beehive"}}
	h, err := New(Options{Devices: newHouse(Entity{ID: "a", Kind: Switch, Name: "Beehive", Aliases: []string{"honey pot"}, Can: can(Main)}), Marks: func() Marks { return marks }})
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
