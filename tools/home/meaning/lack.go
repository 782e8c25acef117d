package meaning

import (
	"slices"
	"strings"

	"hearthd/tools/home"
)

// Lack says what a call asks for that the house has not: a device, a measure, or one that is able to do it; "which"
// where it asks for nothing. instead are devices that there are, and there says that they are in the place that was
// named.
func (h *House) Lack(a *Request) (what string, instead []home.Entity, there bool) {
	kinds, named := a.kinds()
	q, at := h.ask(a.Name, a.Area, ""), home.PlaceOf(a.Area)
	nowhere := home.Clean(a.Area) == "" || at == home.InHouse || at == home.Everywhere
	switch name := home.Clean(a.Name); {
	case name == "" && nowhere && len(kinds) == 0, home.IsPronoun(a.Name):
		return "which", nil, false
	case name != "" && (!q.onlyPlace || named) && (!q.many || len(q.words) > 0):
		what = "device"
	case a.What != "" && a.What != home.Playback:
		what = "measure"
	default:
		what = "able"
	}
	instead, there = h.instead(h.ask("", a.Area, ""), kinds, home.Tokens(a.What))
	return what, instead, there
}

// instead are devices of the kinds in the area, or otherwise anything in the area, or otherwise of the kinds; and for a
// question only devices that report what is asked.
func (h *House) instead(q query, kinds []home.Kind, what []string) (list []home.Entity, there bool) {
	var lists [3][]home.Entity
	for i := range h.things {
		d := &h.things[i]
		of := slices.Contains(kinds, d.Kind)
		_, in := q.fit(d)
		in = in && len(q.area) > 0
		tells := len(what) == 0 && d.Controllable() || of && (len(what) == 0 || d.TellsOf(what))
		for list, fits := range []bool{of && in, in, of} {
			if fits && tells && d.Category == "" && d.Kind != home.BinarySensor {
				lists[list] = append(lists[list], *d.Entity)
			}
		}
	}
	for i, list := range lists {
		if len(list) > 0 {
			return list, i < 2
		}
	}
	return nil, false
}

// Area is a room or floor as the devices name it.
func (h *House) Area(said string) string {
	for _, t := range h.things {
		if strings.EqualFold(t.Area, said) {
			return t.Area
		}
	}
	return said
}
