package act

import (
	"cmp"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// again is the action of an order that says nothing but what else it is for: "and the patio lights", "a bit more".
const again = "again"

// continued is what a command asks: what it says or, where it is again, the last order or question for the devices that
// it names. A room alone means those of the same kind there, and nothing at all more of what was ordered.
func (h *Home) continued(a meaning.Request) meaning.Request {
	last := h.said.Get()
	if a.Action != again || last == nil {
		return a
	}
	b := *last
	b.Turn = a.Turn
	if a.Area == "" && (a.Name == "" || home.IsPronoun(a.Name)) {
		if _, counted := b.Value.(float64); counted && b.Unit != "times" {
			b.Action, b.Value, b.Unit, b.Percent = "raise", nil, "", nil
		}
		b.Name, b.Area, b.Which, b.Except = "it", "", "", ""
		return b
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
