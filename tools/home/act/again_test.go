package act

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// What is left out was said in the last order or question.
func TestAgainIsTheLastOrderForOthersOrMoreOfIt(t *testing.T) {
	lamp := func(id, name, area, main string) home.Entity {
		return home.Entity{ID: id, Kind: home.Light, Name: name, Area: area, Can: can(home.Main, home.Brightness), Reports: can(home.Main, home.Brightness),
			State: home.State{home.Main: main, home.Brightness: 50.0}}
	}
	heat := home.Entity{ID: "h", Kind: home.Climate, Name: "Bath heating", Area: "Bath", Min: 5, Max: 30, Can: can(home.Mode, home.Target),
		Reports: can(home.Mode, home.Target, home.Current), Options: map[home.Key][]string{home.Mode: {"off", "heat"}},
		State: home.State{home.Mode: "heat", home.Target: 20.0, home.Current: 22.5}}
	house := []home.Entity{
		lamp("a", "Ceiling", "Kitchen", "on"), lamp("b", "Worktop", "Kitchen", "on"), lamp("c", "Mirror", "Bath", "on"),
		{ID: "d", Kind: home.Switch, Name: "Kettle", Area: "Kitchen", Can: can(home.Main), Reports: can(home.Main), State: home.State{home.Main: "on"}}, heat,
		{ID: "t", Kind: home.Sensor, Class: "temperature", Name: "Kitchen temperature", Area: "Kitchen", State: home.State{home.Main: 19.0}},
	}
	for _, c := range []struct{ first, then, sent, said string }{
		{`{"action":"off","name":"ceiling"}`, `{"name":"kettle"}`, "d", "off"},
		{`{"action":"off","name":"kitchen lights"}`, `{"area":"bath"}`, "c", "off"},
		{`{"action":"off","name":"mirror"}`, `{"area":"kitchen"}`, "a b", "off"}, // lights, and no kettle
		{`{"action":"lower","name":"mirror","property":"brightness"}`, `{}`, "c", "10 percent"},
		{`{"action":"set","name":"mirror","value":30,"unit":"percent"}`, `{}`, "c", "50 percent"},
		{`{"action":"set","name":"mirror","property":"position","value":80,"step":-20}`, `{}`, "c", "10 percent"}, // lower it a bit
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

func TestOneOfAKindIsTheOneThatWasSpokenOf(t *testing.T) {
	fan := func(id, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Fan, Name: area + " fan", Area: area, Step: 25, Can: can(home.Main, home.Speed),
			State: home.State{home.Main: "on", home.Speed: 50.0}}
	}
	house := newHouse(fan("k", "Kitchen"), fan("b", "Bedroom"))
	h, err := New(Options{Devices: house, Area: "Kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, sent string }{
		{`{"action":"off","name":"fan"}`, `k {"state":"off"}`},
		{`{"action":"off","name":"bedroom fan"}`, `b {"state":"off"}`},
		{`{"action":"on","name":"fan"}`, `b `},
		{`{"action":"set","name":"fan","property":"speed","value":2}`, `b {"speed":50}`},
		{`{"action":"off","name":"fan","area":"kitchen"}`, `k {"state":"off"}`},
	} {
		house.sent = nil
		call(t, h.Tools()[0], c.args)
		if len(house.sent) != 1 || !strings.HasPrefix(house.sent[0], c.sent) {
			t.Errorf("%s: sent %q, want %s", c.args, house.sent, c.sent)
		}
	}
}

func TestTheOtherOneIsOfTheSameKindAndRoom(t *testing.T) {
	lamp := func(id, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Light, Name: "Lamp " + id, Area: area, Can: can(home.Main), State: home.State{home.Main: "off"}}
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
	climate := func(name, mode string) home.Entity {
		return home.Entity{ID: "c", Kind: home.Climate, Name: name, Can: can(home.Mode), Reports: can(home.Mode), State: home.State{home.Mode: mode},
			Options: map[home.Key][]string{home.Mode: {"off", "heat", "cool"}}}
	}
	for _, c := range []struct {
		name, mode, want string
	}{{"Air conditioner", "off", "cool"}, {"Bedroom AC", "off", "cool"}, {"Radiator", "off", "heat"}, {"AC", "heat", "heat"}} {
		e := climate(c.name, c.mode)
		want, why := (&meaning.Request{Action: "on", Name: c.name}).Wanted(&e, false)
		if why != meaning.Fine || want[home.Mode] != c.want {
			t.Errorf("%s that is %s: %v, %v; want %s", c.name, c.mode, want, why, c.want)
		}
	}
	heats := climate("Floor heating", "heat")
	heats.Options[home.Mode] = []string{"off", "heat", "auto"}
	if want, why := (&meaning.Request{Action: "on", Name: "air conditioner"}).Wanted(&heats, false); why == meaning.Fine {
		t.Errorf("what can only heat is taken for an air conditioner: %v", want)
	}
	if _, why := (&meaning.Request{Action: "on", Name: "heating"}).Wanted(&heats, false); why != meaning.Fine {
		t.Errorf("a heating is not switched on: %v", why)
	}
}

// A room of somebody is called by its owner, and what is on the terrace is outside.
func TestRoomIsCalledByItsOwnerAndTheTerraceIsOutside(t *testing.T) {
	lamp := func(id, name, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Light, Name: name, Area: area, Can: can(home.Main), Reports: can(home.Main), State: home.State{home.Main: "on"}}
	}
	for area, want := range map[string]string{"Jule": "a", "Jules": "a", "outside": "b", "Tyler": "c"} {
		synctest.Test(t, func(t *testing.T) {
			devices := newHouse(lamp("a", "Hase", "Jules Zimmer"), lamp("b", "Lichterkette", "Terrasse"),
				lamp("c", "Globe", "Tyler's Room"), lamp("d", "Spot", "Kitchen"))
			byName, _ := newTools(t, devices)
			call(t, byName["home_control"], `{"action":"off","name":"lights","area":"`+area+`"}`)
			if len(devices.sent) != 1 || !strings.HasPrefix(devices.sent[0], want+" ") {
				t.Errorf("%s: sent %v, want %s", area, devices.sent, want)
			}
		})
	}
}

func TestAgainKeepsItsTimeOrThatOfTheLastOrder(t *testing.T) {
	socket := func(id string) home.Entity {
		return home.Entity{ID: id, Kind: home.Switch, Name: id, Can: can(home.Main), State: home.State{home.Main: "on"}}
	}
	for _, c := range []struct {
		first, tool, then string
		in                time.Duration // 0: nothing is kept
		sent              int
	}{
		{`{"action":"off","name":"kettle"}`, "home_later", `{"action":"again","name":"pump","in_s":600}`, 10 * time.Minute, 0},
		{`{"action":"off","name":"kettle","in_s":300}`, "home_control", `{"action":"again","name":"pump"}`, 5 * time.Minute, 0},
		{`{"action":"off","name":"kettle","in_s":300}`, "home_later", `{"action":"again","name":"pump","in_s":60}`, time.Minute, 0},
		{`{"action":"off","name":"kettle"}`, "home_control", `{"action":"again","name":"pump"}`, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			devices := newHouse(socket("kettle"), socket("pump"))
			byName, _, kept := keeping(t, devices)
			first := "home_control"
			if strings.Contains(c.first, "in_s") {
				first = "home_later"
			}
			call(t, byName[first], c.first)
			devices.sent, *kept = nil, nil
			call(t, byName[c.tool], c.then)
			var in time.Duration
			for _, o := range *kept {
				in = o.In
				if !strings.Contains(o.Call, "pump") {
					t.Errorf("after %s, %s keeps %s", c.first, c.then, o.Call)
				}
			}
			if in != c.in || len(devices.sent) != c.sent {
				t.Errorf("after %s, %s: kept for %v, sent %v", c.first, c.then, in, devices.sent)
			}
		})
	}
}

func TestAgainWithoutAnOrderDoesNothing(t *testing.T) {
	devices := newHouse(home.Entity{ID: "k", Kind: home.Switch, Name: "Kettle", Can: can(home.Main)})
	byName, _ := newTools(t, devices)
	if said := call(t, byName["home_control"], `{"action":"again","name":"kettle"}`).Text; said != "Please say what I should do." ||
		len(devices.sent) > 0 {
		t.Errorf("said %q, sent %v", said, devices.sent)
	}
}

// A name that is said later is no answer to a question that an order has overtaken.
func TestAnOrderClosesTheQuestionWhichOne(t *testing.T) {
	lamp := func(id string) home.Entity {
		return home.Entity{ID: id, Kind: home.Light, Name: id + " lamp", Can: can(home.Main), State: home.State{home.Main: "off"}}
	}
	devices := newHouse(lamp("red"), lamp("blue"), home.Entity{ID: "k", Kind: home.Switch, Name: "Kettle", Can: can(home.Main)})
	byName, _ := newTools(t, devices)
	call(t, byName["home_control"], `{"action":"on","name":"lamp"}`)
	call(t, byName["home_control"], `{"action":"on","name":"kettle"}`)
	devices.sent = nil
	call(t, byName["home_choose"], `{"name":"red"}`)
	if len(devices.sent) > 0 {
		t.Errorf("sent %v", devices.sent)
	}
}

func TestBothMayBeInTwoRoomsAndEverythingIsNeitherWaterNorRobot(t *testing.T) {
	device := func(id string, kind home.Kind, area string) home.Entity {
		return home.Entity{ID: id, Kind: kind, Name: area + " " + string(kind), Area: area, Can: can(home.Main),
			State: home.State{home.Main: "on"}}
	}
	for args, want := range map[string]string{
		`{"action":"off","name":"fans","which":"both"}`: "a b",
		`{"action":"off","name":"everything"}`:          "a b",
	} {
		devices := newHouse(device("a", home.Fan, "Kitchen"), device("b", home.Fan, "Bath"), device("v", home.Valve, "Cellar"),
			device("r", home.Vacuum, "Hall"))
		h, err := New(Options{Devices: devices, Area: "Kitchen"})
		if err != nil {
			t.Fatal(err)
		}
		call(t, h.Tools()[0], args)
		var ids []string
		for _, s := range devices.sent {
			ids = append(ids, s[:strings.Index(s, " ")])
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: sent to %q, want %q", args, got, want)
		}
	}
}

func TestAgainIsOfWhatWaitsForAYes(t *testing.T) {
	lock := func(id, name string) home.Entity {
		return home.Entity{ID: id, Kind: home.Lock, Name: name, Can: can(home.Main), State: home.State{home.Main: "locked"}}
	}
	devices := newHouse(lock("a", "Front door"), lock("b", "Side gate"),
		home.Entity{ID: "k", Kind: home.Switch, Name: "Kettle", Can: can(home.Main)})
	byName, h := newTools(t, devices)
	call(t, byName["home_control"], `{"action":"on","name":"kettle"}`)
	question := h.confirms("home.shall", "")
	question([]byte(`{"action":"unlock","name":"front door"}`))
	if text := question([]byte(`{"action":"again","name":"side gate"}`)); text != "Unlock the side gate?" {
		t.Errorf("it asks %q", text)
	}
}

// What was ordered for later is not what was done before: nothing of that is put right.
func TestAnOrderForLaterIsNotPutRightByTheOneBefore(t *testing.T) {
	socket := func(id, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Switch, Name: id, Area: area, Can: can(home.Main), State: home.State{home.Main: "off"}}
	}
	synctest.Test(t, func(t *testing.T) {
		devices := newHouse(socket("kettle", "Kitchen"), socket("lamp", "Bedroom"))
		byName, h, _ := keeping(t, devices)
		call(t, byName["home_control"], `{"action":"on","name":"kettle"}`)
		call(t, byName["home_later"], `{"action":"off","name":"kettle","in_s":600}`)
		devices.sent = nil
		said := order(t, h, `{"area":"kitchen","instead":"bedroom"}`).Text
		if said != "There is nothing that I could put back." || len(devices.sent) > 0 {
			t.Errorf("said %q, sent %v", said, devices.sent)
		}
	})
}
