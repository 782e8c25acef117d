package meaning

import (
	"testing"

	"hearthd/tools/home"
)

func FuzzFind(f *testing.F) {
	f.Add("the kitchen lights", "Kitchen", "Ceiling light 2", "node_1")
	f.Add("all", "", "Ünïcode ☃", "a/b")
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
