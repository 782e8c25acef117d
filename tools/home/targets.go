package home

import (
	"cmp"
	"slices"
	"strings"
)

// see returns the house as it is now.
func (h *Home) see() *house {
	all := h.opt.Devices.Entities()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.house = h.house.update(all, h.opt.Floors)
	return h.house
}

// meaning is the result of looking for the devices of a call.
type meaning struct {
	found   []Entity
	choice  bool        // one of them is meant
	near    []string    // the room whose devices go first
	missing []arguments // parts of the call for which nothing was found
}

// mean finds the devices of a call, in the first place that it may mean: for one name, or for
// several that are named together, each of which a command needs.
func (h *Home) mean(ho *house, a *arguments) (m meaning) {
	areas, room := h.scopes(a, ho)
	for _, area := range areas {
		q := a.asked(ho, area, room)
		m = meaning{near: q.near}
		if m.found, m.choice = h.match(ho, a, &q); len(m.found) > 0 {
			break
		}
		for _, part := range a.several(ho, area) {
			q := part.asked(ho, part.Area, room)
			found, choice := h.match(ho, &part, &q)
			switch {
			case len(found) == 0:
				m.missing = append(m.missing, part)
			case choice && a.Action != "":
				return meaning{found: found, choice: true}
			}
			m.found = union(m.found, found)
		}
		if a.Action != "" && len(m.missing) > 0 {
			m.found = nil
		}
		if len(m.found) > 0 {
			break
		}
	}
	if a.Except != "" && len(m.found) > 0 {
		m.found, m.choice = ho.without(m.found, a), false
	}
	return m
}

// scopes are the places that a call may mean, in the order in which they are tried, and the room
// whose devices go first: a person who names no place means the room of the box first, "here" only
// that, and the whole house where the room has nothing of the kind.
func (h *Home) scopes(a *arguments, ho *house) (areas []string, room string) {
	at, everything := placeOf(a.Area), false
	if q := new(house).ask(a.Name, "", ""); len(q.words) == 0 {
		everything = q.many || a.Which != ""
	}
	switch {
	case at == here && everything: // is never everything anywhere
		return slices.DeleteFunc([]string{h.opt.Area}, func(a string) bool { return a == "" }), ""
	case at == here && h.opt.Area != "":
		return []string{h.opt.Area, ""}, ""
	case at != named && !ho.has(func(t *thing) bool { return strings.EqualFold(t.Area, a.Area) }):
		return []string{""}, ""
	}
	return []string{a.Area}, h.opt.Area
}

// asked makes the query of a call.
func (a *arguments) asked(h *house, area, room string) query {
	name := a.Name
	if area != "" && isPronoun(name) { // "make it brighter in here"
		name = ""
	}
	q := h.ask(name, area, room)
	commands, all := a.Action != "", a.Which == "all"
	if a.Which != "" || commands && placeOf(a.Area) == everywhere { // a question of any of them is of the house
		q.many, q.every = true, q.every || all || !commands || placeOf(a.Area) == everywhere // the heating everywhere
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
func (a *arguments) several(h *house, area string) (parts []arguments) {
	part := func(name, area string) {
		one := *a
		one.Name, one.Area = name, area
		parts = append(parts, one)
	}
	for _, in := range enumerated(area) {
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
			before, words := tokens(names[i-1]), tokens(name)
			if n := len(before) - 1; len(words) == 1 && isNumber(words[0]) && n > 0 && isNumber(before[n]) {
				names[i] = strings.Join(append(before[:n], words[0]), " ")
			}
		}
		if q := h.ask(name, "", ""); i < len(names)-1 && kindWord[singular(kind)] && q.onlyPlace {
			part(name+" "+kind, area)
		} else {
			part(names[i], area)
		}
	}
	return parts
}

// without leaves out what is to stay as it is. If that is not understood, nothing may be switched.
// A group with such a member is replaced by its other members, and a scene with one is left out.
func (h *house) without(targets []Entity, a *arguments) []Entity {
	parts := enumerated(a.Except)
	if parts == nil {
		parts = []string{a.Except}
	}
	for _, part := range parts {
		stay, all := h.find(h.ask(part, "", ""), false, a.mayBe)
		called := func(e Entity) bool { return slices.Equal(tokens(part), tokens(e.Spoken())) }
		if !all && slices.ContainsFunc(stay, called) {
			stay = slices.DeleteFunc(stay, func(e Entity) bool { return !called(e) })
		}
		if len(stay) == 0 {
			return nil
		}
		stays := func(id string) bool { return contains(stay, id) }
		var left []Entity
		for _, e := range targets {
			switch {
			case stays(e.ID):
			case !slices.ContainsFunc(e.Members, stays):
				left = union(left, []Entity{e})
			case e.Kind != Scene:
				for _, t := range h.things {
					if slices.Contains(e.Members, t.ID) && !stays(t.ID) && a.mayBe(t.Entity) {
						left = union(left, []Entity{*t.Entity})
					}
				}
			}
		}
		targets = left
	}
	return targets
}

func contains(all []Entity, id string) bool {
	return slices.ContainsFunc(all, func(e Entity) bool { return e.ID == id })
}

func union(all, more []Entity) []Entity {
	for _, e := range more {
		if !contains(all, e.ID) {
			all = append(all, e)
		}
	}
	return all
}

// targets are the devices that a command means; choice says that it means one of them.
func (h *Home) targets(a *arguments) (targets []Entity, choice bool) {
	ho := h.see()
	if a.Action == undoing {
		targets, choice = h.undone(ho, a)
		if len(targets) > 0 || a.word() == "" {
			return targets, choice && a.Instead == ""
		}
		a.Action, a.Value = a.word(), nil // it is to stay on, and the last orders have not switched it off
	}
	if room := cmp.Or(a.word(), strings.ToLower(a.Area)); a.Action == "start" && room != "" && placeOf(room) <= here {
		cleans := *a // a robot cleans other rooms than its own
		cleans.Area, cleans.Value = "", cmp.Or[any](a.Value, a.Area)
		if placeOf(room) == here && h.opt.Area != "" {
			cleans.Value = h.opt.Area
		}
		m := h.mean(ho, &cleans)
		if len(m.found) > 0 && !slices.ContainsFunc(m.found, func(e Entity) bool { return e.Kind != Vacuum }) {
			*a = cleans
			return m.found, m.choice
		}
	}
	m := h.mean(ho, a)
	return m.found, m.choice
}

// match finds the devices of one name; choice says that it is one of them.
func (h *Home) match(ho *house, a *arguments, q *query) (found []Entity, choice bool) {
	switch {
	case slices.Contains(lexicon["words"]["other"], a.Name):
		return h.others(ho, a)
	case a.Action == "" && isPronoun(a.Name) && len(q.area) == 0: // "is it locked"
		return h.spokenOf(ho, a.isAsked(q)), false
	case a.Action == "":
		return a.readIn(ho, q)
	}
	suits, switches := a.suits(false), a.turns() || a.lights()
	if q.nothing() || isPronoun(a.Name) && len(q.area) == 0 {
		if found, ok := h.unnamed(ho, a, q); ok {
			return found, false
		}
		q.words = [][]string{{"thermostat"}}
	} else {
		suits = a.narrowed(ho, q, switches)
	}
	for _, suits := range []func(*Entity) bool{suits, a.suits(!q.onlyPlace && len(q.words) > 0)} {
		found, all := ho.find(*q, switches, suits)
		if very := slices.DeleteFunc(slices.Clone(found), func(e Entity) bool { return !q.isWhole(&e) }); !all && len(very) == 1 {
			found = very // of two thermostats, the one that is called Thermostat
		}
		if len(found) > 0 {
			return a.awake(found, !all && len(found) > 1)
		}
	}
	if q.onlyPlace {
		return nil, false
	}
	// To say what the matter is with what they named.
	found, _ = ho.find(*q, false, func(e *Entity) bool { return e.Category == "" && e.controllable() })
	return found[:min(len(found), 1)], false
}

// awake leaves of several in a room, of which one is to be off, less or shut, the one that is not yet.
func (a *arguments) awake(found []Entity, one bool) (_ []Entity, choice bool) {
	if one && !scattered(found) && slices.Contains([]string{"off", "lower", "close"}, a.Action) {
		left := slices.DeleteFunc(slices.Clone(found), func(e Entity) bool {
			return slices.ContainsFunc([]string{"off", "closed"}, func(is string) bool {
				yes, ok := answers(&e, is)
				return yes && ok
			})
		})
		if len(left) == 1 {
			found = left
		}
	}
	return found, len(found) > 1 && one
}

// narrowed tells which devices a command may mean in the first place, and makes the query one for many where it is.
func (a *arguments) narrowed(ho *house, q *query, switches bool) (suits func(*Entity) bool) {
	asked := *q
	switch {
	case a.Property == playback || q.onlyPlace && a.Property == "volume":
		q.many = q.many || q.onlyPlace
		return a.sounding(ho, asked)
	case q.onlyPlace && a.isBare():
		if heated, _ := ho.find(asked, false, a.heats); len(heated) > 0 {
			return a.heats // "set the bedroom to 21"
		}
	case q.onlyPlace && switches: // "turn off the bedroom"
		q.many = true
		return a.preferred(ho, asked)
	case q.many && a.Property == "brightness" && a.steps(): // "dim the lights" leaves those off that are
		return a.preferred(ho, asked)
	}
	return a.suits(false)
}

// setsHere reports whether a command that names nothing sets a value, as of this room: "set the brightness to 70 percent".
// More or less than it is, is of what was spoken of last.
func (a *arguments) setsHere() bool { return a.Name == "" && a.sets() && !a.steps() }

// isBare reports whether a command sets a number that has neither a unit nor a property.
func (a *arguments) isBare() bool {
	_, isNumber := a.Value.(float64)
	return isNumber && a.Property == "" && a.Unit == ""
}

// heats reports whether a device takes the number of a command as its temperature.
func (a *arguments) heats(e *Entity) bool { return e.Kind == Climate && a.suits(false)(e) }

// unnamed are the devices of a command that names none; ok is false where it means the thermostat:
// "make it warmer" unless a heating was spoken of, and without any of them "keep it at 21 degrees".
func (h *Home) unnamed(ho *house, a *arguments, q *query) (found []Entity, ok bool) {
	if a.Property == "temperature" {
		suits := a.suits(false)
		heats := func(e *Entity) bool { return e.Kind == Climate && suits(e) }
		if a.setsHere() && ho.has(func(t *thing) bool { return heats(t.Entity) && t.isNear(q.near) }) {
			return nil, false
		}
		found = h.spokenOf(ho, heats)
		return found, len(found) > 0
	}
	found = h.meant(ho, a, q)
	return found, len(found) > 0 || !a.inDegrees()
}

// spokenOf are the devices that were spoken of last, of those that may be meant.
func (h *Home) spokenOf(ho *house, suits func(*Entity) bool) (found []Entity) {
	recent := h.recent.Get()
	for i := range ho.things {
		if e := ho.things[i].Entity; slices.Contains(recent, e.ID) && suits(e) {
			found = append(found, *e)
		}
	}
	return found
}

// others are those of the kind and the room of what was spoken of last, but not these: "the other one".
func (h *Home) others(ho *house, a *arguments) (found []Entity, choice bool) {
	recent := h.spokenOf(ho, (*Entity).isAny)
	for i := range ho.things {
		e := ho.things[i].Entity
		like := func(r Entity) bool { return r.Kind == e.Kind && r.class() == e.class() && r.Area == e.Area }
		if a.mayBe(e) && !contains(recent, e.ID) && slices.ContainsFunc(recent, like) {
			found = append(found, *e)
		}
	}
	return found, len(found) > 1
}

// mayBe reports whether a device may be meant at all.
func (a *arguments) mayBe(e *Entity) bool {
	if a.Action == "" {
		return e.isRead()
	}
	return e.controllable()
}

// suits returns a function that reports which devices are of a kind that the command may mean.
func (a *arguments) suits(loose bool) func(*Entity) bool {
	return func(e *Entity) bool {
		if !e.controllable() || a.of != nil && !slices.Contains(a.of, e.Kind) {
			return false
		}
		_, why := a.wanted(e, loose)
		return why == fine || why == tooUnknown
	}
}

// turns reports whether the command only switches; lights, whether it is about light, however much
// or which.
func (a *arguments) turns() bool { return a.Action == "on" || a.Action == "off" }

func (a *arguments) lights() bool {
	if a.Property == "" {
		_, color := colors[a.word()]
		return color || whites[a.word()] > 0 || a.Unit == "percent"
	}
	return a.Property == "brightness" || a.Property == "color" || a.Property == "color_temperature"
}

// preferred narrows down what a command to a whole room means: its lights if it switches on, and
// what is on if it makes brighter or darker. A command that makes light never means anything else:
// no fan starts because it is dark.
func (a *arguments) preferred(h *house, q query) func(*Entity) bool {
	suits := a.suits(false)
	light := func(e *Entity) bool { return e.Kind == Light && suits(e) }
	if a.Action == "on" && q.saysLabel(h) {
		return suits
	}
	better := func(e *Entity) bool { return light(e) && (!a.steps() || e.State[Main] == "on") }
	if a.Action == "on" || a.lights() {
		if found, _ := h.find(q, false, better); len(found) > 0 {
			return better
		}
	}
	if a.lights() && (len(q.words) == 0 || q.onlyPlace) {
		return light
	}
	return suits
}

// sounding narrows down what a command to players means: those that play, or that were paused where they are to go on,
// or else those that are on.
func (a *arguments) sounding(h *house, q query) func(*Entity) bool {
	now := any("playing")
	if a.word() == "resume" {
		now = "paused"
	}
	found, _ := h.find(q, false, a.suits(false))
	for _, so := range []func(Entity) bool{
		func(e Entity) bool { return e.State[Main] == now },
		func(e Entity) bool { return e.State[Main] != "off" && e.State[Main] != "standby" },
	} {
		if some := slices.DeleteFunc(slices.Clone(found), func(e Entity) bool { return !so(e) }); len(some) > 0 {
			found = some
			break
		}
	}
	return func(e *Entity) bool { return contains(found, e.ID) }
}

// meant are the devices of a command that names none: those of the last command, or the lights that
// are on, or those of the room.
func (h *Home) meant(ho *house, a *arguments, q *query) []Entity {
	recent, suits := h.recent.Get(), a.suits(false)
	here := a.setsHere() && ho.has(func(t *thing) bool { return suits(t.Entity) && t.isNear(q.near) })
	var last, near, lit, litNear []Entity
	for i := range ho.things {
		t := &ho.things[i]
		switch e := t.Entity; {
		case !suits(e), here && !t.isNear(q.near):
		case slices.Contains(recent, e.ID):
			last = append(last, *e)
		case e.Kind == Light && e.State[Main] == "on", a.Property == "volume" && e.State[Main] == "playing" && t.isNear(q.near):
			if lit = append(lit, *e); t.isNear(q.near) {
				litNear = append(litNear, *e)
			}
		case a.sets() && !isPronoun(a.Name) && t.isNear(q.near):
			near = append(near, *e)
		}
	}
	switch {
	case len(last) > 0 || !a.sets(): // "stop it" is nothing that nobody spoke of
		if was := slices.DeleteFunc(slices.Clone(last), func(e Entity) bool { return h.wasOn(&e) == nil }); a.Action == "on" &&
			len(was) > 0 {
			return was // "put them on again"
		}
		return last
	case len(litNear) > 0:
		return litNear
	case len(near) > 0 && !a.steps():
		return near
	}
	return lit
}
