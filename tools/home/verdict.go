package home

import (
	"fmt"
	"strings"

	"hearthd/tools"
)

// answer is what several devices say to a question whether they are so.
type answer struct {
	is, where    string
	yes, no      []string // their names
	silent, lost []string // those that have not told, and those that are not reachable
	wrong        []string // how each of no is
}

// verdict answers whether devices are as was asked: yes or no first, and then those that
// make the difference. What does not tell is never counted as one of them.
// where is where they all are, if that was not said.
func verdict(found []Entity, a *arguments, where string) string {
	if len(found) == 1 && (a.Which == "" || a.Which == "all" || a.Which == "both" || a.Which == "any") {
		return singleVerdict(&found[0], a)
	}
	ans := answer{is: a.Is, where: where}
	names := choices(found)
	for i := range found {
		e, name := &found[i], article(names[i])
		so, _ := answers(e, a.Is)
		switch {
		case e.Offline:
			ans.lost = append(ans.lost, name)
		case !e.told():
			ans.silent = append(ans.silent, name)
		case so:
			ans.yes = append(ans.yes, name)
		default:
			ans.no, ans.wrong = append(ans.no, name), append(ans.wrong, e.otherwise(a.Is))
		}
	}
	text := ""
	switch {
	case len(ans.yes)+len(ans.no) == 0:
	case a.Which == "any":
		text = ans.any(true)
	case a.Which == "none":
		text = ans.any(false)
	case a.Which == "list":
		text = ans.list()
	case a.Which == "number":
		text = ans.number()
	case a.Which == "" && !isDenied(a.Is):
		text = ans.some()
	default:
		text = ans.all()
	}
	return strings.TrimSpace(text + " " + ans.untold(text == ""))
}

func singleVerdict(e *Entity, a *arguments) string {
	if so, _ := answers(e, a.Is); so && e.told() && !e.Offline {
		return fmt.Sprintf("Yes, %s %s %s.", e.the(), is(e.the()), a.Is)
	}
	if e.Offline || !e.told() {
		return describe(e, "")
	}
	return "No. " + describe(e, "")
}

// told reports whether a device has said how it is.
func (e *Entity) told() bool {
	now, mode := e.State[Main], e.State[Mode]
	return now != nil && now != "" && now != "unknown" || mode != nil && mode != ""
}

// all answers whether all are so. It is no yes while one does not tell.
func (n *answer) all() string {
	unknown := len(n.silent) + len(n.lost)
	switch {
	case len(n.no) > 0 && len(n.yes) == 0 && unknown == 0:
		return fmt.Sprintf("No, none of them%s is %s.", n.where, n.is)
	case len(n.no) > 0:
		return "No, " + n.exceptions() + "."
	case unknown > 0 && len(n.yes) == 1:
		return fmt.Sprintf("Not for sure: %s %s %s.", n.yes[0], is(n.yes[0]), n.is)
	case unknown > 0:
		return fmt.Sprintf("Not for sure: %s of them are %s.", tools.Words(len(n.yes)), n.is)
	}
	return fmt.Sprintf("Yes, %s%s are %s.", everyOne(len(n.yes)), n.where, n.is)
}

// any answers whether there is one that is so, or none.
func (n *answer) any(want bool) string {
	yes := map[bool]string{true: "Yes", false: "No"}
	switch {
	case len(n.yes) > 1 && len(n.yes) == n.count() && want:
		return n.all()
	case len(n.yes) > 0:
		return fmt.Sprintf("%s, %s.", yes[want], n.those())
	case len(n.silent)+len(n.lost) > 0:
		return fmt.Sprintf("Not that I know: none of the others is %s.", n.is)
	}
	return fmt.Sprintf("%s, none of them%s is %s.", yes[!want], n.where, n.is)
}

// some answers what may mean all or any: are the lights on.
func (n *answer) some() string {
	switch {
	case len(n.yes) == 0:
		return n.any(true)
	case len(n.no)+len(n.silent)+len(n.lost) == 0:
		return n.all()
	}
	return fmt.Sprintf("Yes, %s of %s: %s.", tools.Words(len(n.yes)), tools.Words(n.count()), n.those())
}

// list tells which are so.
func (n *answer) list() string {
	if len(n.yes) == 0 {
		return fmt.Sprintf("None of them%s is %s.", n.where, n.is)
	}
	return tools.Sentence(n.those()) + "."
}

// number tells how many are so.
func (n *answer) number() string {
	switch {
	case len(n.yes) == 0:
		return fmt.Sprintf("None of them%s is %s.", n.where, n.is)
	case n.count() == 1:
		return fmt.Sprintf("One: %s.", n.those())
	}
	return fmt.Sprintf("%s of %s: %s.", tools.Sentence(tools.Words(len(n.yes))), tools.Words(n.count()), n.those())
}

func (n *answer) count() int { return len(n.yes) + len(n.no) + len(n.silent) + len(n.lost) }

// those says of the ones that are so that they are.
func (n *answer) those() string { return say(n.yes, n.is) }

// exceptions tells how those are that are not so, the like together.
func (n *answer) exceptions() string {
	var parts []string
	told := map[string]bool{}
	for _, how := range n.wrong {
		if told[how] {
			continue
		}
		told[how] = true
		var names []string
		for i, name := range n.no {
			if n.wrong[i] == how {
				names = append(names, name)
			}
		}
		parts = append(parts, say(names, how))
	}
	return tools.Join(parts)
}

// untold names those of which it is not known; alone says that nothing else was said.
func (n *answer) untold(alone bool) string {
	var parts []string
	if len(n.lost) > 0 {
		parts = append(parts, say(n.lost, "not reachable right now"))
	}
	if len(n.silent) > 0 {
		parts = append(parts, fmt.Sprintf("I do not know how %s", say(n.silent, "")))
	}
	if len(parts) == 0 {
		return ""
	}
	text := tools.Sentence(tools.Join(parts)) + "."
	if alone {
		text = "I cannot tell. " + text
	}
	return text
}

// say says of devices how they are.
func say(names []string, how string) string {
	verb := "are"
	if len(names) == 1 {
		verb = is(names[0])
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", tools.Join(names), verb, how))
}

// everyOne is how n devices are called together.
func everyOne(n int) string {
	switch n {
	case 1:
		return "all"
	case 2:
		return "both"
	}
	return "all " + tools.Words(n)
}
