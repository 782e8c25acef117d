package home

import (
	"cmp"
	"slices"
	"strings"
)

// entities are the devices, with the floors of the options.
func (h *Home) entities() []Entity {
	all := h.opt.Devices.Entities()
	for floor, areas := range h.opt.Floors {
		for i := range all {
			e := &all[i]
			if slices.ContainsFunc(areas, func(a string) bool { return e.Area != "" && slices.Equal(tokens(a), tokens(e.Area)) }) {
				e.Floors = append(slices.Clip(e.Floors), floor)
			}
		}
	}
	return all
}

// around is what else the place of a device is called: its floor, and its area.
func (e *Entity) around() []string { return slices.Concat(e.Floors, e.AreaAliases) }

// floor are the words of that.
func (m memo) floor(e *Entity) []string {
	if len(e.Floors)+len(e.AreaAliases) == 0 {
		return nil
	}
	return m.tokens(strings.Join(e.around(), " "))
}

// maxParts bounds the devices and areas that are named one by one.
const maxParts = 8

// joining stands between them.
var joining = strings.NewReplacer(" as well as ", ",", " and also ", ",", " and ", ",", " plus ", ",", "&", ",")

// enumerated cuts "kitchen, hall and bedroom" into its parts; one part is none.
func enumerated(s string) []string {
	var parts []string
	for _, p := range strings.Split(joining.Replace(strings.ToLower(s)), ",") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) < 2 || len(parts) > maxParts {
		return nil
	}
	return parts
}

// several are the commands of which one is made that names several things: "the
// kitchen and living room lights" are the lights of both, "lights in the kitchen and
// the hall" too, and "the lamp and the fan" are two devices. It is nil when it names one.
func (a *arguments) several(all []Entity) []arguments {
	var parts []arguments
	for _, area := range enumerated(a.Area) {
		one := *a
		one.Area, one.Except = area, ""
		parts = append(parts, one)
	}
	if parts != nil {
		return parts
	}
	names := enumerated(a.Name)
	if names == nil {
		return nil
	}
	last := strings.Fields(names[len(names)-1])
	kind := ""
	if w := last[len(last)-1]; isKindWord(singular(w)) {
		kind = w
	}
	for i, name := range names {
		one := *a
		one.Name, one.Except = name, ""
		if q := newQuery(name, ""); i < len(names)-1 && kind != "" && q.onlyArea(all) {
			one.Name += " " + kind
		}
		parts = append(parts, one)
	}
	return parts
}

// united are the devices of all parts. Where one part is not known, or means one of
// several, there are only those of it.
func (h *Home) united(all []Entity, parts []arguments) (targets []Entity, choice bool) {
	for i := range parts {
		found, choice := h.targetsOf(all, &parts[i])
		if len(found) == 0 || choice {
			return found, choice
		}
		targets = append(targets, found...)
	}
	slices.SortFunc(targets, func(x, y Entity) int { return cmp.Compare(x.ID, y.ID) })
	return slices.CompactFunc(targets, func(x, y Entity) bool { return x.ID == y.ID }), false
}
