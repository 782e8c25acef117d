package home

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// house is everything that people can talk about: the devices with the words for them. The words
// are made when a device is new or renamed; the states are those of one moment.
type house struct {
	things []thing
	named  map[string]*naming // by ID
	words  map[string]bool    // every word, singular
}

// thing is a device and the words for it.
type thing struct {
	*Entity
	*naming
}

// role is what a word says about a device.
type role uint8

const (
	ofItsKind role = 1 << iota // or its class
	likeIt                     // a kind that it counts as where no device has that kind itself
	ofPlace
	ofName
)

// naming are the words for a device, singular.
type naming struct {
	of     Entity
	roles  map[string]role
	names  []name
	places [][]string // its area and floors, with what else they are called
	labels [][]string // but not those that only name a kind
	spoken string
}

// name is one way to call a device.
type name struct {
	words  []string
	plural bool
	bare   bool // it says no more than the kind does, and is no alias that the household gave to one device
}

func newNaming(e *Entity) *naming {
	n := &naming{of: *e, spoken: e.Spoken(), roles: map[string]role{}}
	n.of.State = nil
	put := func(words []string, r role) {
		for _, w := range words {
			n.roles[w] |= r
		}
	}
	kinds, like := e.calledBy()
	put(kinds, ofItsKind)
	put(like, likeIt)
	for i, text := range append([]string{cmp.Or(e.Name, e.Device), e.full()}, e.Aliases...) {
		if said := tokens(text); len(said) > 0 {
			words, many, alias := singulars(said), plural(said[len(said)-1]), i > 1
			named := slices.ContainsFunc(words, func(w string) bool { return n.roles[w]&ofItsKind == 0 })
			n.names = append(n.names, name{words, many, !named && !(alias && !many)})
		}
	}
	for _, called := range n.names {
		put(called.words, ofName)
	}
	for _, place := range slices.Concat([]string{e.Area}, e.AreaAliases, e.Floors) {
		if words := singulars(placeWords(place)); len(words) > 0 {
			n.places = append(n.places, words)
			put(words, ofPlace)
		}
	}
	for _, label := range e.Labels {
		if words := singulars(placeWords(label)); slices.ContainsFunc(words, func(w string) bool { return !isPlain(w) }) {
			n.labels = append(n.labels, words)
			put(words, ofPlace)
		}
	}
	return n
}

// placeWords are those of a place; one of fillers alone, such as the Den, is called by them.
func placeWords(place string) []string {
	if words := tokens(place); len(words) > 0 {
		return words
	}
	var words []string
	for _, p := range split(place) {
		words = append(words, p.text)
	}
	return words[:min(len(words), maxWords)]
}

// tokens are those of a phrase, in which a filler that is a name here is none.
func (h *house) tokens(phrase string) []string { return compounds(writtenBut(phrase, h.words)) }

// is returns what any of some words says about the device.
func (n *naming) is(alternatives []string) (r role) {
	for _, w := range alternatives {
		r |= n.roles[w]
	}
	return r
}

func (n *naming) holds(e *Entity) bool {
	o := &n.of
	return o.Name == e.Name && o.Device == e.Device && o.Area == e.Area && o.Kind == e.Kind && o.Class == e.Class &&
		slices.Equal(o.Aliases, e.Aliases) && slices.Equal(o.AreaAliases, e.AreaAliases) &&
		slices.Equal(o.Floors, e.Floors) && slices.Equal(o.Labels, e.Labels)
}

// update takes the devices as they are now.
func (h *house) update(all []Entity, floors map[string][]string) *house {
	now := &house{make([]thing, len(all)), make(map[string]*naming, len(all)), h.words}
	same, level := len(all) == len(h.things), storeys(all)
	for i := range all {
		e := &all[i]
		for _, floor := range e.Floors {
			if s := level[strings.ToLower(floor)]; s != "" {
				e.Floors = append(slices.Clip(e.Floors), s)
			}
		}
		for _, floor := range slices.Sorted(maps.Keys(floors)) {
			if e.Area != "" && slices.ContainsFunc(floors[floor], func(a string) bool { return strings.EqualFold(a, e.Area) }) {
				e.Floors = append(slices.Clip(e.Floors), floor)
			}
		}
		n := h.named[e.ID]
		if n == nil || !n.holds(e) {
			n, same = newNaming(e), false
		}
		now.things[i], now.named[e.ID] = thing{e, n}, n
	}
	slices.SortFunc(now.things, func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.spoken, b.spoken), cmp.Compare(a.ID, b.ID))
	})
	if !same {
		now.words = maps.Clone(kindWord)
		for _, n := range now.named {
			for w := range n.roles {
				now.words[w] = true
			}
		}
	}
	return now
}

// storeys tells which floors are upstairs and downstairs, by their names, where the house itself does not say it. A
// first floor is upstairs where there is a ground floor.
func storeys(all []Entity) map[string]string {
	level, ground := map[string]string{}, false
	for i := range all {
		for _, floor := range all[i].Floors {
			floor = strings.ToLower(floor)
			if lexicon["storey"][floor] != nil {
				return nil
			}
			level[floor] = storeyWord[floor]
			ground = ground || level[floor] == "downstairs"
		}
	}
	for floor, s := range level {
		if s == "first" {
			level[floor] = map[bool]string{true: "upstairs", false: "downstairs"}[ground]
		}
	}
	return level
}

// has reports whether that holds for any thing.
func (h *house) has(so func(*thing) bool) bool {
	return slices.ContainsFunc(h.things, func(t thing) bool { return so(&t) })
}

// heard returns the words of a phrase as the house knows them, each with the words that it may be:
// a word that the house does not know may be two of its words, half of one, or misheard.
func (h *house) heard(words []string) (out [][]string) {
	words = singulars(words)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case i+1 < len(words) && h.words[w+words[i+1]] && !(h.words[w] && h.words[words[i+1]]):
			out = append(out, []string{w + words[i+1]})
			i++
		case h.words[w]:
			out = append(out, []string{w})
		default:
			out = append(out, h.misheard(w)...)
		}
	}
	return out
}

// misheard gives the words that a word which the house does not know may be.
func (h *house) misheard(w string) [][]string {
	for i := 3; i <= len(w)-3; i++ {
		if h.words[w[:i]] && h.words[w[i:]] {
			return [][]string{{w[:i]}, {w[i:]}}
		}
	}
	best, words := 0.0, []string{w}
	for known := range h.words {
		if s := alike(w, known); s > best {
			best, words = s, []string{known}
		} else if s == best && s > 0 {
			words = append(words, known)
		}
	}
	return [][]string{words}
}
