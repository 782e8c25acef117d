package timer

import (
	"cmp"
	"slices"
	"strings"

	"hearthd/tools"
)

// cleanLabel removes the words around a label: "the Pasta timer".
func (t *Timers) cleanLabel(label string) string {
	words, before, after := strings.Fields(label), t.words("timer.before"), t.words("timer.after")
	for len(words) > 0 && slices.Contains(before, strings.ToLower(words[0])) {
		words = words[1:]
	}
	for len(words) > 0 && slices.Contains(after, strings.ToLower(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// key is a label in the form in which labels are compared: without case, hyphens and plurals. It is empty for tools.It.
func (t *Timers) key(label string) string {
	if label == tools.It {
		return ""
	}
	words := strings.Fields(strings.ToLower(t.cleanLabel(strings.ReplaceAll(label, "-", " "))))
	ending := t.Book.Part("timer.ending")
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, ending)
		}
	}
	return strings.Join(words, " ")
}

// match lists the timers that a label means: those with that name, or else those whose name
// has all of its words. No label means all, and so does the room of the box where nothing is called so. The first, the
// second and the last are those that end so, where nothing is called so.
func (t *Timers) match(list []entry, label string) []entry {
	want := t.key(label)
	if want == "" {
		return t.it(list, label)
	}
	var same, similar []entry
	for _, e := range list {
		if t.key(t.name(e.Timer)) == want {
			same = append(same, e)
		}
		if t.named(e.Timer, label) {
			similar = append(similar, e)
		}
	}
	if len(same) > 0 {
		return same
	}
	place := slices.IndexFunc(t.words("timer.places"), func(w string) bool { return t.key(w) == want })
	if want == t.key(t.Book.Part("timer.last")) {
		place = len(list) - 1
	}
	if place >= 0 && place < len(list) && len(similar) == 0 {
		byEnd := slices.Clone(list)
		slices.SortStableFunc(byEnd, func(a, b entry) int { return cmp.Compare(a.left(), b.left()) })
		return byEnd[place : place+1]
	}
	if len(similar) == 0 && t.Area != "" && want == t.key(t.Area) {
		return list
	}
	return similar
}

// it is those of list that were spoken of last, if label means them and there are any.
func (t *Timers) it(list []entry, label string) []entry {
	last := t.recent.Get()
	other := func(e entry) bool { return !slices.Contains(last, e.ID) }
	if some := slices.DeleteFunc(slices.Clone(list), other); label == tools.It && len(some) > 0 {
		return some
	}
	return list
}

// but is list without those that a label means.
func (t *Timers) but(list []entry, label string) []entry {
	if t.key(label) == "" {
		return list
	}
	stay := ids(t.match(slices.Clone(list), label))
	return slices.DeleteFunc(list, func(e entry) bool { return slices.Contains(stay, e.ID) })
}

// named reports whether the name of e has all words of label.
func (t *Timers) named(e Timer, label string) bool {
	have := strings.Fields(t.key(t.name(e)))
	return !slices.ContainsFunc(strings.Fields(t.key(label)), func(w string) bool { return !slices.Contains(have, w) })
}

// alike reports whether all timers have the same name.
func (t *Timers) alike(list []entry) bool {
	return !slices.ContainsFunc(list, func(e entry) bool { return t.key(t.name(e.Timer)) != t.key(t.name(list[0].Timer)) })
}

// of is those of a kind.
func of(list []entry, kind Kind) []entry {
	return slices.DeleteFunc(list, func(e entry) bool { return e.Kind != kind })
}

// Has reports whether there is a timer that label means, or one that rings.
func (t *Timers) Has(label string) bool {
	return len(t.match(of(t.snapshot(), Countdown), label)) > 0 || len(t.ringing(label, Countdown, nil)) > 0
}

// Same reports whether two labels mean the same.
func (t *Timers) Same(a, b string) bool { return t.key(a) == t.key(b) }

// among are those of list with these ids, in their order.
func among(list []entry, ids []int64) (those []entry) {
	for _, id := range ids {
		if at := index(list, id); at >= 0 {
			those = append(those, list[at])
		}
	}
	return those
}
