package intent

import (
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// situation is when something is said.
type situation struct {
	while int    // its place in whiles
	topic string // the tool that the last turn was about; empty: none, or that is long ago
}

// counts reports whether a request may be one of in.
func (s situation) counts(in *intent) bool { return in.while == s.while }

// away is the cost of "it" in a request for another tool than the last turn was about: after "how long is left on the
// pasta", "cancel it" is about the timer. Tools whose names begin alike are about the same, and what nobody sees or hears
// is hardly "it" if nobody spoke of it.
func (m *Matcher) away(f *found, topic string) (cost lang.Cost) {
	of := family(f.intent.tool)
	if of == family(topic) || !m.saysIt(f) {
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

// saysIt reports whether a request says "it" and names nothing of the house. Within any words and before them that is
// something else: "remind me that it rains".
func (m *Matcher) saysIt(f *found) bool {
	if slices.ContainsFunc(f.slots, func(s filled) bool { return slices.Contains(m.words.Topics, s.typ) }) {
		return false
	}
	for i := f.start; i < f.end; i++ {
		words := func(s filled) bool { return s.start <= i+1 && i < s.end && m.lang.Open[s.typ] }
		if m.words.It[f.read[i].Text] && !slices.ContainsFunc(f.slots, words) {
			return true
		}
	}
	return false
}

// family is what the name of a tool begins with.
func family(tool string) string {
	name, _, _ := strings.Cut(tool, "_")
	return name
}
