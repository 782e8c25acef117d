package meaning

import (
	"testing"

	"hearthd/tools/home"
)

// What a house has only in one way is meant in that way.
func TestTheOnlyThingThatAnswersIsMeant(t *testing.T) {
	on := map[home.Key]bool{home.Main: true}
	all := []home.Entity{
		{ID: "lantern", Name: "Lantern", Area: "Garden", Kind: home.Light, Can: on},
		{ID: "tv", Name: "Television", Area: "Lounge", Kind: home.MediaPlayer, Can: map[home.Key]bool{home.Main: true, home.Source: true},
			Options: map[home.Key][]string{home.Source: {"BBC One", "Netflix"}}},
		{ID: "wash", Name: "Washing machine power", Area: "Cellar", Kind: home.Sensor, Class: "power",
			State: home.State{home.Main: 420.0}},
	}
	h := (&House{}).Update(all, nil, Situation{})
	asked := &Request{Name: "washing machine", Is: "on"}
	if m := h.Read(asked); len(m.Devices) != 1 || m.Devices[0].ID != "wash" || asked.Is != "" || asked.What != "power" {
		t.Errorf("is the washing machine on: %v, asked of %q", m.Devices, asked.What)
	}
	if found, _ := h.Targets(&Request{Action: "set", Name: "it", Value: "netflix"}); len(found) != 1 || found[0].ID != "tv" {
		t.Errorf("change to Netflix: %v", found)
	}
	if want, why := (&Request{Action: "raise", Name: "lantern"}).Wanted(&all[0], false); why != Fine || want[home.Main] != "on" {
		t.Errorf("turn up the lantern: %v, %v", want, why)
	}
	if _, why := (&Request{Action: "raise", Name: "lantern", Property: "volume"}).Wanted(&all[0], false); why == Fine {
		t.Error("a lantern is louder")
	}
}
