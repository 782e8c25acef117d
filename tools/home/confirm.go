package home

import (
	"encoding/json"
	"fmt"
	"maps"
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
	return h.entry(targets, &a)
}

func (h *Home) chosenQuestion(raw json.RawMessage) string {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	fits, all, open := h.pending(a.Name)
	if open.reading || !all {
		return "" // nothing is done yet
	}
	return h.entry(fits, &open.ask)
}

// maxNamed is how many ways in a question names one by one.
const maxNamed = 4

// entry is the question for those of the targets that may open the house. One yes is
// for the whole command.
func (h *Home) entry(targets []Entity, a *arguments) string {
	names := map[string][]string{} // by verb
	for i := range targets {
		e := &targets[i]
		want, problem := a.wanted(e, true)
		if problem != "" {
			continue
		}
		if w, ok := h.WayIn(e); ok && w.opens(e, want) {
			verb, value := does(e, want)
			names[verb] = append(names[verb], article(lower(e.Spoken()))+value)
		}
	}
	if len(names) == 0 {
		return ""
	}
	var clauses []string
	for _, verb := range slices.Sorted(maps.Keys(names)) {
		list := names[verb]
		slices.Sort(list)
		if n := len(list); n > maxNamed {
			list = append(list[:maxNamed], fmt.Sprintf("%d more", n-maxNamed))
		}
		clauses = append(clauses, verb+" "+tools.Join(list))
	}
	q := tools.Join(clauses)
	return strings.ToUpper(q[:1]) + q[1:] + "?"
}

// does says what a command does to a device: a verb, and what follows the name.
func does(e *Entity, want State) (verb, value string) {
	main, text := want[Main].(string)
	f, isNumber := want[Main].(float64)
	switch {
	case uses[e.Kind].opening != "":
		return uses[e.Kind].opening, ""
	case e.Kind == Select || e.Kind == Text:
		return "set", " to " + Clean(main)
	case text && (main == "on" || main == "off"):
		return "turn " + main, ""
	case isNumber:
		return "set", " to " + number(f)
	}
	return "change", ""
}
