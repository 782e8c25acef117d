package home

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// question is what a person must answer with yes before a command is carried out: it names what
// would let somebody into the house.
func (h *Home) question(raw json.RawMessage) string { return h.asks("home.shall", arguments{}, raw) }

// laterQuestion asks, when the order is given, for the yes that the command would need at its time.
func (h *Home) laterQuestion(raw json.RawMessage) string {
	return h.asks("home.shall_later", arguments{}, raw)
}

// undoQuestion is question for what takes a command back.
func (h *Home) undoQuestion(raw json.RawMessage) string {
	return h.asks("home.shall", arguments{Action: undoing}, raw)
}

func (h *Home) asks(key string, a arguments, raw json.RawMessage) string {
	action := a.Action
	if json.Unmarshal(raw, &a) != nil {
		return "" // the call will say so
	}
	a.Action = cmp.Or(action, a.Action)
	a = h.continued(a)
	targets, choice := h.targets(&a)
	if choice || a.Action == "" {
		return "" // it is asked first which one
	}
	return h.entry(key, h.jobs(targets, &a), &a)
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
	return h.entry("home.shall", h.jobs(fits, &open.ask), &open.ask)
}

// maxNamed is how many ways in a question names one by one.
const maxNamed = 4

// entry is the question about those jobs of a command that may open the house. One yes is for the
// whole command.
func (h *Home) entry(key string, jobs []*job, a *arguments) string {
	t := h.teller(a)
	names := map[[2]string][]string{} // by what is done, and what value is set
	for _, j := range jobs {
		e := &j.Entity
		if j.problem != fine {
			continue
		}
		if w, ok := h.WayIn(e); ok && w.opens(e, j.want) {
			verb := t.does(e, j.want)
			names[verb] = append(names[verb], t.Part("home.accusative", t.named(e.Spoken(), false)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	var clauses []string
	byText := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, verb := range slices.SortedFunc(maps.Keys(names), byText) {
		list := names[verb]
		slices.Sort(list)
		if n := len(list); n > maxNamed {
			list = append(list[:maxNamed], t.Part("home.more", args{"n": n - maxNamed}))
		}
		clauses = append(clauses, t.Part("home.does_"+verb[0], args{"list": list, "value": verb[1]}))
	}
	return t.Say(key, args{"clauses": clauses})
}

// does describes what a command does to a device: a verb, and the value.
func (t *teller) does(e *Entity, want State) [2]string {
	main, text := want[Main].(string)
	f, isNumber := want[Main].(float64)
	switch {
	case uses[e.Kind].opening != "":
		return [2]string{uses[e.Kind].opening}
	case e.Kind == Select || e.Kind == Text:
		return [2]string{"set", t.state(main)}
	case text && isPower(main):
		return [2]string{"turn_" + main}
	case isNumber:
		return [2]string{"set", t.number(f)}
	}
	return [2]string{"change"}
}
