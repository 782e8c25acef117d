package lang

import (
	"slices"
	"strings"
)

// vocabulary is the names of one kind. It does not change.
type vocabulary struct {
	exact  Phrases[string]
	firsts []string          // the first words of names, folded
	forms  map[int][]form    // by number of words
	joined []joined          // sorted
	short  map[string]string // by the first part of a compound: the Einhorn of an Einhornlampe; "": of two
	said   []string          // for a grammar, sorted
}

// form is a name as it sounds.
type form struct {
	first  int      // of firsts
	rest   []string // the other words, folded
	value  string
	itself bool   // the value itself is the form
	last   string // its last word as it is written
}

// joined is a name without the spaces between its words, folded.
type joined struct{ text, value string }

// seal sorts the joined names; the last of equal ones counts.
func (v *vocabulary) seal() {
	slices.Reverse(v.joined)
	slices.SortStableFunc(v.joined, func(a, b joined) int { return strings.Compare(a.text, b.text) })
	v.joined = slices.CompactFunc(v.joined, func(a, b joined) bool { return a.text == b.text })
}

// joinedAs is the name that text is without its spaces, or "", and whether names begin with text.
func (v *vocabulary) joinedAs(text string) (value string, begins bool) {
	k, is := slices.BinarySearchFunc(v.joined, text,
		func(j joined, text string) int { return strings.Compare(j.text, text) })
	if is {
		value = v.joined[k].value
	}
	return value, k < len(v.joined) && strings.HasPrefix(v.joined[k].text, text)
}
