package home

import (
	"encoding/json"
	"fmt"
)

// question is what a person must answer with yes before a command is carried
// out: what lets somebody into the house.
func (h *Home) question(raw json.RawMessage) string {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	targets, choice := h.targets(&a)
	if choice {
		return "" // it is asked first which one
	}
	return entry(targets, &a)
}

func (h *Home) chosenQuestion(raw json.RawMessage) string {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	fits, ask, reading := h.pending(a.Name)
	if reading || len(fits) != 1 {
		return ""
	}
	return entry(fits, &ask)
}

// entry is the question for targets that open the house.
func entry(targets []Entity, a *arguments) string {
	for i := range targets {
		e := &targets[i]
		if want, problem := a.wanted(e); problem == "" && e.letsIn(want) {
			if e.Kind == Lock {
				return fmt.Sprintf("Unlock %s?", e.the())
			}
			return fmt.Sprintf("Open %s?", e.the())
		}
	}
	return ""
}

// letsIn reports whether want opens a way into the house: a lock, a garage or a
// gate, or a switch that is called so.
func (e *Entity) letsIn(want State) bool {
	entrance := e.Class == "garage" || e.Class == "gate" || e.Class == "door" || mentions(tokens(e.Device+" "+e.Name), []string{"garage", "gate"})
	door := mentions(tokens(e.Device+" "+e.Name), []string{"door", "gate", "opener"})
	main := want[Main]
	switch e.Kind {
	case Lock:
		return main == "unlocked" || main == "open"
	case Cover:
		p, moves := want[Position].(float64)
		return entrance && (main == "open" || moves && p > 0)
	case Switch, Button, Scene, Script:
		return entrance && door && main != "off"
	case Alarm:
		return main == "disarmed"
	}
	return false
}
