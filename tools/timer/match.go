package timer

import (
	"slices"
	"strings"
)

// around are words that people say before and after a label: "the Pasta timer".
var around = struct{ before, after []string }{
	before: []string{"the", "my", "our", "a", "an"},
	after:  []string{"timer", "timers", "alarm", "alarms", "reminder", "reminders"},
}

// cleanLabel removes the words around a label.
func cleanLabel(label string) string {
	words := strings.Fields(label)
	for len(words) > 0 && slices.Contains(around.before, strings.ToLower(words[0])) {
		words = words[1:]
	}
	for len(words) > 0 && slices.Contains(around.after, strings.ToLower(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// key is a label in the form in which labels are compared: without case, hyphens and plurals.
func key(label string) string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(cleanLabel(label), "-", " ")))
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(words, " ")
}

// match lists the timers that a label means: those with that name, or else those whose name
// has all of its words. No label means all. First and last are those that end
// first and last, where nothing is called so.
func match(list []entry, label string) []entry {
	want := key(label)
	if want == "" {
		return list
	}
	var same, similar []entry
	for _, e := range list {
		if key(name(e.Timer)) == want {
			same = append(same, e)
		}
		if named(e.Timer, label) {
			similar = append(similar, e)
		}
	}
	if len(same) > 0 {
		return same
	}
	if first, is := orders[want]; is && len(similar) == 0 && len(list) > 0 {
		end := list[0]
		for _, e := range list {
			if first == (e.left() < end.left()) && e.left() != end.left() {
				end = e
			}
		}
		return []entry{end}
	}
	return similar
}

// orders are what a timer is called by its place among those that run: true for the one that
// ends first.
var orders = map[string]bool{"first": true, "last": false}

// but is list without those that a label means.
func but(list []entry, label string) []entry {
	if key(label) == "" {
		return list
	}
	stay := ids(match(slices.Clone(list), label))
	return slices.DeleteFunc(list, func(e entry) bool { return slices.Contains(stay, e.ID) })
}

// named reports whether the name of t has all words of label.
func named(t Timer, label string) bool {
	have := strings.Fields(key(name(t)))
	return !slices.ContainsFunc(strings.Fields(key(label)), func(w string) bool { return !slices.Contains(have, w) })
}

// alike reports whether all timers have the same name.
func alike(list []entry) bool {
	return !slices.ContainsFunc(list, func(e entry) bool { return key(name(e.Timer)) != key(name(list[0].Timer)) })
}

// of is those of a kind.
func of(list []entry, kind Kind) []entry {
	return slices.DeleteFunc(list, func(e entry) bool { return e.Kind != kind })
}

// Has reports whether there is a timer that label means.
func (t *Timers) Has(label string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(match(t.entries, label)) > 0
}

// Same reports whether two labels mean the same.
func Same(a, b string) bool { return key(a) == key(b) }
