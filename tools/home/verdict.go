package home

import (
	"fmt"
	"maps"
	"slices"
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
// make the difference. What does not tell is never counted as one of them. where is where
// they all are, if that was not said.
func verdict(found []Entity, a *arguments, where string) string {
	one := len(found) == 1 && a.Which != "none" && a.Which != "list" && a.Which != "number"
	if e := &found[0]; one && (e.Offline || !e.told()) {
		return describe(e, e.called(), "")
	} else if so, _ := answers(e, a.Is); one && so {
		return fmt.Sprintf("Yes, %s %s %s.", e.the(), is(e.the()), a.Is)
	} else if one {
		return "No. " + describe(e, e.called(), "")
	}
	n := answer{is: a.Is, where: where}
	names := choices(found)
	for i := range found {
		e, name := &found[i], article(names[i])
		switch so, _ := answers(e, a.Is); {
		case e.Offline:
			n.lost = append(n.lost, name)
		case !e.told():
			n.silent = append(n.silent, name)
		case so:
			n.yes = append(n.yes, name)
		default:
			n.no, n.wrong = append(n.no, name), append(n.wrong, e.otherwise(a.Is))
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
	yes, count := len(n.yes), n.count()
	one := a.Which == "any" || a.Which == "none"
	some := a.Which == "" && !isDenied(a.Is)
	switch {
	case a.Which == "list" || a.Which == "number":
		return n.listed(a.Which == "number")
	case yes > 0 && a.Which == "none":
		return fmt.Sprintf("No, %s.", say(n.yes, n.is))
	case yes > 0 && a.Which == "any" && (yes == 1 || yes < count):
		return fmt.Sprintf("Yes, %s.", say(n.yes, n.is))
	case yes > 0 && some && yes < count:
		return fmt.Sprintf("Yes, %s of %s: %s.", tools.Words(yes), tools.Words(count), say(n.yes, n.is))
	case yes > 0 || !one && !some:
		return n.all()
	case len(n.silent)+len(n.lost) > 0:
		return fmt.Sprintf("Not that I know: none of the others is %s.", n.is)
	case a.Which == "none" && count == 1:
		return fmt.Sprintf("Yes, %s.", say(n.no, n.wrong[0]))
	case a.Which == "none":
		return fmt.Sprintf("Yes, none of them%s is %s.", n.where, n.is)
	}
	return fmt.Sprintf("No, none of them%s is %s.", n.where, n.is)
}

func (n *answer) count() int { return len(n.yes) + len(n.no) + len(n.silent) + len(n.lost) }

// listed tells which are so, or how many.
func (n *answer) listed(number bool) string {
	those := say(n.yes, n.is)
	switch {
	case n.count() == 1 && len(n.no) == 1:
		return fmt.Sprintf("None: %s.", say(n.no, n.wrong[0]))
	case len(n.yes) == 0:
		return fmt.Sprintf("None of them%s is %s.", n.where, n.is)
	case !number:
		return tools.Sentence(those) + "."
	case n.count() == 1:
		return fmt.Sprintf("One: %s.", those)
	}
	return fmt.Sprintf("%s of %s: %s.", tools.Sentence(tools.Words(len(n.yes))), tools.Words(n.count()), those)
}

// all answers whether all are so. It is no yes while one does not tell.
func (n *answer) all() string {
	unknown := len(n.silent) + len(n.lost)
	every := map[int]string{1: "all", 2: "both"}[len(n.yes)]
	switch {
	case len(n.no) > 0 && len(n.yes) == 0 && unknown == 0:
		return fmt.Sprintf("No, none of them%s is %s.", n.where, n.is)
	case len(n.no) > 0:
		return "No, " + n.exceptions() + "."
	case unknown > 0 && len(n.yes) == 1:
		return fmt.Sprintf("Not for sure: %s.", say(n.yes, n.is))
	case unknown > 0:
		return fmt.Sprintf("Not for sure: %s of them are %s.", tools.Words(len(n.yes)), n.is)
	case every == "":
		every = "all " + tools.Words(len(n.yes))
	}
	return fmt.Sprintf("Yes, %s%s are %s.", every, n.where, n.is)
}

// exceptions tells how those are that are not so, the like together.
func (n *answer) exceptions() string {
	var parts []string
	names := map[string][]string{}
	for i, how := range n.wrong {
		names[how] = append(names[how], n.no[i])
	}
	for _, how := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, say(names[how], how))
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
		parts = append(parts, "I do not know how "+say(n.silent, ""))
	}
	switch text := tools.Sentence(tools.Join(parts)) + "."; {
	case parts == nil:
		return ""
	case alone:
		return "I cannot tell. " + text
	default:
		return text
	}
}

// told reports whether a device has said how it is.
func (e *Entity) told() bool {
	now, mode := e.State[Main], e.State[Mode]
	return now != nil && now != "" && now != "unknown" || mode != nil && mode != ""
}

// say says of devices how they are.
func say(names []string, how string) string {
	verb := "are"
	if len(names) == 1 {
		verb = is(names[0])
	}
	return strings.TrimSpace(tools.Join(names) + " " + verb + " " + how)
}
