package act

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

func TestWhatWasAskedAboutIsWhatItMeans(t *testing.T) {
	for _, c := range []struct{ before, asked, then, want string }{
		{`{"action":"on","name":"kettle"}`, `{"name":"lights","is":"on"}`, `{"action":"off","name":"them"}`, "l2 l5"},
		{`{"action":"on","name":"kettle"}`, `{"name":"mirror","is":"on"}`, `{"action":"off","name":"it"}`, "l5"},
		{`{"action":"on","name":"kettle"}`, `{"name":"bedside","is":"on"}`, `{"action":"on","name":"it"}`, "l4"},
		{`{"action":"on","name":"kettle"}`, `{"name":"anything","is":"on","area":"upstairs"}`, `{"action":"off","name":"everything"}`, "h1"},
		// Nothing is so, and several were asked about: then it is what was done before.
		{`{"action":"on","name":"kettle"}`, `{"name":"blinds","is":"closed"}`, `{"action":"off","name":"it"}`, "s1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := twoFloors()
			for id, main := range map[string]string{"l1": "off", "l2": "on", "l3": "off", "l4": "off", "l5": "on", "h1": "off", "c1": "open", "c2": "open"} {
				e := house.devices[id]
				e.State = home.State{home.Main: main}
				house.devices[id] = e
			}
			h, err := New(Options{Devices: house})
			if err != nil {
				t.Fatal(err)
			}
			control, read := h.Tools()[0], h.Tools()[1]
			call(t, control, c.before)
			call(t, read, c.asked)
			house.sent = nil
			said := call(t, control, c.then).Text
			var ids []string
			for _, s := range house.sent {
				id, _, _ := strings.Cut(s, " ")
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("after %s, %s means %q, not %q: %s", c.asked, c.then, got, c.want, said)
			}
		})
	}
}

func TestNameThatSetsAPlayerApartIsItsOwn(t *testing.T) {
	player := func(id, name string) home.Entity {
		return home.Entity{ID: id, Kind: home.MediaPlayer, Name: name, Area: "Wohnzimmer", Can: can(home.Main, home.Volume), State: home.State{home.Main: "playing", home.Volume: 40.0}}
	}
	for said, want := range map[string]string{"fernseher": "m1", "anlage": "m2", "sonos": "m3"} {
		h, err := New(Options{Devices: newHouse(player("m1", "Fernseher"), player("m2", "Anlage"), player("m3", "Sonos"))})
		if err != nil {
			t.Fatal(err)
		}
		found, choice := h.targets(&meaning.Request{Action: "off", Name: said})
		if len(found) != 1 || found[0].ID != want || choice {
			t.Errorf("%s finds %v (one of them: %v)", said, found, choice)
		}
	}
}
