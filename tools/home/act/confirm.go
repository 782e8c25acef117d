package act

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/entrance"
	"hearthd/tools/home/meaning"
)

// ordered reads a call and finds its devices; choice says that it means one of them, and ok that something is ordered.
func (h *Home) ordered(raw json.RawMessage, action string) (a meaning.Request, targets []home.Entity, choice, ok bool) {
	if json.Unmarshal(raw, &a) != nil {
		return a, nil, false, false // the call will say so
	}
	a.Action = cmp.Or(action, a.Action)
	a = h.continued(a)
	targets, choice = h.targets(&a)
	return a, targets, choice, a.Action != ""
}

// chosen is the order that an answer to which one is meant settles, and its devices.
func (h *Home) chosen(raw json.RawMessage) (a meaning.Request, targets []home.Entity, ok bool) {
	if json.Unmarshal(raw, &a) != nil {
		return a, nil, false
	}
	targets, all, open := h.pending(a.Name)
	return open.ask, targets, all && !open.reading
}

// confirms returns what a person must answer with yes before a call is carried out: it names what would let somebody
// into the house.
func (h *Home) confirms(key, action string) func(json.RawMessage) string {
	return func(raw json.RawMessage) string {
		a, targets, choice, ok := h.ordered(raw, action)
		switch {
		case !ok || choice: // it is asked first which one
			return ""
		case a.Action == meaning.Undoing:
			return h.entry(key, h.undoJobs(targets, &a), &a)
		}
		text := h.entry(key, h.jobs(targets, &a), &a)
		if text != "" {
			h.said.Set(&a) // "and the side gate" is of what was asked, and not of what was done before
			var asked []string
			for _, e := range targets {
				asked = append(asked, e.ID)
			}
			h.heed(asked)
			h.place.Set(home.AreaOf(targets))
		}
		return text
	}
}

func (h *Home) chosenQuestion(raw json.RawMessage) string {
	a, targets, ok := h.chosen(raw)
	if !ok {
		return ""
	}
	return h.entry("home.shall", h.jobs(targets, &a), &a)
}

// grave reports whether an order does harm where nobody meant it, or is for more than one room.
func (h *Home) grave(raw json.RawMessage) bool {
	a, targets, choice, ok := h.ordered(raw, "")
	return ok && (harms(&a, targets) || tools.Sweeping(raw) || !choice && home.Scattered(targets))
}

// harms reports whether an order opens something, puts the heating out or makes a player loud.
func harms(a *meaning.Request, targets []home.Entity) bool {
	percent, _ := a.Value.(float64)
	heats := func(e home.Entity) bool { return e.Kind == home.Climate || e.Kind == home.WaterHeater }
	return a.Opens() || a.Property == "volume" && percent >= tools.LoudFrom ||
		(a.Action == "off" || a.Word() == "off") && slices.ContainsFunc(targets, heats)
}

// graveChoice is grave for the answer to which one is meant.
func (h *Home) graveChoice(raw json.RawMessage) bool {
	a, targets, ok := h.chosen(raw)
	return ok && (harms(&a, targets) || home.Scattered(targets))
}

// maxNamed is how many ways in a question names one by one.
const maxNamed = 4

// entry is the question about those jobs of a command that may open the house. One yes is for the
// whole command.
func (h *Home) entry(key string, jobs []*job, a *meaning.Request) string {
	t := h.teller(a)
	names := map[[2]string][]string{} // by what is done, and what value is set
	for _, j := range jobs {
		e := &j.Entity
		if j.problem != meaning.Fine {
			continue
		}
		if w, ok := h.WayIn(e); ok && w.Opens(e, j.want) {
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
func (t *teller) does(e *home.Entity, want home.State) [2]string {
	main, text := want[home.Main].(string)
	f, isNumber := want[home.Main].(float64)
	switch {
	case e.Kind.Opening() != "":
		return [2]string{e.Kind.Opening()}
	case e.Kind == home.Select || e.Kind == home.Text:
		return [2]string{"set", t.state(main)}
	case text && home.IsPower(main):
		return [2]string{"turn_" + main}
	case isNumber:
		return [2]string{"set", t.number(f)}
	}
	return [2]string{"change"}
}

// NamesWayIn reports whether a sentence that hearthd does not carry out itself may ask to open the
// house: by its words, or by the name of a device that is taken for a way in. A nil Home knows no
// devices.
func (h *Home) NamesWayIn(sentence string) bool {
	if entrance.Asked(sentence) {
		return true
	}
	if h == nil || entrance.Shuts(sentence) {
		return false
	}
	var said []string
	for w := range strings.FieldsSeq(sentence) {
		said = append(said, home.Tokens(w)...) // which are bounded, and a sentence may be longer
	}
	all := h.opt.Devices.Entities()
	return slices.ContainsFunc(all, func(e home.Entity) bool {
		named := slices.ContainsFunc(append([]string{e.Spoken(), e.Name}, e.Aliases...), func(name string) bool {
			words := home.Tokens(name)
			missing := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(said, w) })
			return len(words) > 0 && !missing
		})
		if !named {
			return false
		}
		_, ok := h.WayIn(&e)
		return ok
	})
}

// WayIn says whether a device is taken for a way into the house, and why.
func (h *Home) WayIn(e *home.Entity) (home.WayIn, bool) {
	var m home.Marks
	if h.opt.Marks != nil {
		m = h.opt.Marks()
	}
	return m.WayIn(h.opt.Devices, e)
}
