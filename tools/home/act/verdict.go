package act

import (
	"maps"
	"slices"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// answer is what several devices say to a question whether they are so.
type answer struct {
	*teller
	is           string // as it is said
	where        string
	yes, no      []args // their names
	silent, lost []args // those that have not told, and those that are not reachable
	wrong        []string
}

// verdict answers whether devices are as was asked: yes or no first, and then those that
// make the difference. What does not tell is never counted as one of them. where is where
// they all are, if that was not said.
func (t *teller) verdict(found []home.Entity, a *meaning.Request, where string) string {
	one := len(found) == 1 && a.Which != "none" && a.Which != "list" && a.Which != "number"
	n := answer{teller: t, is: t.Part("home.state", args{"state": a.Is}), where: where}
	names := t.devices(found)
	for i := range found {
		e, name := &found[i], names[i]
		so, _ := home.Answers(e, a.Is)
		switch {
		case one && !(so && e.Told() && !e.Offline):
			said := t.describe(e, name, "")
			if e.Told() && !e.Offline {
				said = t.Say("home.no_but", args{"text": said})
			}
			return said
		case e.Offline:
			n.lost = append(n.lost, name)
		case !e.Told():
			n.silent = append(n.silent, name)
		case so:
			n.yes = append(n.yes, name)
		default:
			n.no, n.wrong = append(n.no, name), append(n.wrong, t.state(e.Otherwise(a.Is)))
		}
	}
	text := ""
	if len(n.yes)+len(n.no) > 0 {
		text = n.of(a)
	}
	return strings.TrimSpace(text + " " + n.untold(text == ""))
}

// of answers by what was asked: which or how many, any, none, all, or what may mean all or any.
func (n *answer) of(a *meaning.Request) string {
	yes, count := len(n.yes), len(n.yes)+len(n.no)+len(n.silent)+len(n.lost)
	key := ""
	switch some := a.Which == "" && !home.IsDenied(a.Is); {
	case a.Which == "list" || a.Which == "number":
		key = n.listed(a.Which, count)
	case yes > 0 && a.Which == "none":
		key = "home.no_they_are"
	case yes > 0 && a.Which == "any" && (yes == 1 || yes < count):
		key = "home.yes_they_are"
	case yes > 0 && some && yes < count:
		key = "home.yes_number"
	case yes > 0 || a.Which == "all" || a.Which == "both" || a.Which == "" && !some:
		key = n.all()
	default:
		key = n.none(a.Which, count)
	}
	return n.Say(key, args{
		"n": yes, "of": count, "how": n.is, "where": n.where, "they": n.these(n.yes, n.is), "but": n.exceptions(),
	})
}

// listed is the answer to which are so, or how many.
func (n *answer) listed(which string, count int) string {
	switch {
	case len(n.yes) == 0 && count == 1:
		return "home.number_none_but"
	case len(n.yes) == 0:
		return "home.number_none"
	case which == "list":
		return "home.listed"
	}
	return "home.number"
}

// none is the answer that none is so, as far as they tell.
func (n *answer) none(which string, count int) string {
	switch {
	case len(n.silent)+len(n.lost) > 0:
		return "home.none_known"
	case which == "none" && count == 1:
		return "home.yes_but"
	case which == "none":
		return "home.yes_none"
	}
	return "home.no_none"
}

// all is the answer whether all are so. It is no yes while one does not tell.
func (n *answer) all() string {
	unknown := len(n.silent)+len(n.lost) > 0
	switch {
	case len(n.no) > 0 && len(n.yes) == 0 && !unknown:
		return "home.no_none"
	case len(n.no) > 0:
		return "home.no_but_they"
	case unknown && len(n.yes) == 1:
		return "home.unsure_they_are"
	case unknown:
		return "home.unsure_number"
	case len(n.yes) == 1:
		return "home.yes_they_are"
	}
	return "home.yes_all"
}

// exceptions describes the devices that are in another state, those in the same state together.
func (n *answer) exceptions() string {
	var parts []string
	names := map[string][]args{}
	for i, how := range n.wrong {
		names[how] = append(names[how], n.no[i])
	}
	for _, how := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, n.these(names[how], how))
	}
	return n.List(parts)
}

// untold names those of which it is not known; alone says that nothing else was said.
func (n *answer) untold(alone bool) string {
	var parts []string
	if len(n.lost) > 0 {
		parts = append(parts, n.these(n.lost, n.Part("home.became", args{"state": "unreachable"})))
	}
	if len(n.silent) > 0 {
		parts = append(parts, n.Part("home.unknown_how", args{"devices": n.silent}))
	}
	if parts == nil {
		return ""
	}
	return n.Say("home.untold", args{"alone": alone, "text": n.List(parts)})
}

// these says of devices how they are.
func (t *teller) these(devices []args, how string) string {
	return t.Part("home.these", args{"devices": devices, "how": how})
}
