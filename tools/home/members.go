package home

import (
	"iter"
	"slices"
	"strings"
)

// maxMembers bounds how many members of groups, and of the groups in them, are looked at.
const maxMembers = 200

// Inside gives what a group or a scene switches, and what the groups in it do, once each. What cannot be named by voice
// is not known: its identifier says what it is.
func Inside(devices Devices, e *Entity) iter.Seq2[Entity, bool] {
	return func(yield func(Entity, bool) bool) {
		seen := map[string]bool{e.ID: true}
		for ids := slices.Clone(e.Members); len(ids) > 0; ids = ids[1:] {
			if seen[ids[0]] {
				continue
			}
			member, known := devices.Entity(ids[0])
			if !known {
				kind, name, _ := strings.Cut(ids[0], ".")
				member = Entity{ID: ids[0], Kind: Kind(kind), Name: Clean(name)}
			}
			seen[ids[0]] = true
			if len(seen) > maxMembers+1 {
				member, known = Entity{}, false
			}
			if !yield(member, known) || len(seen) > maxMembers+1 {
				return
			}
			ids = append(ids, member.Members...)
		}
	}
}

// Scattered reports whether devices may be in more than one room.
func Scattered(list []Entity) bool {
	return len(list) > 1 &&
		slices.ContainsFunc(list, func(e Entity) bool { return e.Area == "" || e.Area != list[0].Area })
}

// AreaOf is the room in which all of some devices are, or "".
func AreaOf(list []Entity) string {
	if len(list) == 0 || Scattered(list) {
		return ""
	}
	return list[0].Area
}

// Contains reports whether a device is among some.
func Contains(all []Entity, id string) bool {
	return slices.ContainsFunc(all, func(e Entity) bool { return e.ID == id })
}

// Union is all, and those of more that are not among them.
func Union(all, more []Entity) []Entity {
	for _, e := range more {
		if !Contains(all, e.ID) {
			all = append(all, e)
		}
	}
	return all
}

// Storeys tells which floors are upstairs and downstairs, by their names, where the house itself does not say it. A
// first floor is upstairs where there is a ground floor.
func Storeys(all []Entity) map[string]string {
	level, ground := map[string]string{}, false
	for i := range all {
		for _, floor := range all[i].Floors {
			floor = strings.ToLower(floor)
			if lexicon["storey"][floor] != nil {
				return nil
			}
			level[floor] = storeyWord[floor]
			ground = ground || level[floor] == "downstairs"
		}
	}
	for floor, s := range level {
		if s == "first" {
			level[floor] = map[bool]string{true: "upstairs", false: "downstairs"}[ground]
		}
	}
	return level
}

// Prefer keeps those for which that holds, if there are any.
func Prefer[T any](list []T, so func(T) bool) []T {
	if !slices.ContainsFunc(list, so) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(of T) bool { return !so(of) })
}
