package home

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hearthd/tools"
)

// question is what a person must answer with yes before a command is carried
// out: what lets somebody into the house.
func (h *Home) question(raw json.RawMessage) string {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return "" // the call will say so
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
	if reading || len(fits) > 1 && !newQuery(a.Name, "").all {
		return "" // nothing is done yet
	}
	return entry(fits, &ask)
}

// maxNamed is how many ways in a question names one by one.
const maxNamed = 4

// entry is the question for those of the targets that open the house.
func entry(targets []Entity, a *arguments) string {
	var names []string
	verb := "Unlock"
	for i := range targets {
		e := &targets[i]
		if want, problem := a.wanted(e); problem == "" && e.letsIn(want) {
			names = append(names, e.the())
			if e.Kind != Lock {
				verb = "Open"
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	if n := len(names); n > maxNamed {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", n-maxNamed))
	}
	return fmt.Sprintf("%s %s?", verb, tools.Join(names))
}

// letsIn reports whether want opens a way into the house: a lock, a garage or a
// gate, or a switch that is called so.
func (e *Entity) letsIn(want State) bool {
	entrance := e.Class == "garage" || e.Class == "gate" || e.Class == "door" || mentions(tokens(e.Device+" "+e.Name), []string{"garage", "gate"})
	door := mentions(tokens(e.Device+" "+e.Name), []string{"door", "gate", "opener"})
	opens := mentions(tokens(e.Device+" "+e.Name), []string{"unlock", "unlatch", "opener"})
	main := want[Main]
	switch e.Kind {
	case Lock:
		return main == "unlocked" || main == "open"
	case Cover:
		p, moves := want[Position].(float64)
		return entrance && (main == "open" || moves && p > 0)
	case Switch, Button, Scene, Script:
		return (entrance && door || opens) && main != "off"
	case Alarm:
		return main == "disarmed"
	}
	return false
}

// LetsIn reports whether the words of a request ask to open a way into the house.
func LetsIn(request string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(request)), " ")
	if slices.Contains([]string{"is", "are", "was", "were", "did", "has", "have", "who", "when", "what", "which", "why", "how"}, first) {
		return false // it only asks
	}
	words := tokens(request)
	return mentions(words, []string{"unlock", "unlatch", "disarm"}) ||
		mentions(words, []string{"open"}) && mentions(words, []string{"door", "gate", "garage", "lock"})
}
