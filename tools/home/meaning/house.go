package meaning

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hearthd/tools/home"
)

// House is everything that people can talk about: the devices with the words for them. The words
// are made when a device is new or renamed; the states are those of one moment.
type House struct {
	things []thing
	named  map[string]*naming // by ID
	words  map[string]bool    // every word, singular
	Situation
}

// Situation is what a call means beside its words.
type Situation struct {
	Room   string                  // of the box; may be empty
	Spoken []string                // IDs of the devices that were spoken of last
	Before []string                // and before these
	Place  string                  // the room that was; empty: none, or several were
	WasOn  func(*home.Entity) bool // whether the last orders have switched a device off
}

// thing is a device and the words for it.
type thing struct {
	*home.Entity
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
	of     home.Entity
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

func newNaming(e *home.Entity) *naming {
	n := &naming{of: *e, spoken: e.Spoken(), roles: map[string]role{}}
	n.of.State = nil
	put := func(words []string, r role) {
		for _, w := range words {
			n.roles[w] |= r
		}
	}
	kinds, like := e.CalledBy()
	put(kinds, ofItsKind)
	put(like, likeIt)
	for i, text := range append([]string{cmp.Or(e.Name, e.Device), e.Full()}, e.Aliases...) {
		if said := home.Tokens(text); len(said) > 0 {
			words, many, alias := home.Singulars(said), home.Plural(said[len(said)-1]), i > 1
			named := slices.ContainsFunc(words, func(w string) bool { return n.roles[w]&ofItsKind == 0 })
			n.names = append(n.names, name{words, many, !named && !(alias && !many)})
		}
	}
	for _, called := range n.names {
		put(called.words, ofName)
	}
	for _, place := range slices.Concat(e.AreaNames(), e.Floors) {
		if words := home.Singulars(home.PlaceWords(place)); len(words) > 0 {
			n.places = append(n.places, words)
			put(words, ofPlace)
		}
	}
	for _, label := range e.Labels {
		words := home.Singulars(home.PlaceWords(label))
		if slices.ContainsFunc(words, func(w string) bool { return !home.IsPlain(w) }) {
			n.labels = append(n.labels, words)
			put(words, ofPlace)
		}
	}
	return n
}

// tokens are those of a phrase, in which a filler that is a name here is none.
func (h *House) tokens(phrase string) []string { return home.TokensBut(phrase, h.words) }

// is returns what any of some words says about the device.
func (n *naming) is(alternatives []string) (r role) {
	for _, w := range alternatives {
		r |= n.roles[w]
	}
	return r
}

func (n *naming) holds(e *home.Entity) bool {
	o := &n.of
	return o.Name == e.Name && o.Device == e.Device && o.Area == e.Area && o.Kind == e.Kind && o.Class == e.Class &&
		slices.Equal(o.Aliases, e.Aliases) && slices.Equal(o.AreaAliases, e.AreaAliases) &&
		slices.Equal(o.Floors, e.Floors) && slices.Equal(o.Labels, e.Labels)
}

// Update takes the devices as they are now.
func (h *House) Update(all []home.Entity, floors map[string][]string, s Situation) *House {
	now := &House{make([]thing, len(all)), make(map[string]*naming, len(all)), h.words, s}
	same, level := len(all) == len(h.things), home.Storeys(all)
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
		if home.Mentions(home.Tokens(e.Area), home.Words("words", "outside")) {
			e.Floors = append(slices.Clip(e.Floors), "outside")
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
		now.words = home.KindWords()
		for _, n := range now.named {
			for w := range n.roles {
				now.words[w] = true
			}
		}
	}
	return now
}

// Among is the house with nothing but some of its devices, in that order.
func (h *House) Among(ids []string) *House {
	some := &House{words: h.words}
	for _, id := range ids {
		if i := slices.IndexFunc(h.things, func(t thing) bool { return t.ID == id }); i >= 0 {
			some.things = append(some.things, h.things[i])
		}
	}
	return some
}

// Entities are its devices.
func (h *House) Entities() []home.Entity { return h.those(func(*thing) bool { return true }) }

// those are the devices for which that holds.
func (h *House) those(so func(*thing) bool) (found []home.Entity) {
	for i := range h.things {
		if t := &h.things[i]; so(t) {
			found = append(found, *t.Entity)
		}
	}
	return found
}

// has reports whether that holds for any thing.
func (h *House) has(so func(*thing) bool) bool {
	return slices.ContainsFunc(h.things, func(t thing) bool { return so(&t) })
}

// heard returns the words of a phrase as the house knows them, each with the words that it may be:
// a word that the house does not know may be two of its words, half of one, or misheard. Of several, one at least is
// known or sounds so: the heated seats are no heaters.
func (h *House) heard(words []string) (out [][]string) {
	words = home.Singulars(words)
	known := len(words) < 2
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case i+1 < len(words) && h.words[w+words[i+1]] && !(h.words[w] && h.words[words[i+1]]):
			out, known = append(out, []string{w + words[i+1]}), true
			i++
		case h.words[w]:
			out, known = append(out, []string{w}), true
		case h.called(w) != nil:
			out, known = append(out, h.called(w)), true
		default:
			parts := h.misheard(w)
			out, known = append(out, parts...), known || len(parts) > 1 || home.Alike(w, parts[0][0]) >= home.SameSound
		}
	}
	if !known {
		out = nil
		for _, w := range words {
			out = append(out, []string{w})
		}
	}
	return out
}

// called are the words of the house for which people say one that it does not know: a coffee maker is a machine.
func (h *House) called(w string) (words []string) {
	for _, same := range home.Same(w) {
		if h.words[same] {
			words = append(words, same)
		}
	}
	return words
}

// misheard gives the words that a word which the house does not know may be.
func (h *House) misheard(w string) [][]string {
	for i := 3; i <= len(w)-3; i++ {
		if h.words[w[:i]] && h.words[w[i:]] {
			return [][]string{{w[:i]}, {w[i:]}}
		}
	}
	best, words := 0.0, []string{w}
	for known := range h.words {
		if s := home.Alike(w, known); s > best {
			best, words = s, []string{known}
		} else if s == best && s > 0 {
			words = append(words, known)
		}
	}
	return [][]string{words}
}
