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
	var verbs []string
	names := map[string][]string{}
	for i := range targets {
		e := &targets[i]
		want, problem := a.wanted(e, true)
		if problem != "" {
			continue
		}
		if w, ok := h.WayIn(e); ok && w.opens(e, want) {
			verb, value := does(e, want)
			if names[verb] == nil {
				verbs = append(verbs, verb)
			}
			names[verb] = append(names[verb], e.the()+value)
		}
	}
	if len(verbs) == 0 {
		return ""
	}
	slices.Sort(verbs)
	var clauses []string
	for _, verb := range verbs {
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
	switch e.Kind {
	case Lock:
		return "unlock", ""
	case Cover, Valve:
		return "open", ""
	case Alarm:
		return "disarm", ""
	case Button:
		return "press", ""
	case Scene:
		return "activate", ""
	case Script:
		return "run", ""
	case Select, Text:
		return "set", " to " + Clean(main)
	}
	switch {
	case text && (main == "on" || main == "off"):
		return "turn " + main, ""
	case text:
		return "change", ""
	}
	if f, ok := want[Main].(float64); ok {
		return "set", " to " + number(f)
	}
	return "change", ""
}
