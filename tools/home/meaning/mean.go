package meaning

import (
	"cmp"
	"slices"
	"strings"

	"hearthd/tools/home"
)

// Found is the result of looking for the devices of a call.
type Found struct {
	Devices []home.Entity
	Choice  bool      // one of them is meant
	near    []string  // the room whose devices go first
	Here    bool      // a question is about that room, and all of them are there
	Missing []Request // parts of the call for which nothing was found
}

// Targets are the devices that a command means; choice says that it means one of them.
func (h *House) Targets(a *Request) (targets []home.Entity, choice bool) {
	room := cmp.Or(a.Word(), strings.ToLower(a.Area))
	if a.Action == "start" && room != "" && home.PlaceOf(room) <= home.Here {
		cleans := *a // a robot cleans other rooms than its own
		cleans.Area, cleans.Value = "", cmp.Or[any](a.Value, a.Area)
		if home.PlaceOf(room) == home.Here && h.Room != "" {
			cleans.Value = h.Room
		}
		m := h.Mean(&cleans)
		if len(m.Devices) > 0 && !slices.ContainsFunc(m.Devices, func(e home.Entity) bool { return e.Kind != home.Vacuum }) {
			*a = cleans
			return m.Devices, m.Choice
		}
	}
	m := h.Mean(a)
	if a.Action == "close" && !m.Choice { // "shut all the doors" turns no key where a door can be moved
		m.Devices = home.Prefer(m.Devices, func(e home.Entity) bool { return e.Kind != home.Lock })
	}
	return m.Devices, m.Choice
}

// Read finds the devices of a question, which may have to be asked in another way.
func (h *House) Read(a *Request) Found {
	if a.Which == "" {
		a.Which = home.Quantity(a.Name)
	}
	m := h.Mean(a)
	other := map[string]string{"open": "unlocked", "closed": "locked", "locked": "closed", "unlocked": "open"}
	if locked := other[a.Is]; len(m.Devices) == 0 && locked != "" {
		b := *a // a lock that is open is not locked, and a garage that is locked is closed
		b.Is = locked
		if l := h.Mean(&b); len(l.Devices) > 0 {
			*a, m = b, l
		}
	}
	if len(m.Devices) == 0 && a.Name != "" && home.IsPower(a.Is) {
		b := *a // of a washing machine that is only measured, what it draws tells whether it runs
		b.Is, b.What = "", "power"
		if p := h.Mean(&b); len(p.Devices) > 0 {
			*a, m = b, p
		}
	}
	if a.Which == "most" || a.Which == "least" {
		m.Devices, m.Choice = h.extreme(m.Devices, a), false
	}
	m.Here = h.areNear(m.Devices, m.near)
	return m
}

// Mean finds the devices of a call, in the first place that it may mean: for one name, or for
// several that are named together, each of which a command needs.
func (h *House) Mean(a *Request) (m Found) {
	if m = h.onThere(a); len(m.Devices) > 0 {
		return m
	}
	areas, room := h.scopes(a)
	for _, area := range areas {
		q := a.asked(h, area, room)
		m = Found{near: q.near}
		m.Devices, m.Choice = h.match(a, &q)
		if a.Which == "both" && len(m.Devices) == 1 { // the other one is in another room
			far := a.asked(h, area, "")
			if both, _ := h.match(a, &far); len(both) == 2 {
				m.Devices = both
			}
		}
		if len(m.Devices) > 0 {
			break
		}
		for _, part := range a.several(h, area) {
			q := part.asked(h, part.Area, room)
			found, choice := h.match(&part, &q)
			switch {
			case len(found) == 0:
				m.Missing = append(m.Missing, part)
			case choice && a.Action != "":
				return Found{Devices: found, Choice: true}
			}
			m.Devices = home.Union(m.Devices, found)
		}
		if a.Action != "" && len(m.Missing) > 0 {
			m.Devices = nil
		}
		if len(m.Devices) > 0 {
			break
		}
	}
	if area := h.Place; m.Choice && area != "" {
		there := home.Prefer(slices.Clone(m.Devices), func(e home.Entity) bool { return e.Area == area })
		if len(there) == 1 { // of two fans the one in the room that was spoken of
			m.Devices, m.Choice = there, false
		}
	}
	if a.Except != "" && len(m.Devices) > 0 {
		m.Devices, m.Choice = h.without(m.Devices, a), false
	}
	return m
}

// onThere finds the devices of a call that goes on from the last one in the room that was spoken of, as if the
// box stood there: "and the blind down". Where they are elsewhere nothing is found.
func (h *House) onThere(a *Request) (m Found) {
	area := h.Place
	if !a.And || a.Area != "" || area == "" || home.IsPronoun(a.Name) {
		return Found{}
	}
	there, b := *h, *a
	there.Room, b.And = area, false
	if m = there.Mean(&b); !h.areNear(m.Devices, home.Singulars(h.tokens(area))) {
		return Found{}
	}
	return m
}

// scopes are the places that a call may mean, in the order in which they are tried, and the room
// whose devices go first: a person who names no place means the room of the box first, "here" only
// that, and the whole house where the room has nothing of the kind.
func (h *House) scopes(a *Request) (areas []string, room string) {
	at, everything := home.PlaceOf(a.Area), false
	if q := new(House).ask(a.Name, "", ""); len(q.words) == 0 {
		everything = q.many || a.Which != ""
	}
	switch {
	case at == home.There:
		return slices.DeleteFunc([]string{h.Place}, func(a string) bool { return a == "" }), ""
	case at == home.Here && everything: // is never everything anywhere
		return slices.DeleteFunc([]string{h.Room}, func(a string) bool { return a == "" }), ""
	case at == home.Here && h.Room != "":
		return []string{h.Room, ""}, ""
	case at != home.Named && !h.has(func(t *thing) bool { return strings.EqualFold(t.Area, a.Area) }):
		return []string{""}, ""
	}
	return []string{a.Area}, h.Room
}

// asked makes the query of a call.
func (a *Request) asked(h *House, area, room string) query {
	name := a.Name
	if area != "" && home.IsPronoun(name) { // "make it brighter in here"
		name = ""
	}
	q := h.ask(name, area, room)
	commands, all, everywhere := a.Action != "", a.Which == "all", home.PlaceOf(a.Area) == home.Everywhere
	if a.Which != "" || commands && everywhere { // a question of any of them is of the house
		q.many, q.every = true, q.every || all || !commands || everywhere // the heating everywhere
	}
	q.some = q.some || commands && a.Which != "" && a.Which != "both" && !all
	if q.every || len(q.area) > 0 {
		q.near = nil
	}
	return q
}

// several are the calls that one call with several names stands for: "the kitchen and living room
// lights" are the lights of both, "lights in the kitchen and the hall" too, and "the lamp and the
// fan" are two devices. It is nil when the call names only one.
func (a *Request) several(h *House, area string) (parts []Request) {
	part := func(name, area string) {
		one := *a
		one.Name, one.Area = name, area
		parts = append(parts, one)
	}
	for _, in := range enumerated(area) {
		if home.PlaceOf(in) == home.Here && h.Room != "" {
			in = h.Room
		}
		part(a.Name, in)
	}
	names := enumerated(a.Name)
	if parts != nil || names == nil {
		return parts
	}
	last := strings.Fields(names[len(names)-1])
	kind := last[len(last)-1]
	for i, name := range names {
		if i > 0 { // spots 1, 2 and 3
			before, words := home.Tokens(names[i-1]), home.Tokens(name)
			if n := len(before) - 1; len(words) == 1 && home.IsNumber(words[0]) && n > 0 && home.IsNumber(before[n]) {
				names[i] = strings.Join(append(before[:n], words[0]), " ")
			}
		}
		if q := h.ask(name, "", ""); i < len(names)-1 && home.IsKindWord(home.Singular(kind)) && q.onlyPlace {
			part(name+" "+kind, area)
		} else {
			part(names[i], area)
		}
	}
	return parts
}

// without leaves out what is to stay as it is. If that is not understood, nothing may be switched.
// A group with such a member is replaced by its other members, and a scene with one is left out.
func (h *House) without(targets []home.Entity, a *Request) []home.Entity {
	parts := enumerated(a.Except)
	if parts == nil {
		parts = []string{a.Except}
	}
	for _, part := range parts {
		stay, all := h.find(h.ask(part, "", ""), false, a.mayBe)
		called := func(e home.Entity) bool { return slices.Equal(home.Tokens(part), home.Tokens(e.Spoken())) }
		if !all {
			stay = home.Prefer(stay, called)
		}
		if len(stay) == 0 {
			return nil
		}
		stays := func(id string) bool { return home.Contains(stay, id) }
		var left []home.Entity
		for _, e := range targets {
			switch {
			case stays(e.ID):
			case !slices.ContainsFunc(e.Members, stays):
				left = home.Union(left, []home.Entity{e})
			case e.Kind != home.Scene:
				left = home.Union(left, h.those(func(t *thing) bool {
					return slices.Contains(e.Members, t.ID) && !stays(t.ID) && a.mayBe(t.Entity)
				}))
			}
		}
		targets = left
	}
	return targets
}
