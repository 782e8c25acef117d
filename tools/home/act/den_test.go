package act

import (
	"testing"

	"hearthd/tools/home/meaning"
)

func TestRoomThatIsCalledLikeAFillerIsARoom(t *testing.T) {
	for _, a := range []meaning.Request{
		{Action: "off", Name: "lights", Area: "den"}, {Action: "off", Name: "lights", Area: "the Den"},
		{Action: "off", Name: "den lights"}, {Action: "off", Name: "den lamp"},
	} {
		house := newHouse(light("light.den", "Lamp", "Den"), light("light.hall", "Lamp", "Hall"), light("light.attic", "Lamp", "Attic"))
		h, err := New(Options{Devices: house, Area: "Hall"})
		if err != nil {
			t.Fatal(err)
		}
		found, _ := h.targets(&a)
		if len(found) != 1 || found[0].ID != "light.den" {
			t.Errorf("%+v finds %v", a, found)
		}
	}
	house := newHouse(light("light.stube", "Lampe", "Stube"), light("light.flur", "Lampe", "Flur"))
	h, err := New(Options{Devices: house, Area: "Flur"})
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := h.targets(&meaning.Request{Action: "off", Name: "den lampen", Area: "der Stube"}); len(found) != 1 || found[0].ID != "light.stube" {
		t.Errorf("without such a room it is a filler: %v", found)
	}
}
