package home

import (
	"slices"
	"strings"
)

// isHere, isHouse and isEverywhere read words that stand for the room of the box, for the
// house, and for each room of it.
func isHere(area string) bool {
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(area)), "in ") {
	case "here", "over here", "this room", "the room", "room":
		return true
	}
	return false
}

func isHouse(area string) bool {
	said := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(area)), "in ")
	switch strings.TrimPrefix(strings.TrimPrefix(said, "the "), "whole ") {
	case "house", "home", "at home", "apartment", "flat":
		return true
	}
	return isEverywhere(area)
}

func isEverywhere(area string) bool {
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(area)), "in ") {
	case "everywhere", "all rooms", "every room":
		return true
	}
	return false
}

// inPlace asks look for the devices of a command where that means: what names no place
// means the room of the box first, "here" only that, and the whole house where the room
// has nothing of the kind. look reports whether it found any.
func (h *Home) inPlace(a arguments, look func(*arguments) bool) {
	switch {
	case isHouse(a.Area) && !h.hasArea(a.Area):
		if a.Which == "" && a.Action != "" && isEverywhere(a.Area) { // the heating everywhere is every one
			a.Which = "all"
		}
		a.Area = ""
	case isHere(a.Area):
		if a.Area = h.opt.Area; a.Area != "" && look(&a) {
			return
		}
		if q := a.query(); q.all && len(q.words) == 0 { // everything in here is never everything anywhere
			return
		}
		a.Area = ""
	default:
		a.room = h.opt.Area
	}
	look(&a)
}

// hasArea reports whether a room is called so.
func (h *Home) hasArea(area string) bool {
	return slices.ContainsFunc(h.entities(), func(e Entity) bool { return strings.EqualFold(e.Area, area) })
}

// query is what a command names.
func (a *arguments) query() query {
	q := newQuery(a.Name, a.Area)
	q.kind(a.Kind)
	switch a.Which {
	case "":
	case "all":
		q.all, q.every = true, true
	default: // a question of any of them, or which, is of the house
		q.all, q.every = true, q.every || a.Action == ""
	}
	if len(q.area) == 0 && !q.every {
		q.near = tokens(a.room)
	}
	return q
}

// nearest keeps those in the room of the box where there are any, or else those that are
// called just what was said. Doors are the whole house's: who asks whether they are locked
// wants to know of each.
func (q query) nearest(found []Entity) []Entity {
	doors := func(e Entity) bool {
		class := e.Class
		if e.Kind == Cover {
			class = e.coverClass()
		}
		return e.Kind == Lock || slices.Contains([]string{"door", "garage", "garage_door", "gate", "lock"}, class)
	}
	if len(q.near) == 0 || len(found) < 2 || q.all && slices.ContainsFunc(found, doors) || slices.ContainsFunc(found, q.namesPlace) {
		return found
	}
	var near []Entity
	for i := range found {
		if q.isNear(&found[i]) {
			near = append(near, found[i])
		}
	}
	if len(near) == 0 {
		return q.called(found)
	}
	return near
}

// called keeps those that are called just what was said, where one is meant and any is. One
// that is called what all of its kind are, as "Light", is not rather meant than they.
func (q query) called(found []Entity) []Entity {
	so := func(e Entity) bool {
		return q.isCalled(&e) && !slices.Contains(e.calledBy(), singular(q.words[len(q.words)-1]))
	}
	if q.all || len(q.words) == 0 || !slices.ContainsFunc(found, so) {
		return found
	}
	return slices.DeleteFunc(found, func(e Entity) bool { return !so(e) })
}

// namesPlace reports whether the words hold the room or the floor of a device, as in "first
// floor lights", though not apart.
func (q query) namesPlace(e Entity) bool {
	return slices.ContainsFunc(append(slices.Clone(e.Floors), e.Area), func(place string) bool {
		words := q.memo.tokens(place)
		return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(q.words, w) })
	})
}

// isNear reports whether a device is in the room of the box: by its area, or by its name
// where it has none.
func (q query) isNear(e *Entity) bool {
	if e.Area != "" && len(q.near) > 0 {
		return slices.Equal(q.memo.tokens(e.Area), q.near)
	}
	name := q.memo.tokens(e.Device + " " + e.Name)
	return len(q.near) > 0 && !slices.ContainsFunc(q.near, func(w string) bool { return !slices.Contains(name, w) })
}

// inArea says where, behind what is there.
func inArea(area string) string {
	area = strings.TrimPrefix(Clean(area), "the ")
	switch {
	case area == "" || isHouse(area):
		return ""
	case isHere(area):
		return " here"
	case slices.Contains([]string{"upstairs", "downstairs", "outside", "outdoors"}, area):
		return " " + area
	}
	return " in the " + strings.ToLower(area)
}
