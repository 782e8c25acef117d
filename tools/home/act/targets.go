package act

import (
	"slices"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// see returns the house as it is now.
func (h *Home) see() *meaning.House {
	all := h.opt.Devices.Entities()
	wasOn := func(e *home.Entity) bool { return h.history.wasOn(e) != nil }
	now := meaning.Situation{Room: h.opt.Area, Spoken: h.recent.Get(), WasOn: wasOn}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.house = h.house.Update(all, h.opt.Floors, now)
	return h.house
}

// targets are the devices that a command means; choice says that it means one of them.
func (h *Home) targets(a *meaning.Request) (targets []home.Entity, choice bool) {
	if a.Action == meaning.Undoing {
		targets, choice = h.undone(a)
		if len(targets) > 0 || a.Word() == "" {
			return targets, choice && a.Instead == ""
		}
		a.Action, a.Value = a.Word(), nil // it is to stay on, and the last orders have not switched it off
	}
	return h.see().Targets(a)
}

// undone are the devices whose last command is to be taken back: those of the last order, or of all lately those that
// are named.
func (h *Home) undone(a *meaning.Request) (targets []home.Entity, choice bool) {
	last, all := h.history.undoable()
	if a.Instead != "" { // what was taken back stays so
		all = slices.DeleteFunc(last, func(p past) bool { return p.redone })
		last = all
	}
	for _, list := range [][]past{last, all} {
		of := h.see().Among(devices(list))
		if a.Area == "" && (a.Name == "" || home.IsPronoun(a.Name)) {
			return of.Entities(), false
		}
		if targets, choice = of.Pick(a.Name, a.Area); len(targets) > 0 {
			break
		}
	}
	return targets, choice
}
