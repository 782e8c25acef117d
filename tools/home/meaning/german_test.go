package meaning

import (
	"slices"
	"testing"

	"hearthd/tools/home"
)

// A house of Germans, and what each name and place of a call means there.
func TestGermanWordsFindDevices(t *testing.T) {
	can := map[home.Key]bool{home.Main: true, home.Brightness: true}
	rolls := map[home.Key]bool{home.Main: true, home.Position: true}
	warms := map[home.Key]bool{home.Main: true, home.Target: true}
	all := []home.Entity{
		{ID: "deckenlampe", Name: "Deckenlampe", Area: "Küche", Kind: home.Light, Can: can},
		{ID: "stehlampe", Name: "Stehlampe", Area: "Wohnzimmer", Kind: home.Light, Can: can},
		{ID: "spots", Name: "Spots", Area: "Wohnzimmer", Kind: home.Light, Can: can},
		{ID: "flurlicht", Name: "Flurlicht", Kind: home.Light, Can: can},
		{ID: "terrasse", Name: "Terrassenlicht", Area: "Garten", Kind: home.Light, Can: can},
		{ID: "bad", Name: "Thermostat", Area: "Badezimmer", Kind: home.Climate, Can: warms},
		{ID: "heizung", Name: "Heizung", Area: "Wohnzimmer", Kind: home.Climate, Can: warms},
		{ID: "rollo1", Name: "Rollladen links", Area: "Schlafzimmer", Kind: home.Cover, Class: "shutter", Can: rolls},
		{ID: "rollo2", Name: "Rollladen rechts", Area: "Schlafzimmer", Kind: home.Cover, Class: "shutter", Can: rolls},
		{ID: "vorhang", Name: "Vorhang", Area: "Wohnzimmer", Kind: home.Cover, Class: "curtain", Can: rolls},
		{ID: "tor", Name: "Garagentor", Kind: home.Cover, Class: "garage", Can: rolls},
		{ID: "haustuer", Name: "Haustür", Area: "Flur", Kind: home.Lock, Can: map[home.Key]bool{home.Main: true}},
		{ID: "steckdose", Name: "Steckdose Fernseher", Area: "Wohnzimmer", Kind: home.Switch, Can: map[home.Key]bool{home.Main: true}},
	}
	h := (&House{}).Update(all, nil, Situation{})
	for _, c := range []struct {
		name, area string
		want       []string
		many       bool
	}{
		{"licht", "küche", []string{"deckenlampe"}, false},
		{"küchenlicht", "", []string{"deckenlampe"}, false},
		{"kuechenlampe", "", []string{"deckenlampe"}, false},
		{"die lichter", "wohnzimmer", []string{"spots", "stehlampe"}, true},
		{"wohnzimmerlampen", "", []string{"spots", "stehlampe"}, true},
		{"licht", "flur", []string{"flurlicht"}, false},
		{"licht", "terrasse", []string{"terrasse"}, false}, // no room is called so
		{"stehlampen", "", []string{"stehlampe"}, false},
		{"heizung", "bad", []string{"bad"}, false},
		{"badheizung", "", []string{"bad"}, false},
		{"rollläden", "schlafzimmer", []string{"rollo1", "rollo2"}, true},
		{"rolladen links", "", []string{"rollo1"}, false},
		{"schlafzimmerrollos", "", []string{"rollo1", "rollo2"}, true},
		{"linken rollladen", "", []string{"rollo1"}, false},
		{"vorhänge", "", []string{"vorhang"}, true},
		{"garagentor", "", []string{"tor"}, false},
		{"haustuer", "", []string{"haustuer"}, false},
		{"fernseher", "", []string{"steckdose"}, false},
	} {
		q := h.ask(c.name, c.area, "")
		found, _ := h.find(q, true, func(*home.Entity) bool { return true })
		var ids []string
		for _, e := range found {
			ids = append(ids, e.ID)
		}
		slices.Sort(ids)
		if !slices.Equal(ids, c.want) || len(ids) > 1 && q.many != c.many {
			t.Errorf("%q in %q: %v, want %v", c.name, c.area, ids, c.want)
		}
	}
}

// A hood is a fan, but nobody calls it so who has another one.
func TestFanIsNotTheHood(t *testing.T) {
	can := map[home.Key]bool{home.Main: true}
	hood := home.Entity{ID: "haube", Name: "Dunstabzugshaube", Area: "Küche", Kind: home.Fan, Can: can}
	fan := home.Entity{ID: "luft", Name: "Ventilator", Area: "Schlafzimmer", Kind: home.Fan, Can: can}
	for _, c := range []struct {
		name string
		all  []home.Entity
		want string
	}{
		{"ventilator", []home.Entity{hood, fan}, "luft"},
		{"lüfter", []home.Entity{hood, fan}, "luft"},
		{"dunstabzugshaube", []home.Entity{hood, fan}, "haube"},
		{"ventilator", []home.Entity{hood}, "haube"},
	} {
		h := (&House{}).Update(c.all, nil, Situation{})
		found, _ := h.find(h.ask(c.name, "", "Küche"), true, func(*home.Entity) bool { return true })
		if len(found) != 1 || found[0].ID != c.want {
			t.Errorf("%q: %v, want %s", c.name, found, c.want)
		}
	}
}

// Nobody counts Licht: without a place it is all of the room where it was said, but a Lampe is one of them.
func TestLightWithoutAPlaceIsThatOfTheRoom(t *testing.T) {
	can := map[home.Key]bool{home.Main: true}
	h := (&House{}).Update([]home.Entity{
		{ID: "decke", Name: "Deckenlampe", Area: "Küche", Kind: home.Light, Can: can},
		{ID: "tisch", Name: "Esstischlampe", Area: "Küche", Kind: home.Light, Can: can},
		{ID: "steh", Name: "Stehlampe", Area: "Wohnzimmer", Kind: home.Light, Can: can},
	}, nil, Situation{})
	for _, c := range []struct {
		name, room string
		found      int
		all        bool
	}{
		{"licht", "Küche", 2, true},
		{"das licht", "Küche", 2, true},
		{"lampe", "Küche", 2, false},
		{"licht", "", 3, false},
		{"licht", "Keller", 3, false},
	} {
		found, all := h.find(h.ask(c.name, "", c.room), true, func(*home.Entity) bool { return true })
		if len(found) != c.found || all != c.all {
			t.Errorf("%q in %q: %d, all %v, want %d, %v", c.name, c.room, len(found), all, c.found, c.all)
		}
	}
}
