package meaning

import (
	"math"
	"slices"
	"strings"

	"hearthd/tools/home"
)

// maxRead is how many devices are described when not all were asked for.
const maxRead = 3

// isAsked returns a function that reports which devices a question may mean.
func (a *Request) isAsked(q *query) func(*home.Entity) bool {
	what, named := home.Tokens(a.What), len(q.words) > 0
	return func(e *home.Entity) bool {
		_, answered := home.Answers(e, a.Is)
		general := e.Category != "" || e.Kind == home.BinarySensor && home.IsPower(a.Is)
		switch {
		case !e.IsRead():
			return false
		case a.Is != "":
			return answered && (named || !general)
		}
		// A room is not as warm as its boiler.
		return len(what) == 0 || e.TellsOf(what) && (e.Kind != home.WaterHeater || named)
	}
}

// readIn are the devices that a question means; choice says that the person has to choose.
func (a *Request) readIn(h *House, q *query) (found []home.Entity, choice bool) {
	if a.Is != "" && q.many && len(q.area)+len(q.words) == 0 {
		q.every, q.near = true, nil
	}
	asked := a.isAsked(q)
	found, all := h.find(*q, false, asked)
	if n := len(q.words) - 1; len(found) == 0 && a.What != "" && n > 0 && slices.ContainsFunc(q.words[n], home.IsKind) {
		q.words = q.words[:n] // the battery of the door lock may be called that of the door
		found, all = h.find(*q, false, asked)
	}
	if len(found) == 0 && a.What != "" && q.nothing() { // "what is the temperature": of anything
		q.many, all = true, true
		found, _ = h.find(*q, false, func(e *home.Entity) bool { return e.Category == "" && asked(e) })
	}
	found = a.worthTelling(found)
	return found, len(found) > maxRead && !all && a.Is == ""
}

// worthTelling leaves out players that are silent where another one plays, and settings of what is measured, unless the
// device has nothing else.
func (a *Request) worthTelling(found []home.Entity) []home.Entity {
	switch {
	case a.What == home.Playback:
		return home.Prefer(found, func(e home.Entity) bool { return e.State[home.Main] == "playing" })
	case a.Is == "" && a.What == "":
		return home.Prefer(found, func(e home.Entity) bool {
			return e.Category == "" && e.Kind != home.Number && e.Kind != home.Select
		})
	}
	return found
}

// extreme is the device that shows most, or least, of what is asked: of rooms, where any device is for those.
func (h *House) extreme(found []home.Entity, a *Request) (best []home.Entity) {
	k := home.Current
	if home.Has(home.Tokens(a.What), home.Words("class", "humidity")) {
		k = home.CurrentHumidity
	}
	value := func(e *home.Entity) (v float64, ok bool) {
		if v, ok = e.State[k].(float64); !ok {
			v, ok = e.State[home.Main].(float64)
		}
		return v, ok && !e.Offline
	}
	ofRoom := func(e home.Entity) bool {
		words := home.Singulars(home.Tokens(e.Full()))
		return e.Kind == home.Climate || h.has(func(t *thing) bool {
			other := func(w string) bool { return t.roles[w]&(ofPlace|ofItsKind) == 0 }
			return t.ID == e.ID && !slices.ContainsFunc(words, other)
		})
	}
	most := math.Inf(-1)
	for _, e := range home.Prefer(found, ofRoom) {
		v, ok := value(&e)
		if a.Which == "least" {
			v = -v
		}
		if ok && v > most {
			best, most = []home.Entity{e}, v
		}
	}
	return best
}

// areNear reports whether all are in a room.
func (h *House) areNear(found []home.Entity, room []string) bool {
	return len(room) > 0 && !h.has(func(t *thing) bool { return !t.isNear(room) && home.Contains(found, t.ID) })
}

// Lack says what a call asks for that the house has not: a device, a measure, or one that is able to do it; "which"
// where it asks for nothing, and "place" where it does not say where. instead are devices that there are, and
// there says that they are in the place that was named.
func (h *House) Lack(a *Request) (what string, instead []home.Entity, there bool) {
	kinds, named := a.kinds()
	q, at := h.ask(a.Name, a.Area, ""), home.PlaceOf(a.Area)
	nowhere := home.Clean(a.Area) == "" || at == home.InHouse || at == home.Everywhere
	switch name := home.Clean(a.Name); {
	case at == home.There && h.Place == "":
		return "place", nil, false
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
