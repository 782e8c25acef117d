package home

import (
	"maps"
	"slices"
	"strings"
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
func (t *teller) verdict(found []Entity, a *arguments, where string) string {
	one := len(found) == 1 && a.Which != "none" && a.Which != "list" && a.Which != "number"
	n := answer{teller: t, is: t.Part("home.state", args{"state": a.Is}), where: where}
	names := t.devices(found)
	for i := range found {
		e, name := &found[i], names[i]
		so, _ := answers(e, a.Is)
		switch {
		case one && !(so && e.told() && !e.Offline):
			said := t.describe(e, name, "")
			if e.told() && !e.Offline {
				said = t.Say("home.no_but", args{"text": said})
			}
			return said
		case e.Offline:
			n.lost = append(n.lost, name)
		case !e.told():
			n.silent = append(n.silent, name)
		case so:
			n.yes = append(n.yes, name)
		default:
			n.no, n.wrong = append(n.no, name), append(n.wrong, t.state(e.otherwise(a.Is)))
		}
	}
	text := ""
	if len(n.yes)+len(n.no) > 0 {
		text = n.of(a)
	}
	return strings.TrimSpace(text + " " + n.untold(text == ""))
}

// of answers by what was asked: all, any, none, or what may mean all or any.
func (n *answer) of(a *arguments) string {
	yes, no, unknown := len(n.yes), len(n.no), len(n.silent)+len(n.lost)
	count := yes + no + unknown
	one := a.Which == "any" || a.Which == "none"
	some := a.Which == "" && !isDenied(a.Is)
	key := "home.no_none"
	switch {
	case a.Which == "list" || a.Which == "number":
		switch {
		case yes == 0 && count == 1:
			key = "home.number_none_but"
		case yes == 0:
			key = "home.number_none"
		case a.Which == "list":
			key = "home.listed"
		default:
			key = "home.number"
		}
	case yes > 0 && a.Which == "none":
		key = "home.no_they_are"
	case yes > 0 && a.Which == "any" && (yes == 1 || yes < count):
		key = "home.yes_they_are"
	case yes > 0 && some && yes < count:
		key = "home.yes_number"
	case yes == 0 && (one || some) && unknown > 0:
		key = "home.none_known"
	case yes == 0 && a.Which == "none" && count == 1:
		key = "home.yes_but"
	case yes == 0 && a.Which == "none":
		key = "home.yes_none"
	case yes == 0 && (one || some || unknown == 0):
	case no > 0:
		key = "home.no_but_they"
	case unknown > 0 && yes == 1:
		key = "home.unsure_they_are"
	case unknown > 0:
		key = "home.unsure_number"
	case yes == 1:
		key = "home.yes_they_are"
	default:
		key = "home.yes_all"
	}
	return n.Say(key, args{"n": yes, "of": count, "how": n.is, "where": n.where, "they": n.these(n.yes, n.is), "but": n.exceptions()})
}

// exceptions tells how those are that are not so, the like together.
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

// told reports whether a device has said how it is.
func (e *Entity) told() bool {
	now, mode := e.State[Main], e.State[Mode]
	return now != nil && now != "" && now != "unknown" || mode != nil && mode != ""
}
