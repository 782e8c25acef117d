package home

import "cmp"

// again is the action of an order that says nothing but what else it is for: "and the patio lights", "a bit more".
const again = "again"

// continued is what a command asks: what it says or, where it is again, the last order or question for the devices that
// it names. A room alone means those of the same kind there, and nothing at all more of what was ordered.
func (h *Home) continued(a arguments) arguments {
	last := h.said.Get()
	if a.Action != again || last == nil {
		return a
	}
	b := *last
	b.turn = a.turn
	if a.Area == "" && (a.Name == "" || isPronoun(a.Name)) {
		if _, counted := b.Value.(float64); counted && b.Unit != "times" {
			b.Action, b.Value, b.Unit, b.Percent = "raise", nil, "", nil
		}
		b.Name, b.Area, b.Which, b.Except = "it", "", "", ""
		return b
	}
	b.Name, b.Area, b.Which, b.Except = a.Name, a.Area, a.Which, a.Except
	ho := h.see()
	if a.Name == "" || ho.ask(a.Name, "", "").onlyPlace {
		words := tokens(last.Name)
		if n := len(words) - 1; n >= 0 && isKind(words[n]) {
			b.Name, b.Which = words[n], last.Which
		} else {
			b.Name, b.of = "", h.kindsSpokenOf(ho)
		}
		b.Area = cmp.Or(a.Area, a.Name)
	}
	return b
}

// kindsSpokenOf are the kinds of the devices that were spoken of last, or nil.
func (h *Home) kindsSpokenOf(ho *house) (kinds []Kind) {
	for _, e := range h.spokenOf(ho, (*Entity).isAny) {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}
