package meaning

import (
	"slices"

	"hearthd/tools/home"
)

// match finds the devices of one name; choice says that it is one of them.
func (h *House) match(a *Request, q *query) (found []home.Entity, choice bool) {
	switch {
	case slices.Contains(home.Words("words", "other"), a.Name):
		return h.others(a)
	case a.Action != "":
		return h.commanded(a, q)
	case q.isPronoun(a): // "is it locked"
		return h.spokenOf(a.isAsked(q)), false
	}
	return a.readIn(h, q)
}

// isPronoun reports whether nothing is named but "it".
func (q *query) isPronoun(a *Request) bool { return home.IsPronoun(a.Name) && len(q.area) == 0 }

// isUncounted reports whether one word is meant that nobody counts: German "Licht".
func (q *query) isUncounted() bool {
	return len(q.words) == 1 && home.Has(home.Words("words", "uncounted"), q.head())
}

// isLight reports whether "the light" is meant, however many lamps make it: those that are on.
func (q *query) isLight() bool {
	return !q.many && !q.plural && len(q.words) == 1 && home.Has(home.Words("words", "mass"), q.head()) &&
		!home.Has(home.Words("words", "uncounted"), q.head()) // German "Licht" is all of it
}

// isOfAll reports whether a command of what is uncounted is of all in the place that is named, and in the house
// whatever it is.
func (a *Request) isOfAll(q *query) bool {
	return home.PlaceOf(a.Area) == home.InHouse || len(q.area) > 0 && (a.Action == "off" || a.lights() && a.Steps())
}

// commanded finds the devices of a command.
func (h *House) commanded(a *Request, q *query) (found []home.Entity, choice bool) {
	suits, switches := a.suits(false), a.turns() || a.lights()
	if q.isUncounted() && a.isOfAll(q) {
		q.many, q.every = true, true // "Licht aus im Bad" is of all that shines there, not only of the Badlicht
	}
	if q.nothing() || q.isPronoun(a) {
		if found, ok := h.unnamed(a, q); ok {
			return found, false
		}
		q.words = [][]string{{"thermostat"}}
	} else {
		suits = a.narrowed(h, q, switches)
	}
	if q.onlyPlace && a.isBare() && h.warm(a) && !h.finds(q, a.heats) {
		return nil, false // 18 is no brightness in a room without a heating
	}
	if found, all := h.inTalk(q, switches, suits); len(found) > 0 {
		return a.awake(found, !all && len(found) > 1)
	}
	for _, suits := range []func(*home.Entity) bool{suits, a.suits(!q.onlyPlace && len(q.words) > 0)} {
		found, all := h.find(*q, switches, suits)
		if !all {
			found = q.itself(found)
		}
		if len(found) > 0 {
			return a.awake(found, !all && len(found) > 1)
		}
	}
	if q.onlyPlace {
		return nil, false
	}
	return h.unable(a, q), false
}

// unable finds, where nothing that was named can do what is wanted, one of it: to say what the matter is.
func (h *House) unable(a *Request, q *query) []home.Entity {
	found, _ := h.find(*q, false, func(e *home.Entity) bool { return e.Category == "" && e.Controllable() })
	unknown := func(w string) bool { return !h.words[w] } // a washer is no water leak
	if len(found) == 0 && !slices.ContainsFunc(home.Singulars(h.tokens(a.Name)), unknown) {
		found, _ = h.find(*q, false, func(e *home.Entity) bool { return e.Category == "" && e.IsRead() })
	}
	return found[:min(len(found), 1)]
}

// inTalk finds what is meant of what was spoken of last, or in its room: "put the fan back on".
func (h *House) inTalk(q *query, switches bool, suits func(*home.Entity) bool) (found []home.Entity, all bool) {
	whole := func(t *thing) bool { return q.isWhole(t.Entity) && suits(t.Entity) }
	if len(q.words) != 1 || len(q.area) > 0 || q.plural || q.many || q.onlyPlace || h.has(whole) {
		return nil, false
	}
	found, all = h.find(*q, switches, func(e *home.Entity) bool { return slices.Contains(h.Spoken, e.ID) && suits(e) })
	if len(found) > 0 {
		return found, all
	}
	found, all = h.find(*q, switches, func(e *home.Entity) bool { return h.goesOnIn(e.Area, q) && suits(e) })
	if !all && len(found) > 1 {
		return nil, false // the room decides only where it has one
	}
	return found, all
}

// goesOnIn reports whether talk of a room goes on, where nothing near is called as was said: after
// "how damp is it in the bathroom" the fan is the one there, and not the hood.
func (h *House) goesOnIn(area string, q *query) bool {
	return h.Place != "" && area == h.Place && !h.has(func(t *thing) bool {
		return t.isNear(q.near) && t.is(q.head())&ofName != 0
	})
}

// itself leaves of several the one that is called only that: of two thermostats, the one that is called Thermostat.
func (q *query) itself(found []home.Entity) []home.Entity {
	if one := slices.DeleteFunc(slices.Clone(found), func(e home.Entity) bool { return !q.isWhole(&e) }); len(one) == 1 {
		return one
	}
	return found
}

// finds reports whether a query finds any device that suits.
func (h *House) finds(q *query, suits func(*home.Entity) bool) bool {
	found, _ := h.find(*q, false, suits)
	return len(found) > 0
}

// awake leaves of several in a room, of which one is to be off, less or shut, the one that is not yet.
func (a *Request) awake(found []home.Entity, one bool) (_ []home.Entity, choice bool) {
	if one && !home.Scattered(found) && slices.Contains([]string{"off", "lower", "close"}, a.Action) {
		left := slices.DeleteFunc(slices.Clone(found), func(e home.Entity) bool {
			return slices.ContainsFunc([]string{"off", "closed"}, func(is string) bool {
				yes, ok := home.Answers(&e, is)
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
func (a *Request) narrowed(h *House, q *query, switches bool) (suits func(*home.Entity) bool) {
	asked := *q
	switch {
	case a.Property == home.Playback || q.onlyPlace && a.Property == "volume":
		q.many = q.many || q.onlyPlace
		return a.sounding(h, asked)
	case q.onlyPlace && (a.isBare() || a.Property == "temperature"):
		if h.finds(&asked, a.heats) {
			q.many = true
			return a.heats // "set the bedroom to 21"
		}
	case q.onlyPlace && switches: // "turn off the bedroom"
		q.many = true
		return a.preferred(h, asked)
	case len(q.words) == 0 && q.many:
		return a.everywhere()
	case (q.many || q.isUncounted()) && a.dims(q) || q.isLight() && !a.turns():
		return a.preferred(h, asked) // "dim the lights" and "make the light blue" leave those off that are
	}
	return a.suits(false)
}

// everywhere tells which devices a command may mean that names nothing but a place with all in it.
func (a *Request) everywhere() func(*home.Entity) bool {
	if a.Property == "temperature" || a.inDegrees() {
		return a.heats // "chill the house" is not of its hot water
	}
	suits := a.suits(false)
	return func(e *home.Entity) bool { // "turn everything off" is neither the water main nor a robot
		return !slices.Contains([]home.Kind{home.Valve, home.Vacuum, home.LawnMower}, e.Kind) && suits(e)
	}
}

// dims reports whether a command makes light brighter or darker: "lower the lights" is of no blind.
func (a *Request) dims(q *query) bool {
	lower := a.Property == "" && a.Action == "lower" && home.Has(home.Words("words", "mass"), q.head())
	return a.Steps() && (a.Property == "brightness" || lower)
}

// setsHere reports whether a command that names nothing sets a value, as of this room: "set the brightness to 70
// percent". More or less than it is, is of what was spoken of last.
func (a *Request) setsHere() bool { return a.Name == "" && a.Sets() && !a.Steps() }

// isBare reports whether a command sets a number that has neither a unit nor a property.
func (a *Request) isBare() bool {
	_, isNumber := a.Value.(float64)
	return isNumber && a.Property == "" && a.Unit == ""
}

// heats reports whether a device takes the number of a command as its temperature.
func (a *Request) heats(e *home.Entity) bool { return e.Kind == home.Climate && a.suits(false)(e) }

// warm reports whether the number of a command may be a temperature of the house.
func (h *House) warm(a *Request) bool {
	f, _ := a.Value.(float64)
	return h.has(func(t *thing) bool { return t.Kind == home.Climate && f >= t.Min && f <= t.Max })
}

// unnamed are the devices of a command that names none; ok is false where it means the thermostat:
// "make it warmer" unless a heating was spoken of, and without any of them "keep it at 21 degrees".
func (h *House) unnamed(a *Request, q *query) (found []home.Entity, ok bool) {
	if a.Property == "temperature" {
		if a.setsHere() && h.has(func(t *thing) bool { return a.heats(t.Entity) && t.isNear(q.near) }) {
			return nil, false
		}
		found = h.spokenOf(a.heats)
		return found, len(found) > 0
	}
	found = h.meant(a, q)
	return found, len(found) > 0 || !a.inDegrees()
}

// spokenOf are the devices that were spoken of last, of those that may be meant.
func (h *House) spokenOf(suits func(*home.Entity) bool) []home.Entity {
	return h.lately(func(t *thing) bool { return suits(t.Entity) })
}

// lately are the devices that were spoken of last of those that are able to be meant: after the garage door and
// then the lamp, "close it again" is of the door.
func (h *House) lately(able func(*thing) bool) (found []home.Entity) {
	for _, ids := range [][]string{h.Spoken, h.Before} {
		if found = h.those(func(t *thing) bool { return slices.Contains(ids, t.ID) && able(t) }); len(found) > 0 {
			break
		}
	}
	return found
}

// others are those of the kind of what was spoken of last, but not these: "the other one". Those of the same room go
// first.
func (h *House) others(a *Request) (found []home.Entity, choice bool) {
	recent := h.spokenOf(isAny)
	found = h.those(func(t *thing) bool {
		return a.mayBe(t.Entity) && !home.Contains(recent, t.ID) && slices.ContainsFunc(recent, func(r home.Entity) bool {
			return r.Kind == t.Kind && r.SaidClass() == t.SaidClass()
		})
	})
	found = home.Prefer(found, func(e home.Entity) bool {
		return slices.ContainsFunc(recent, func(r home.Entity) bool { return r.Area == e.Area })
	})
	return found, len(found) > 1 && a.Name != "others"
}

// mayBe reports whether a device may be meant at all.
func (a *Request) mayBe(e *home.Entity) bool {
	if a.Action == "" {
		return e.IsRead()
	}
	return e.Controllable()
}

// suits returns a function that reports which devices are of a kind that the command may mean.
func (a *Request) suits(loose bool) func(*home.Entity) bool {
	return func(e *home.Entity) bool {
		if !e.Controllable() || a.Of != nil && !slices.Contains(a.Of, e.Kind) {
			return false
		}
		_, why := a.Wanted(e, loose)
		return why == Fine || why == tooUnknown
	}
}

// turns reports whether the command only switches; lights, whether it is about light, however much
// or which.
func (a *Request) turns() bool { return a.Action == "on" || a.Action == "off" }

func (a *Request) lights() bool {
	if a.Property == "" {
		_, _, color := home.ReadColor(a.Word())
		return color || a.Unit == "percent" || a.isBare() && home.Mentions(home.Tokens(a.Name), home.Light.Words())
	}
	return a.Property == "brightness" || a.Property == "color" || a.Property == "color_temperature"
}

// preferred narrows down what a command to a whole room means: its lights if it switches on, and
// what is on if it makes brighter or darker. A command that makes light never means anything else:
// no fan starts because it is dark.
func (a *Request) preferred(h *House, q query) func(*home.Entity) bool {
	suits := a.suits(false)
	light := func(e *home.Entity) bool { return e.Kind == home.Light && suits(e) }
	if a.Action == "on" && q.saysLabel(h) {
		return suits
	}
	lit := a.Steps() || q.isLight() && !a.turns()
	better := func(e *home.Entity) bool { return light(e) && (!lit || e.State[home.Main] == "on") }
	if a.Action == "on" || a.lights() || lit {
		if h.finds(&q, better) {
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
func (a *Request) sounding(h *House, q query) func(*home.Entity) bool {
	now := any("playing")
	if a.Word() == "resume" {
		now = "paused"
	}
	found, _ := h.find(q, false, a.suits(false))
	found = home.Prefer(found, func(e home.Entity) bool {
		return e.State[home.Main] != "off" && e.State[home.Main] != "standby"
	})
	found = home.Prefer(found, func(e home.Entity) bool { return e.State[home.Main] == now })
	return func(e *home.Entity) bool { return home.Contains(found, e.ID) }
}

// meant are the devices of a command that names none: those of the last command, or the lights that
// are on, or those of the room.
func (h *House) meant(a *Request, q *query) []home.Entity {
	suits := a.suits(false)
	near := func(t *thing) bool { return t.isNear(q.near) && suits(t.Entity) }
	able := func(t *thing) bool { return suits(t.Entity) }
	spoken := func(t *thing) bool { return able(t) && slices.Contains(h.Spoken, t.ID) }
	if a.setsHere() && !h.has(spoken) && h.has(near) {
		able = near
	}
	last := h.lately(able)
	if a.lights() && a.Property == "" { // percent of a fan and of a volume are not meant beside those of lights
		last = home.Prefer(last, func(e home.Entity) bool { return e.Kind == home.Light })
	}
	if a.Action == "on" { // "put them on again"
		last = home.Prefer(last, func(e home.Entity) bool { return h.WasOn(&e) })
	}
	if len(last) > 0 || !a.Sets() || a.isBare() && home.IsPronoun(a.Name) {
		// "stop it" and "make it fifteen" are nothing that nobody spoke of
		return last
	}
	lit := func(t *thing) bool { return able(t) && a.isGoing(t, q) }
	if found := h.those(func(t *thing) bool { return lit(t) && near(t) }); len(found) > 0 {
		return found
	}
	if !a.Steps() && !home.IsPronoun(a.Name) && h.has(near) {
		return h.those(near)
	}
	if only := h.only(a, able); only != nil {
		return only
	}
	return h.those(lit)
}

// isGoing reports whether a device is on of which a command that names none may want more or less: a light, or what
// plays in the room.
func (a *Request) isGoing(t *thing, q *query) bool {
	sounds := a.Property == "volume" && t.State[home.Main] == "playing" && t.isNear(q.near)
	return sounds || t.Kind == home.Light && t.State[home.Main] == "on"
}

// only is the one device of a house that has the channel that a command names, or nil.
func (h *House) only(a *Request, able func(*thing) bool) []home.Entity {
	if found := h.those(able); a.Word() != "" && !a.lights() && len(found) == 1 {
		return found
	}
	return nil
}
