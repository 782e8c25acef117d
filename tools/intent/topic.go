package intent

import (
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// spokenOf marks what a pattern says only of what was spoken of: "send him home"; with _ and a tool behind it, what it
// says only of what that tool did.
const spokenOf = "spoken"

// away is the cost of "it" in a request for another tool than the last turn was about: after "how long is left on the
// pasta", "cancel it" is about the timer. Tools whose names begin alike are about the same, and what nobody
// sees or hears is hardly "it" if nobody spoke of it.
func (m *Matcher) away(f *found, topic string) (cost lang.Cost) {
	of := family(f.intent.tool)
	if slices.ContainsFunc(f.slots, func(s filled) bool {
		tool, one := strings.CutPrefix(s.typ, spokenOf+"_")
		return one && s.arg == unused && tool != topic
	}) {
		return costNever
	}
	if before := family(topic); of == before || of == m.words.AboutToo[before] {
		return 0
	}
	switch {
	case f.needsTopic():
		return costNever
	case f.intent.tool == nothing && topic != "" && m.words.It.Find(f.read[f.start:f.end]) >= 0:
		return costRemark // "turn it off it is boiling": of what was spoken of, and no pan
	case !m.saysIt(f):
		return 0
	}
	if topic != "" {
		cost = costAway
	}
	if m.words.Unseen[of] {
		cost++
	}
	return cost
}

// needsTopic reports whether a request is only one where its tool was spoken of.
func (f *found) needsTopic() bool {
	return slices.ContainsFunc(f.slots, func(s filled) bool { return s.arg == unused && s.typ == spokenOf })
}

// saysIt reports whether a request says "it" and names nothing of the house, nor in words of any kind. Where
// any few words follow, it is something else too: "add that milk".
func (m *Matcher) saysIt(f *found) bool {
	for _, s := range f.slots {
		if s.typ == lang.FreeText || s.typ == lang.Task || slices.Contains(m.words.Topics, s.typ) {
			return false
		}
	}
	for _, s := range f.slots {
		if s.arg == unused && m.words.It[s.typ] { // it is left out
			return true
		}
	}
	for i := f.start; i < f.end; i++ {
		within := func(s filled) bool { return s.start <= i && i < s.end || s.start == i+1 && m.lang.Open[s.typ] }
		if m.words.It[f.read[i].Text] && !slices.ContainsFunc(f.slots, within) {
			return true
		}
	}
	return false
}

// goOn marks a request that an "and" joins to the last turn, if that was about the same: what it names without a place
// is first looked for where that was, "and the blind down".
func (m *Matcher) goOn(f *found, topic string) {
	same := family(topic) == family(f.intent.tool) || topic == answers // the question whether to open something
	named := slices.ContainsFunc(f.slots, func(s filled) bool { return s.arg == "name" })
	if same && named && !slices.ContainsFunc(f.slots, func(s filled) bool { return s.arg == "area" }) {
		f.slots = append(f.slots, filled{arg: "and", value: true})
	}
}

// joinsOn reports whether toks begin with an "and", with words around it that are part of no request.
func (m *Matcher) joinsOn(toks []lang.Token) bool {
	for i := 0; i < len(toks); {
		if m.lang.Joins.Skip(toks, i) > i {
			return true
		}
		end := m.before.Skip(toks, i)
		if end == i {
			return false
		}
		i = end
	}
	return false
}

// family is what the name of a tool begins with.
func family(tool string) string {
	name, _, _ := strings.Cut(tool, "_")
	return name
}
