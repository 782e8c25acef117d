package meaning

import (
	"strings"
	"testing"

	"hearthd/tools/home"
)

func FuzzFind(f *testing.F) {
	f.Add("the kitchen lights", "Kitchen", "Ceiling light 2", "node_1")
	f.Add("all", "", "Ünïcode ☃", "a/b")
	f.Add("lamp", "", strings.Repeat("a", 59)+" b", "")
	f.Fuzz(func(t *testing.T, said, area, name, device string) {
		e := home.Entity{ID: "x", Kind: home.Light, Name: home.Clean(name), Device: home.Clean(device), Area: home.Clean(area), Can: map[home.Key]bool{home.Main: true}}
		if len([]rune(e.Name)) > 60 {
			t.Errorf("%d characters", len(e.Name))
		}
		h := new(House).Update([]home.Entity{e}, nil, Situation{})
		h.find(h.ask(said, area, ""), true, func(*home.Entity) bool { return true })
		e.Names("en")
	})
}

func TestSeveralWordsAreNotAllMisheard(t *testing.T) {
	e := home.Entity{ID: "t", Kind: home.Climate, Name: "Thermostat", Can: map[home.Key]bool{home.Mode: true}}
	h := new(House).Update([]home.Entity{e}, nil, Situation{})
	for name, want := range map[string]int{"heated seats": 0, "thermostad": 1, "living room thermostat": 0, "the thermostat": 1} {
		if found, _ := h.Pick(name, ""); len(found) != want {
			t.Errorf("%q: %v, want %d", name, found, want)
		}
	}
}
