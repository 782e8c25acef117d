package meaning

import (
	"cmp"
	"slices"
	"strings"

	"hearthd/tools/home"
)

// tier is how well a device fits what was said, the best first.
type tier int

const (
	called  tier = iota // by the whole of a name
	ofKind              // by its kind, and by nothing else but its place
	partly              // by some words of its names
	isThere             // by its place
)

// hit is a device that fits a query.
type hit struct {
	*thing
	tier  tier
	long  int  // words of the name that was said
	head  bool // it is of the kind that the last word names, or is called by it
	there bool // the whole of its place was said
	leans bool // it fits only by words of its place
	like  bool // it is only similar to what was said
	other bool // its own name says another word for its kind, and is no synonym of what was said: a hood is a fan
}

// fit rates how a device fits; ok is false where a word does not fit it at all.
func (q *query) fit(t *thing) (f hit, ok bool) {
	f = hit{thing: t, long: q.longest(t), head: t.is(q.head())&(ofItsKind|likeIt) != 0}
	kind, other, named := false, false, false
	for _, w := range q.words {
		is := t.is(w)
		switch {
		case is == 0 && q.lights(t, w):
			kind, f.like = true, true
			continue
		case is == 0:
			return f, false
		case is&ofItsKind != 0:
			kind = true
		case is&likeIt != 0:
			kind, f.like = true, f.like || is&ofName == 0 // it is called so, whatever its class
		case is&ofPlace != 0:
			f.leans = f.leans || is&ofName == 0
		default:
			other = true
		}
		named = named || is&ofName != 0
	}
	inside, away, ok := q.areaOf(t)
	if !ok {
		return f, false
	}
	f.leans = f.leans || inside
	f.there = q.saysPlaceOf(t)
	f.other = kind && !q.headed(f) && q.calledApart(t)
	f.tier = q.tierOf(f.long, kind && !other, named)
	return f, q.mayMean(&f) && !(away && !q.nowhere && len(t.places) > 0 && f.long == 0)
}

// tierOf rates a fit by the strongest of what was said of a device: a whole name of it, nothing but its kind, a part of
// its name, or only its place.
func (q *query) tierOf(long int, onlyKind, named bool) tier {
	switch {
	case long > 0:
		return called
	case onlyKind:
		return ofKind
	case named && !q.onlyPlace:
		return partly
	}
	return isThere
}

// lights reports whether a word means a switch as the lights of a label that was said: most plugs that are labelled
// Christmas have a chain of lights.
func (q *query) lights(t *thing, word []string) bool {
	return t.Kind == home.Switch && home.Has(home.Light.Words(), word) && q.saysOne(t.labels)
}

// areaOf reports whether the words of the area fit a device: inside if one is of its place, away if
// one is only of its name.
func (q *query) areaOf(t *thing) (inside, away, ok bool) {
	for _, w := range q.area {
		is := t.is(w)
		if is&(ofPlace|ofName) == 0 {
			return false, false, false
		}
		inside, away = inside || is&ofPlace != 0, away || is&ofPlace == 0
	}
	return inside, away, true
}

// calledApart reports whether the name of a device has another word for its kind, which was not said.
func (q *query) calledApart(t *thing) bool {
	return slices.ContainsFunc(home.Words("apart", string(t.Kind)), func(w string) bool {
		said := func(words []string) bool { return slices.Contains(words, w) }
		return t.roles[w]&ofName != 0 && !slices.ContainsFunc(q.words, said)
	})
}

// sorted reports whether the last word is for a sort of a kind, and is in the name of the device, or another
// word for it: among lights, "lamp" means those that are called so, and the AC is the air conditioner.
func (q *query) sorted(f hit) bool {
	named := func(w string) bool { return f.is(home.Same(w))&ofName != 0 }
	return home.Has(home.Words("words", "sort"), q.head()) && (q.headed(f) || slices.ContainsFunc(q.head(), named))
}

// longest counts the words of the longest name of a device that was said. A word for its
// kind is none, and where several are meant the name of one is not theirs.
func (q *query) longest(t *thing) (most int) {
	for _, n := range t.names {
		if n.bare && (len(n.words) == 1 || q.plural || q.many) || q.every || q.many && !n.plural {
			continue
		}
		if all, any := q.says(n.words); all && any {
			most = max(most, len(n.words))
		}
	}
	return most
}

// headed reports whether the last word belongs to a name of the device.
func (q *query) headed(f hit) bool { return f.is(q.head())&ofName != 0 }

// exactly reports whether a device has exactly the name that was said.
func (q *query) exactly(t *thing) bool {
	return slices.ContainsFunc(t.names, func(n name) bool {
		all, any := q.says(n.words)
		return all && any && len(n.words) == len(q.words)
	})
}

// isWhole reports whether what was said is the whole name of a device, and no more.
func (q *query) isWhole(e *home.Entity) bool {
	return slices.ContainsFunc(append([]string{e.Full()}, e.Aliases...), func(name string) bool {
		return slices.EqualFunc(home.Singulars(home.Tokens(name)), q.words, func(w string, said []string) bool {
			return slices.Contains(said, w)
		})
	})
}

// mayMean reports whether a device is of the kind that was named. Among covers the class decides;
// among others what the last word says, except for kinds that may be anything by their names. A
// lamp on a "Ceiling fan" is no fan.
func (q *query) mayMean(f *hit) bool {
	if len(q.words) == 0 || f.head {
		return true
	}
	cover := func(w []string) bool { return slices.ContainsFunc(w, home.IsCoverWord) }
	if f.Kind == home.Cover {
		of := slices.ContainsFunc(q.words, func(w []string) bool { return cover(w) || home.Has(home.Cover.Words(), w) })
		is := func(w []string) bool { return f.is(w)&(ofItsKind|likeIt) != 0 }
		return !of || slices.ContainsFunc(q.words, is) || q.exactly(f.thing)
	}
	kind := func(w string) bool { return home.IsKindWord(w) && !slices.Contains(home.Switch.Words(), w) }
	head := slices.ContainsFunc(q.head(), kind)
	shows := f.Kind == home.Sensor || f.Kind == home.BinarySensor && cover(q.head())
	return !head || f.long > 0 || f.Kind == home.Switch || shows || !q.many && f.Kind.IsAnything() || q.exactly(f.thing)
}

// find returns the devices that a query means, among those that suit, and whether all of them are
// meant: otherwise the person must choose. light says that the light of a place means all of its
// lights, and that an uncountable word (German: mach das Licht aus) means all that is near.
func (h *House) find(q query, light bool, suits func(*home.Entity) bool) (found []home.Entity, all bool) {
	unknown := func(w []string) bool { return !h.words[w[0]] } // nothing here is called so
	if q.nothing() || slices.ContainsFunc(q.words, unknown) || slices.ContainsFunc(q.area, unknown) {
		return nil, false
	}
	var hits []hit
	for i := range h.things {
		if f, ok := q.fit(&h.things[i]); ok && suits(f.Entity) {
			hits = append(hits, f)
		}
	}
	hits, all = q.best(hits)
	if light && len(hits) > 1 && hits[0].tier == ofKind && home.Has(home.Words("words", "mass"), q.head()) {
		all = all || len(q.area) > 0 || slices.ContainsFunc(hits, func(f hit) bool { return f.there })
	}
	if light && len(hits) > 0 && hits[0].tier == ofKind && home.Has(home.Words("words", "uncounted"), q.head()) {
		all = all || slices.ContainsFunc(hits, func(f hit) bool { return f.isNear(q.near) })
	}
	hits = q.nearest(hits, all)
	for _, f := range hits {
		found = append(found, *f.Entity)
	}
	return found, all && !q.some
}

// usual keeps no settings of devices but those that are called so, where there is anything else.
func (q *query) usual(hits []hit) []hit {
	use := func(f hit) bool { return f.Category == "" }
	if !slices.ContainsFunc(hits, use) {
		return hits
	}
	return home.Prefer(hits, func(f hit) bool { return use(f) || f.tier == called && !q.many })
}

// best keeps those that fit best, and reports whether all of them are meant.
func (q *query) best(hits []hit) (_ []hit, many bool) {
	if hits = q.usual(hits); len(hits) == 0 || len(q.words) == 0 {
		return hits, q.many
	}
	order := func(a, b hit) int { return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.long, a.long)) }
	first := slices.MinFunc(hits, order)
	many = q.many || q.plural && first.tier != isThere && !slices.ContainsFunc(hits, func(f hit) bool {
		return f.tier == first.tier && slices.ContainsFunc(f.names, func(n name) bool { return n.plural })
	})
	hits = q.closest(hits, first)
	if slices.ContainsFunc(hits, func(f hit) bool { return f.Kind == home.Cover && !f.like }) {
		hits = home.Prefer(hits, func(f hit) bool { return f.Kind != home.Cover || !f.like })
	}
	hits = home.Prefer(hits, func(f hit) bool { return f.Kind == home.Cover || !f.like })
	hits = home.Prefer(hits, func(f hit) bool { return f.there || !f.leans })
	hits = q.warmOrCool(hits)
	if sorted := home.Prefer(slices.Clone(hits), q.sorted); !many || len(sorted) > 1 {
		hits = sorted
	}
	mass := slices.Concat(home.Words("words", "mass"), home.Words("words", "uncounted"))
	other := func(f hit) bool { return f.Kind != home.Light }
	if !many && first.tier == ofKind && !home.Has(mass, q.head()) && !slices.ContainsFunc(hits, other) {
		hits = home.Prefer(hits, q.headed) // of a lamp and a night light, the lamp
	}
	hits = home.Prefer(hits, func(f hit) bool { return !f.other || many && f.Kind != home.Cover })
	slices.SortStableFunc(hits, func(a, b hit) int { // who is called so is named first
		in := func(f hit) int { return map[bool]int{true: 0, false: 1}[q.headed(f)] }
		return cmp.Or(order(a, b), cmp.Compare(in(a), in(b)))
	})
	return hits, many
}

// warmOrCool keeps what warms where the word says warming, and what cools where it says cooling: the heat is no air
// conditioner.
func (q *query) warmOrCool(hits []hit) []hit {
	cools := home.Words("words", "cools")
	cool := home.Has(cools, q.head())
	if !cool && !home.Has(home.Words("words", "warms"), q.head()) {
		return hits
	}
	return home.Prefer(hits, func(f hit) bool { return f.is(cools)&ofName != 0 == cool && f.Kind != home.WaterHeater })
}

// closest keeps those whose names have as much of what was said as first.
func (q *query) closest(hits []hit, first hit) []hit {
	head := func(f hit) bool { return f.head }
	switch {
	case first.long > 0:
		return home.Prefer(home.Prefer(hits, func(f hit) bool { return f.tier == called && f.long == first.long }), head)
	case q.many:
		return home.Prefer(home.Prefer(hits, func(f hit) bool { return f.tier != isThere }), head)
	}
	return home.Prefer(hits, func(f hit) bool { return f.tier == first.tier })
}

// nearest keeps those in the room of the box where there are any and no place was named. Doors
// belong to the whole house: a person who asks whether they are locked wants to know of each.
func (q *query) nearest(hits []hit, many bool) []hit {
	if len(q.near) == 0 || slices.ContainsFunc(hits, func(f hit) bool { return f.there || many && f.IsDoor() }) {
		return hits
	}
	return home.Prefer(hits, func(f hit) bool { return f.isNear(q.near) })
}

// isNear reports whether a device is in a room: by its area, or by its name where it has none.
func (t *thing) isNear(room []string) bool {
	if t.Area != "" {
		return len(t.places) > 0 && slices.Equal(t.places[0], room)
	}
	return len(room) > 0 && !slices.ContainsFunc(room, func(w string) bool { return t.roles[w]&ofName == 0 })
}

func isAny(*home.Entity) bool { return true }

// Pick are the devices that a name and an area mean; choice says that it is one of them.
func (h *House) Pick(name, area string) (found []home.Entity, choice bool) {
	q := h.ask(name, area, "")
	q.many = q.many || q.onlyPlace
	found, all := h.find(q, false, isAny)
	return found, len(found) > 1 && !all && !q.onlyPlace
}

// IsPlace reports whether a name is that of a place, and of no device in it.
func (h *House) IsPlace(name string) bool { q := h.ask(name, "", ""); return q.onlyPlace }

// Choose returns those of some devices that an answer means, and whether all of them are meant.
func (h *House) Choose(name string) (fits []home.Entity, all bool) {
	whole := h.Entities()
	words, q := home.Tokens(name), h.ask(name, "", "")
	n := len(words)
	if n > 0 {
		if at, ok := home.Ordinal(words[0]); ok && at < len(whole) {
			return whole[(at+len(whole))%len(whole):][:1], false
		}
	}
	if (len(q.words) == 0 || home.IsPronoun(name)) && q.many || n == 1 && words[0] == "1" { // "all of them", "the … one"
		return whole, q.many
	}
	fits, all = h.find(q, false, isAny)
	if len(fits) != 1 && n > 1 && words[n-1] == "1" { // "the counter one"
		return h.find(h.ask(strings.Join(words[:n-1], " "), "", ""), false, isAny)
	}
	return fits, all
}
