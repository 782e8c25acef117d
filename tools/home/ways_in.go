package home

import (
	"slices"
	"strings"

	"hearthd/tools/home/entrance"
)

// WayIn says why a device is taken for a way into the house, so that a person is asked before it
// opens. The zero value is none.
type WayIn struct {
	Why    string // to be read by the owner
	Marked bool   // the owner said so
	// opener says that switching it on opens something, and switching it off does not.
	opener bool
}

// never is for kinds and classes that open no door, whatever they are called.
func (e *Entity) neverOpens() bool {
	switch e.Kind {
	case Switch, Button, Scene, Script, Select, Number, Text, Valve:
	case Cover:
		return slices.Contains([]string{"blind", "curtain", "shade", "awning", "window"}, e.Class)
	default:
		return true
	}
	return e.Kind == Button && slices.Contains([]string{"identify", "restart", "update"}, e.Class)
}

// wayIn judges a device by itself.
func (e *Entity) wayIn(m *Marks) (WayIn, bool) {
	is, marked := m.ByHand[e.ID]
	switch {
	case marked:
		return WayIn{Why: "you said so", Marked: true}, is
	case e.named(m.Is):
		return WayIn{Why: "tools.home.entrances names it", Marked: true}, true
	case e.named(m.Not):
		return WayIn{Why: "tools.home.no_entrances names it", Marked: true}, false
	case e.Kind == Lock:
		return WayIn{Why: "it is a lock"}, true
	case e.Kind == Alarm:
		return WayIn{Why: "it is an alarm system"}, true
	case e.Kind == Cover && slices.Contains([]string{"garage", "garage_door", "gate", "door"}, e.Class):
		return WayIn{Why: "its device class is " + e.Class}, true
	}
	return e.spelt()
}

// named reports whether one of the entries of a list means the device: its ID, its name,
// an alias, or the name of the whole device.
func (e *Entity) named(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		called := func(name string) bool { return strings.EqualFold(s, name) }
		names := append([]string{e.Spoken(), e.Name, e.Device}, e.Aliases...)
		return s != "" && (s == e.ID || slices.ContainsFunc(names, called))
	})
}

// spelt looks for a word for a way in. A name that says that it is a lamp is believed, unless an
// identifier has a word that means opening and nothing else.
func (e *Entity) spelt() (WayIn, bool) {
	if e.neverOpens() {
		return WayIn{}, false
	}
	lamp := entrance.Thing(e.Full())
	for _, in := range []struct {
		where     string
		texts     []string
		name, fed bool // a name of the device itself; a name of the place where it stands, for which off opens nothing
	}{
		{where: "its name", texts: []string{e.Full()}, name: true}, {where: "its alias", texts: e.Aliases, name: true},
		{where: "its identifier", texts: []string{e.ID, e.Object}},
		{where: "its label", texts: e.Labels},
		{where: "the name of its area", texts: append([]string{e.Area}, e.AreaAliases...), fed: true},
	} {
		for _, text := range in.texts {
			hit, ok := entrance.In(text)
			if !ok || lamp && !hit.Opens && !in.name {
				continue
			}
			why := "the word “" + hit.Word + "” (" + hit.Language + ") is in " + in.where
			return WayIn{Why: why, opener: hit.Opens || in.fed}, true
		}
	}
	return WayIn{}, false
}

// shuts reports whether the name speaks of closing, and no alias of an open way in does not.
func (e *Entity) shuts() bool {
	return entrance.Shuts(e.Full()) && !slices.ContainsFunc(e.Aliases, func(alias string) bool {
		_, in := entrance.In(alias)
		return in && !entrance.Shuts(alias)
	})
}

// Opens reports whether want may let somebody in. Anything that is not known to be harmless may:
// nobody knows which way a switch, a button or a scene goes.
func (w WayIn) Opens(e *Entity, want State) bool {
	main, _ := want[Main].(string)
	switch e.Kind {
	case Lock:
		return main != "locked"
	case Cover, Valve:
		p, moves := want[Position].(float64)
		t, tilts := want[Tilt].(float64)
		return main != "closed" && main != "stopped" && (main != "" || moves && p > 0 || tilts && t > 0)
	case Alarm:
		return !strings.HasPrefix(main, "arm")
	case Switch:
		return main != "on" && !w.opener || main == "on" && !e.shuts()
	case Button, Scene, Script:
		return !e.shuts()
	case Select:
		return !entrance.Shuts(main)
	}
	return true
}

// Marks are what the owner said of ways into the house. They override everything that is guessed,
// and ByHand the lists.
type Marks struct {
	ByHand map[string]bool // by ID: whether it is one
	Is     []string        // names or IDs
	Not    []string
}

// WayIn says whether a device is taken for a way into the house, and why.
func (m *Marks) WayIn(devices Devices, e *Entity) (WayIn, bool) {
	if !e.Controllable() {
		return WayIn{}, false
	}
	if w, ok := e.wayIn(m); ok || w.Marked {
		return w, ok
	}
	for member := range Inside(devices, e) {
		if _, ok := member.wayIn(m); ok {
			return WayIn{Why: member.Spoken() + " is in it"}, true
		}
	}
	return WayIn{}, false
}
