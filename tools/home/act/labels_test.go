package act

import (
	"slices"
	"strings"
	"testing"

	"hearthd/tools/home"
)

// A label of the household is a word for all that has it, wherever it stands.
func TestALabelIsFound(t *testing.T) {
	labelled := func(e home.Entity, labels ...string) home.Entity {
		e.Labels, e.State = labels, home.State{home.Main: "off"}
		return e
	}
	plug := func(id, name string) home.Entity {
		return home.Entity{ID: id, Kind: home.Switch, Name: name, Can: can(home.Main)}
	}
	house := []home.Entity{
		labelled(light("l1", "Star", "Hall"), "Christmas"), labelled(light("l2", "Tree", "Parlour"), "Christmas", "Lights"),
		labelled(light("l3", "Ceiling", "Parlour"), "Lights"), labelled(plug("s1", "Porch plug"), "Easter", "Reindeer lights"),
		labelled(plug("s2", "Hedge plug"), "Easter", "Reindeer lights"), labelled(plug("s3", "Heater"), "Parlour"),
		labelled(plug("s4", "Hidden knob"), "Garage door"),
	}
	for _, c := range []struct{ args, sent string }{
		{`{"action":"on","name":"christmas lights"}`, "l1 l2"},
		{`{"action":"on","name":"christmas"}`, "l1 l2"},
		{`{"action":"on","name":"lights","area":"christmas"}`, "l1 l2"},
		{`{"action":"on","name":"christmas lights","area":"hall"}`, "l1"},
		{`{"action":"on","name":"easter"}`, "s1 s2"},
		{`{"action":"on","name":"easter lights"}`, "s1 s2"},
		{`{"action":"on","name":"reindeer lights"}`, "s1 s2"},
		{`{"action":"on","name":"lights"}`, "l1 l2 l3"},
		{`{"action":"on","name":"parlour"}`, "l2 l3"},
		{`{"action":"on","name":"parlour lights"}`, "l2 l3"},
		{`{"action":"on","name":"halloween lights"}`, ""},
	} {
		devices := newHouse(house...)
		byName, h := newTools(t, devices)
		call(t, byName["home_control"], c.args)
		for i := range devices.sent {
			devices.sent[i], _, _ = strings.Cut(devices.sent[i], " ")
		}
		slices.Sort(devices.sent)
		if got := strings.Join(devices.sent, " "); got != c.sent {
			t.Errorf("%s: sent to %q, want %q", c.args, got, c.sent)
		}
		knob, _ := devices.Entity("s4")
		if _, ok := h.WayIn(&knob); !ok {
			t.Error("what is labelled as a door is no way in")
		}
	}
	byName, _ := newTools(t, newHouse(house...))
	if got := call(t, byName["home_read"], `{"name":"christmas lights","is":"on"}`).Text; !strings.HasPrefix(got, "No, none") {
		t.Errorf("whether they are on: %q", got)
	}
}
