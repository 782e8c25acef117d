package act

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools/home"
)

// Each of these was answered wrongly once.

func TestOneOfSeveralIsAskedForAndNotAllOfThem(t *testing.T) {
	for _, c := range []struct{ room, args, want string }{
		{"", `{"action":"on","name":"lights","area":"kitchen","which":"any"}`, "which"},
		{"Kitchen", `{"action":"off","name":"lights","which":"any"}`, "which"},
		{"", `{"action":"on","name":"kitchen lights","which":"any"}`, "which"},
		{"", `{"action":"off","name":"two of the kitchen lights"}`, "which"},
		{"", `{"action":"on","name":"2 lights","area":"kitchen"}`, "which"},
		{"", `{"action":"on","name":"study spot 2"}`, "study.s2=on"},
		{"", `{"action":"close","name":"blinds","area":"study","which":"any"}`, "study.b=closed"}, // there is one
		{"", `{"action":"close","name":"doors","which":"all"}`, "garage=closed slide=closed"},     // and no key is turned
		{"", `{"action":"close","name":"back door"}`, "lk2=locked"},
	} {
		if happened, text := happens(t, mansion(), asked(c)); happened != "" {
			t.Errorf("%s %s: said %q, did %s, want %s", c.room, c.args, text, happened, c.want)
		}
	}
}

func TestLocksAreOpenAndClosedToo(t *testing.T) {
	for args, want := range map[string]string{
		`{"name":"lock","is":"open","which":"any"}`:          "Yes, the back door is unlocked.",
		`{"name":"locks","is":"open","which":"list"}`:        "The back door is unlocked.",
		`{"name":"locks","is":"closed","which":"all"}`:       "No, the back door is unlocked.",
		`{"name":"front door","is":"closed"}`:                "Yes, the front door is locked.",
		`{"name":"front door","is":"open"}`:                  "No. The front door is locked.",
		`{"name":"locks","is":"unlocked","which":"number"}`:  "One of three: the back door is unlocked.",
		`{"name":"locks","is":"locked","which":"any"}`:       "Yes, the front door and the wine cellar door are locked.",
		`{"name":"wine cellar door","is":"open"}`:            "No. The wine cellar door is locked.",
		`{"name":"locks","is":"jammed","which":"any"}`:       "No, none of them is jammed.",
		`{"name":"locks","area":"hall","is":"open"}`:         "No. The front door is locked.",
		`{"name":"locks","area":"hall","is":"unlocked"}`:     "No. The front door is locked.",
		`{"name":"locks","area":"kitchen","is":"locked"}`:    "No. The back door is unlocked.",
		`{"name":"locks","is":"open","except":"back door"}`:  "No, none of them is unlocked.",
		`{"name":"locks","is":"locked","except":"the back"}`: "Yes, both are locked.",
	} {
		byName, _ := newTools(t, newHouse(mansion()...))
		if got := call(t, byName["home_read"], args).Text; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestDeviceMayBeCalledByItsWordsInReverse(t *testing.T) {
	house := villa()
	left, right := house.devices["c1"], house.devices["c2"]
	for e, want := range map[*home.Entity]string{&left: "left curtain", &right: "living room right curtain"} {
		if names := e.Names("en"); !slices.Contains(names, want) {
			t.Errorf("%s is called %q, and not %s", e.Name, names, want)
		}
	}
	lamp := light("x", "Reading lamp", "Kitchen")
	if names := lamp.Names("en"); slices.Contains(names, "lamp reading") {
		t.Errorf("a reading lamp is called %q", names)
	}
}

func TestHouseOf186LightsIsSwitchedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []home.Entity
		for i := range 186 {
			all = append(all, lit(fmt.Sprintf("l%d", i), fmt.Sprintf("Spot %d", i), "Hall", "on"))
		}
		house := newHouse(all...)
		byName, _ := newTools(t, house)
		if got := call(t, byName["home_control"], `{"action":"off","name":"lights","which":"all"}`); got.Text != "All 186 lights are off." || len(house.sent) != 186 {
			t.Errorf("%q, sent to %d", got.Text, len(house.sent))
		}
		for i := range maxTogether {
			all = append(all, lit(fmt.Sprintf("m%d", i), fmt.Sprintf("Lamp %d", i), "Hall", "on"))
		}
		house = newHouse(all...)
		byName, _ = newTools(t, house)
		if got := call(t, byName["home_control"], `{"action":"off","name":"lights","which":"all"}`); !strings.HasPrefix(got.Text, "That would be ") || len(house.sent) > 0 {
			t.Errorf("%q, sent to %d", got.Text, len(house.sent))
		}
	})
}

func TestNoneOneAndManyHaveEachTheirSentence(t *testing.T) {
	lamp := func(id, state string) home.Entity { return lit(id, "Lamp "+id, "Attic", state) }
	none, one := []home.Entity{lamp("1", "off"), lamp("2", "off"), lamp("3", "off")}, []home.Entity{lamp("1", "on"), lamp("2", "off"), lamp("3", "off")}
	for _, c := range []struct {
		house      []home.Entity
		args, want string
	}{
		{none, `{"name":"lights","is":"on","which":"any"}`, "No, none of them is on."},
		{none, `{"name":"lights","is":"on","which":"number"}`, "None of them is on."},
		{one, `{"name":"lights","is":"on","which":"any"}`, "Yes, lamp 1 is on."},
		{one, `{"name":"lights","is":"on","which":"number"}`, "One of three: lamp 1 is on."},
		{one, `{"name":"lights","is":"off","which":"number"}`, "Two of three: lamp 2 and lamp 3 are off."},
		{one, `{"name":"lights","is":"off","which":"all"}`, "No, lamp 1 is on."},
		{none, `{"name":"lights","is":"off","which":"all"}`, "Yes, all three are off."},
		{none[:2], `{"name":"lights","is":"off","which":"all"}`, "Yes, both are off."},
		{one[:1], `{"name":"lights","is":"on","which":"all"}`, "Yes, lamp 1 is on."},
		{one[:1], `{"name":"lights","is":"on","which":"none"}`, "No, lamp 1 is on."},
		{none[:1], `{"name":"lights","is":"on","which":"none"}`, "Yes, lamp 1 is off."},
		{none[:1], `{"name":"lights","is":"on","which":"list"}`, "None: lamp 1 is off."},
		{none[:1], `{"name":"lights","is":"on","which":"number"}`, "None: lamp 1 is off."},
	} {
		byName, _ := newTools(t, newHouse(c.house...))
		if got := call(t, byName["home_read"], c.args).Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestOfSeveralTheOneWithThatVeryNameIsMeant(t *testing.T) {
	heat := func(id, name string) home.Entity {
		return home.Entity{ID: id, Kind: home.Climate, Name: name, Min: 5, Max: 30, Can: can(home.Mode, home.Target), State: home.State{home.Mode: "heat", home.Target: 20.0}}
	}
	list := []home.Entity{heat("a", "Thermostat"), heat("b", "Office thermostat"), heat("c", "Heizung")}
	for _, c := range [][2]string{
		{`{"action":"set","name":"thermostat","value":22}`, "a{temperature:22}"},
		{`{"action":"set","name":"office thermostat","value":22}`, "b{temperature:22}"},
	} {
		if happened, text := happens(t, list, asked{"", c[0], c[1]}); happened != "" {
			t.Errorf("%s: said %q, did %s, want %s", c[0], text, happened, c[1])
		}
	}
}

func TestNameOfTwoWordsForTheKindIsAName(t *testing.T) {
	valve := func(id, name string) home.Entity {
		return home.Entity{ID: id, Kind: home.Valve, Name: name, Can: can(home.Main), State: home.State{home.Main: "open"}}
	}
	list := []home.Entity{valve("a", "Main valve"), valve("b", "Sprinkler valve"), valve("c", "Tap")}
	for _, c := range [][2]string{
		{`{"action":"close","name":"sprinkler valve"}`, "b=closed"},
		{`{"action":"close","name":"valve"}`, "which"},
	} {
		if happened, text := happens(t, list, asked{"", c[0], c[1]}); happened != "" {
			t.Errorf("%s: said %q, did %s, want %s", c[0], text, happened, c[1])
		}
	}
}
