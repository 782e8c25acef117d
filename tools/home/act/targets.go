package act

import (
	"cmp"
	"slices"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// see returns the house as it is now.
func (h *Home) see() *meaning.House {
	all := h.opt.Devices.Entities()
	wasOn := func(e *home.Entity) bool { return h.history.wasOn(e) != nil }
	now := meaning.Situation{
		Room: h.opt.Area, Spoken: h.recent.Get(), Before: h.earlier.Get(), Place: h.place.Get(), WasOn: wasOn,
	}
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

// again is the action of an order that says nothing but what else it is for: "and the patio lights", "a bit more".
const again = "again"

// continued is what a command asks: what it says or, where it is again, the last order or question for the devices that
// it names. A room alone means those of the same kind there, and nothing at all more of what was ordered.
func (h *Home) continued(a meaning.Request) meaning.Request {
	last := h.said.Get()
	if last == nil {
		return a
	}
	if a = h.completed(a, last); a.Action != again {
		return a
	}
	b := *last
	b.Turn = a.Turn
	if a.In > 0 || a.Time != nil {
		b.In, b.Time, b.Day = a.In, a.Time, a.Day
	}
	if a.Area == "" && (a.Name == "" || home.IsPronoun(a.Name)) {
		return more(b)
	}
	b.Name, b.Area, b.Which, b.Except = a.Name, a.Area, a.Which, a.Except
	if a.Name == "" || h.see().IsPlace(a.Name) {
		words := home.Tokens(last.Name)
		if n := len(words) - 1; n >= 0 && home.IsKind(words[n]) {
			b.Name, b.Which = words[n], last.Which
		} else {
			b.Name, b.Of = "", h.kinds(h.recent.Get())
		}
		b.Area = cmp.Or(a.Area, a.Name)
	}
	return b
}

// completed is a command with what the last order or question says of it.
func (h *Home) completed(a meaning.Request, last *meaning.Request) meaning.Request {
	spoken := len(h.recent.Get())
	switch {
	case last.Action == "" && a.Name == "everything" && a.Area == "" && last.Which != "" && spoken > 1:
		a.Name = tools.It // after "are any lights on" it is those that were told
	case last.Action == "" && a.Name == "everything" && a.Area == "":
		a.Area = last.Area // after "is anything on downstairs" it is what is there
	case last.Property == "volume" && a.Steps() && a.Property == "" && home.IsPronoun(a.Name) && spoken == 0:
		a.Property = last.Property // of the box itself
	}
	return a
}

// more is an order for more of what was ordered last: a number that was set is raised.
func more(b meaning.Request) meaning.Request {
	if _, counted := b.Value.(float64); counted && b.Unit != "times" {
		b.Action, b.Value, b.Unit, b.Percent, b.Degrees = "raise", nil, "", nil, nil
		if b.Property == "position" && b.Step == nil { // and not to be opened wholly
			further := float64(20)
			b.Step = &further
		}
	}
	b.Name, b.Area, b.Which, b.Except = tools.It, "", "", ""
	return b
}

// heed keeps which devices are spoken of now.
func (h *Home) heed(ids []string) {
	if before := h.recent.Get(); !slices.Equal(before, ids) {
		h.earlier.Set(before)
	}
	h.recent.Set(ids)
}

// kinds are those of some devices.
func (h *Home) kinds(ids []string) (kinds []home.Kind) {
	for _, id := range ids {
		if e, known := h.opt.Devices.Entity(id); known {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// begin says that an order comes.
func (h *Home) begin(a *meaning.Request) {
	if a.Action != meaning.Undoing && a.Action != again {
		h.said.Set(a)
		h.history.begin(a)
	}
}
