package meaning

import (
	"slices"
	"strings"

	"hearthd/tools/home"
)

// query is what a person said to name devices.
type query struct {
	words  [][]string // each with the words that it may be
	area   [][]string
	near   []string // the room of the box: devices there come first
	plural bool     // the last word is
	many   bool     // every one that fits is meant
	every  bool     // and it was said like that: no single name or room takes it over
	some   bool     // one or a few of those that fit are meant

	nowhere   bool // there is no place that is called like the area
	onlyPlace bool // the words are those of a place, and of no device in it
}

// ask makes the query of a name, a place and the room of the box.
func (h *House) ask(name, area, room string) query {
	q := query{area: h.heard(h.tokens(area)), near: home.Singulars(h.tokens(room))}
	var words []string
	said := h.tokens(name)
	if q.some = h.counts(said); q.some {
		said = said[1:]
	}
	for _, w := range said {
		many := home.Many(w)
		house := w == "house" && !h.calls(w, home.Singular(said[len(said)-1])) // the house lights
		if q.many, q.every = q.many || many != "", q.every || many == "all" || house; many == "" && !house {
			words = append(words, w)
		}
	}
	if n := len(words); n == 2 && h.isThisRoom(words[0], words[1]) {
		words = words[1:] // "the room lights" are not those of the living room
	}
	q.words = h.heard(words)
	if n := len(words); n > 0 && home.Plural(words[n-1]) {
		q.plural, q.many = true, q.many || home.IsKind(words[n-1])
	}
	q.nowhere = len(q.area) > 0 && !h.has(func(t *thing) bool {
		return slices.ContainsFunc(q.area, func(w []string) bool { return t.is(w)&ofPlace != 0 })
	})
	q.onlyPlace = len(q.words)+len(q.area) > 0 && h.has(func(t *thing) bool {
		away := slices.ContainsFunc(q.words, func(w []string) bool { return t.is(w)&ofPlace == 0 })
		return !away && q.saysPlaceOf(t)
	})
	return q
}

// isThisRoom reports whether a word in front of a kind is only "room", and no device or room is called so.
func (h *House) isThisRoom(w, kind string) bool {
	return slices.Contains(home.Words("words", "owned"), w) && slices.Contains(home.Words("place", "here"), w) &&
		home.IsKind(kind) && !h.has(func(t *thing) bool {
		return slices.ContainsFunc(t.names, func(n name) bool { return n.words[0] == w }) ||
			slices.ContainsFunc(t.places, func(p []string) bool { return len(p) == 1 && p[0] == w })
	})
}

// counts reports whether a name begins with a number of devices: "two lights" are not light 2.
func (h *House) counts(said []string) bool {
	n := len(said)
	if n < 2 || !home.IsNumber(said[0]) || !home.Plural(said[n-1]) || !home.IsKind(said[n-1]) {
		return false
	}
	begins := func(words []string) bool { return len(words) > 1 && slices.Equal(words[:2], home.Singulars(said[:2])) }
	return !h.has(func(t *thing) bool {
		named := slices.ContainsFunc(t.names, func(n name) bool { return begins(n.words) })
		return named || slices.ContainsFunc(t.places, begins)
	})
}

// calls reports whether any device has both words.
func (h *House) calls(w, kind string) bool {
	return h.has(func(t *thing) bool { return t.roles[w]&ofName != 0 && t.roles[kind]&(ofName|ofItsKind) != 0 })
}

// nothing reports whether a person named nothing.
func (q *query) nothing() bool { return len(q.words) == 0 && len(q.area) == 0 && !q.many }

// head is what the last word may be: the word for the thing.
func (q *query) head() []string {
	if len(q.words) == 0 {
		return nil
	}
	return q.words[len(q.words)-1]
}

// says reports whether all of some words were said, and any of them in the name.
func (q *query) says(words []string) (all, any bool) {
	in := func(list [][]string, w string) bool {
		return slices.ContainsFunc(list, func(said []string) bool { return slices.Contains(said, w) })
	}
	for _, w := range words {
		named := in(q.words, w)
		if any = any || named; !named && !in(q.area, w) {
			return false, false
		}
	}
	return true, any
}

// saysPlaceOf reports whether a whole name of a device's place, or a label of it, was said.
func (q *query) saysPlaceOf(t *thing) bool { return q.saysOne(t.places) || q.saysOne(t.labels) }

// saysOne reports whether all words of one of some names were said.
func (q *query) saysOne(names [][]string) bool {
	return slices.ContainsFunc(names, func(n []string) bool { all, _ := q.says(n); return all })
}

// saysLabel reports whether a label was said, which is no place.
func (q *query) saysLabel(h *House) bool {
	return h.has(func(t *thing) bool { return q.saysOne(t.labels) }) &&
		!h.has(func(t *thing) bool { return q.saysOne(t.places) })
}

// maxParts bounds the devices and areas that are named one by one.
const maxParts = 8

// joining stands between them.
var joining = func() *strings.Replacer {
	pairs := []string{"&", ","}
	for _, w := range home.Words("words", "joining") {
		pairs = append(pairs, " "+w+" ", ",")
	}
	return strings.NewReplacer(pairs...)
}()

// enumerated cuts "kitchen, hall and bedroom" into its parts; one part is none.
func enumerated(s string) (parts []string) {
	for p := range strings.SplitSeq(joining.Replace(strings.ToLower(s)), ",") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) < 2 || len(parts) > maxParts {
		return nil
	}
	return parts
}
