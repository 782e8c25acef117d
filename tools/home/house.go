package home

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// house is what people can speak of: the devices with the words for them. The words are
// made when a device is new or called otherwise; the states are those of one moment.
type house struct {
	things []thing
	words  map[string]bool // every word, singular
}

// thing is a device and the words for it.
type thing struct {
	*Entity
	*naming
}

// naming are the words for a device, singular.
type naming struct {
	of     Entity
	names  []name
	words  []string   // of all names
	places [][]string // its area and floors, with what else they are called
	kinds  []string
	like   []string // kinds that it goes by where nothing else is called so
	spoken string
}

// name is one way to call a device.
type name struct {
	words  []string
	plural bool
	bare   bool // it says no more than the kind does
}

func newNaming(e *Entity) *naming {
	n := &naming{of: *e, spoken: e.Spoken()}
	n.of.State = nil
	n.kinds, n.like = e.calledBy()
	for _, text := range append([]string{cmp.Or(e.Name, e.Device), e.full()}, e.Aliases...) {
		if words := tokens(text); len(words) > 0 {
			plain := !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(n.kinds, singular(w)) })
			n.names = append(n.names, name{singulars(words), plural(words[len(words)-1]), plain})
			n.words = append(n.words, singulars(words)...)
		}
	}
	for _, place := range slices.Concat([]string{e.Area}, e.AreaAliases, e.Floors) {
		if words := tokens(place); len(words) > 0 {
			n.places = append(n.places, singulars(words))
		}
	}
	return n
}

// calls are the ways to call a device and its places.
func (n *naming) calls() [][]string {
	all := slices.Clone(n.places)
	for _, called := range n.names {
		all = append(all, called.words)
	}
	return all
}

func (n *naming) holds(e *Entity) bool {
	o := &n.of
	return o.Name == e.Name && o.Device == e.Device && o.Area == e.Area && o.Kind == e.Kind && o.Class == e.Class &&
		slices.Equal(o.Aliases, e.Aliases) && slices.Equal(o.AreaAliases, e.AreaAliases) && slices.Equal(o.Floors, e.Floors)
}

// update takes the devices as they are now.
func (h *house) update(all []Entity, floors map[string][]string) *house {
	before := make(map[string]int, len(h.things))
	for i := range h.things {
		before[h.things[i].ID] = i
	}
	now, same := &house{make([]thing, len(all)), h.words}, len(all) == len(h.things)
	for i := range all {
		e := &all[i]
		for _, floor := range slices.Sorted(maps.Keys(floors)) {
			if slices.ContainsFunc(floors[floor], func(a string) bool { return e.Area != "" && strings.EqualFold(a, e.Area) }) {
				e.Floors = append(slices.Clip(e.Floors), floor)
			}
		}
		at, known := before[e.ID]
		switch {
		case known && h.things[at].holds(e) && same:
			now.things[at] = thing{e, h.things[at].naming}
		default:
			same = false
		}
	}
	if !same {
		now.name(all, h, before)
	}
	return now
}

// name makes the words for the devices, as far as those of before do not hold.
func (h *house) name(all []Entity, old *house, before map[string]int) {
	h.words = maps.Clone(kindWord)
	for i := range all {
		t := thing{Entity: &all[i]}
		if at, known := before[t.ID]; known && old.things[at].holds(t.Entity) {
			t.naming = old.things[at].naming
		} else {
			t.naming = newNaming(t.Entity)
		}
		h.things[i] = t
		for _, list := range append([][]string{t.words, t.kinds}, t.places...) {
			for _, w := range list {
				h.words[w] = true
			}
		}
	}
	slices.SortFunc(h.things, func(a, b thing) int { return cmp.Or(cmp.Compare(a.spoken, b.spoken), cmp.Compare(a.ID, b.ID)) })
}

// hasArea reports whether a room is called so.
func (h *house) hasArea(area string) bool {
	return slices.ContainsFunc(h.things, func(t thing) bool { return strings.EqualFold(t.Area, area) })
}

// heard gives the words of a phrase as the house has them, each with the words that it may
// be: one that the house does not know may be two of its, half of one, or misheard.
func (h *house) heard(words []string) [][]string {
	var out [][]string
	for i := 0; i < len(words); i++ {
		w := singular(words[i])
		next := ""
		if i+1 < len(words) {
			next = singular(words[i+1])
		}
		switch {
		case next != "" && h.words[w+next] && !(h.words[w] && h.words[next]):
			out = append(out, []string{w + next})
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
	best := 0.0
	var words []string
	for known := range h.words {
		switch s := alike(w, known); {
		case s == 0 || s < best:
		case s > best:
			best, words = s, []string{known}
		default:
			words = append(words, known)
		}
	}
	if words == nil {
		return [][]string{{w}}
	}
	return [][]string{words}
}

func singulars(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = singular(w)
	}
	return out
}
