package act

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools/home"
)

// twoFloors is a house whose areas are on floors, by what the devices tell and by the
// options.
func twoFloors() *fakeHouse {
	return newHouse(
		light("l1", "Ceiling", "Kitchen", home.Brightness), light("l2", "Spots", "Living Room", home.Brightness), light("l3", "Lamp", "Hall"),
		light("l4", "Bedside", "Bedroom"), light("l5", "Mirror", "Bathroom"),
		home.Entity{ID: "s1", Kind: home.Switch, Name: "Kettle", Area: "Kitchen", Can: can(home.Main), State: home.State{home.Main: "on"}},
		home.Entity{ID: "h1", Kind: home.Light, Name: "Desk", Area: "Attic", Floors: []string{"second floor", "upstairs"}, Can: can(home.Main)},
		home.Entity{ID: "c1", Kind: home.Cover, Class: "blind", Name: "Blind", Area: "Kitchen", Can: can(home.Main, home.Position)},
		home.Entity{ID: "c2", Kind: home.Cover, Class: "blind", Name: "Blind", Area: "Bedroom", Can: can(home.Main, home.Position)},
	)
}

// afterwards is a command behind a question, which may be empty, to the box in the kitchen.
type afterwards struct{ before, args, want string }

func (c afterwards) in(t *testing.T, house *fakeHouse) {
	t.Helper()
	h, err := New(Options{Devices: house, Area: "Kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	if c.before != "" {
		call(t, h.Tools()[1], c.before)
	}
	if got := call(t, h.Tools()[0], c.args).Text; got != c.want {
		t.Errorf("%s %s: %q, want %q", c.before, c.args, got, c.want)
	}
}

// A place that was only pointed at is the one that was spoken of, and all that stands there is switched nowhere else.
func TestThereIsTheRoomThatWasSpokenOf(t *testing.T) {
	for _, c := range []afterwards{
		{"", `{"action":"off","name":"everything","area":"that place"}`, "Please say in which room."},
		{`{"name":"lamp"}`, `{"action":"off","name":"everything","area":"that place"}`, "The lamp is off."},
		{`{"name":"spot"}`, `{"action":"on","name":"light","area":"that place"}`, "The spot is on."},
		{"", `{"action":"on","name":"light","area":"that place"}`, "Please say in which room."},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.in(t, newHouse(light("l", "Lamp", "Bedroom"), light("s", "Spot", "Kitchen")))
		})
	}
}

// Talk of a room that something was only asked of goes on there: "in there", and what nothing near is called.
func TestTalkOfARoomGoesOnThere(t *testing.T) {
	fan := func(id, name, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Fan, Name: name, Area: area, Can: can(home.Main), State: home.State{home.Main: "on"}}
	}
	for _, c := range []afterwards{
		{`{"is":"open","name":"bedroom window"}`, `{"action":"off","name":"fan","area":"that place"}`, "The bedroom fan is off."},
		{`{"what":"humidity","area":"bathroom"}`, `{"action":"off","name":"fan"}`, "The bathroom fan is off."},
		{`{"what":"humidity","area":"bathroom"}`, `{"action":"off","name":"light"}`, "The kitchen light is off."},
		{`{"is":"open","name":"windows","which":"any"}`, `{"action":"off","name":"fan","area":"that place"}`, "The bedroom fan is off."},
		{"", `{"action":"off","name":"fan"}`, "The hood is off."},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(fan("k", "Hood", "Kitchen"), fan("b", "Bathroom Fan", "Bathroom"), fan("r", "Bedroom Fan", "Bedroom"),
				light("l", "Kitchen Light", "Kitchen"), light("m", "Mirror Light", "Bathroom"),
				home.Entity{ID: "w", Kind: home.BinarySensor, Class: "window", Name: "Bedroom Window", Area: "Bedroom", State: home.State{home.Main: "on"}},
				home.Entity{ID: "x", Kind: home.BinarySensor, Class: "window", Name: "Kitchen Window", Area: "Kitchen", State: home.State{home.Main: "off"}},
				home.Entity{ID: "h", Kind: home.Sensor, Class: "humidity", Name: "Bathroom Humidity", Area: "Bathroom", Unit: "%", State: home.State{home.Main: 71.0}})
			c.in(t, house)
		})
	}
}

// What an "and" joins to the last command is of the room of that, though the room of the box has one too.
func TestAnAndGoesOnInTheRoomThatWasSpokenOf(t *testing.T) {
	h, err := New(Options{Devices: newHouse(light("b", "Lamp", "Bedroom"), light("k", "Spot", "Kitchen"),
		home.Entity{ID: "c1", Kind: home.Cover, Class: "blind", Name: "Blind", Area: "Kitchen", Can: can(home.Main)},
		home.Entity{ID: "c2", Kind: home.Cover, Class: "blind", Name: "Blind", Area: "Bedroom", Can: can(home.Main)}), Area: "Kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, blind string }{
		{`{"action":"close","name":"blind","and":true}`, "c2"}, {`{"action":"close","name":"blind"}`, "c1"},
	} {
		call(t, h.Tools()[0], `{"action":"on","name":"lamp"}`)
		call(t, h.Tools()[0], c.args)
		if got := h.recent.Get(); len(got) != 1 || got[0] != c.blind {
			t.Errorf("%s: %v, want %s", c.args, got, c.blind)
		}
	}
}

// The garage that a person is asked whether to open is spoken of before the yes.
func TestThereIsTheRoomOfWhatIsAskedAbout(t *testing.T) {
	h, err := New(Options{Devices: newHouse(light("k", "Lamp", "Kitchen"), light("g", "Lamp", "Garage"),
		home.Entity{ID: "d", Kind: home.Cover, Class: "garage", Name: "Garage Door", Area: "Garage", Can: can(home.Main),
			State: home.State{home.Main: "closed"}}), Area: "Kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	question := h.confirms("home.shall", "")([]byte(`{"action":"open","name":"garage door"}`))
	got := call(t, h.Tools()[0], `{"action":"on","name":"lamp","area":"that place"}`).Text
	if question != "Open the garage door?" || !strings.Contains(got, "is on") || h.recent.Get()[0] != "g" {
		t.Errorf("%q, then %q of %v", question, got, h.recent.Get())
	}
}

func TestSeveralAreasFloorsAndExceptions(t *testing.T) {
	for args, want := range map[string]string{
		`{"action":"off","name":"kitchen and living room lights"}`:                    `l1 l2`,
		`{"action":"off","name":"the kitchen, hall and living room lights"}`:          `l1 l2 l3`,
		`{"action":"off","name":"lights","area":"kitchen and living room"}`:           `l1 l2`,
		`{"action":"set","name":"kitchen and living room lights","brightness":30}`:    `l1 l2`,
		`{"action":"close","name":"kitchen and bedroom blinds"}`:                      `c1 c2`,
		`{"action":"off","name":"kettle and the bedside"}`:                            `l4 s1`,
		`{"action":"off","name":"lights","area":"upstairs"}`:                          `h1 l4 l5`,
		`{"action":"off","name":"lights","area":"downstairs"}`:                        `l1 l2 l3`,
		`{"action":"off","name":"everything","area":"downstairs"}`:                    `l1 l2 l3 s1`,
		`{"action":"off","area":"second floor"}`:                                      `h1`,
		`{"action":"off","name":"upstairs lights"}`:                                   `h1 l4 l5`,
		`{"action":"off","name":"lights","except":"the lamp"}`:                        `h1 l1 l2 l4 l5`,
		`{"action":"off","name":"all lights","area":"upstairs","except":"the attic"}`: `l4 l5`,
		`{"action":"off","name":"lights","except":"the helicopter"}`:                  ``,
		`{"action":"off","name":"kettle and the helicopter"}`:                         ``,
	} {
		synctest.Test(t, func(t *testing.T) {
			house := twoFloors()
			h, err := New(Options{Devices: house, Floors: map[string][]string{"upstairs": {"Bedroom", "bathroom"}, "downstairs": {"Kitchen", "living room", "Hall"}}})
			if err != nil {
				t.Fatal(err)
			}
			said := call(t, h.Tools()[0], args).Text
			var ids []string
			for _, s := range house.sent {
				id, _, _ := strings.Cut(s, " ")
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("%s: %s (%s), want %s", args, got, said, want)
			}
		})
	}
}

func TestQuestionsOfFloorsAndSeveralAreas(t *testing.T) {
	house := twoFloors()
	for _, id := range []string{"l1", "l3", "l5", "h1"} {
		house.set(id, home.State{home.Main: "off"})
	}
	house.set("l4", home.State{home.Main: "on"})
	house.set("l2", home.State{home.Main: "on"})
	h, err := New(Options{Devices: house, Floors: map[string][]string{"upstairs": {"Bedroom", "bathroom"}}})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"name":"lights","area":"upstairs","is":"on"}`:           "Yes, one of three: the bedside is on.",
		`{"name":"lights","area":"kitchen and hall","is":"on"}`:   "No, none of them is on.",
		`{"name":"kitchen and living room lights","is":"on"}`:     "Yes, one of two: the spots are on.",
		`{"name":"lights","area":"the third floor","is":"on"}`:    "I don't know a device called lights in the third floor. I do know the bedside, the ceiling, the desk, the lamp, the mirror and the spots.",
		`{"name":"lights","area":"bedroom and hall","is":"open"}`: "I don't know a device called lights in the bedroom and hall. I do know the bedside, the ceiling, the desk, the lamp, the mirror and the spots.",
	} {
		if got := call(t, h.Tools()[1], args); got.Text != want {
			t.Errorf("%s: %q, want %q", args, got.Text, want)
		}
	}
}
