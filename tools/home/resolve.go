package home

import (
	"cmp"
	"slices"
)

// tier is how a device fits what was said, the best first.
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
	head  bool // it is of the kind that the last word says, or is called by it
	there bool // the whole of its place was said
	leans bool // it fits only by words of its place
	like  bool // it is only like what was said
}

func has(words []string, alternatives []string) bool {
	return slices.ContainsFunc(alternatives, func(w string) bool { return slices.Contains(words, w) })
}

func (q *query) saidIn(list [][]string, w string) bool {
	return slices.ContainsFunc(list, func(said []string) bool { return slices.Contains(said, w) })
}

// said reports whether all words were said, and any of them in the name.
func (q *query) said(words []string) (all, any bool) {
	for _, w := range words {
		in := q.saidIn(q.words, w)
		if any = any || in; !in && !q.saidIn(q.area, w) {
			return false, false
		}
	}
	return true, any
}

// fit says how a device fits; ok is false where a word says nothing of it.
func (q *query) fit(t *thing) (f hit, ok bool) {
	f.thing = t
	described, named, ok := f.explains(q.words)
	away := false
	for _, w := range q.area {
		at := t.isAt(w)
		ok = ok && (at || has(t.words, w))
		away, f.leans = away || !at, f.leans || at
	}
	if !ok {
		return f, false
	}
	f.long = q.longest(t)
	f.there = slices.ContainsFunc(t.places, func(p []string) bool { all, _ := q.said(p); return all })
	f.head = len(q.words) > 0 && (has(t.kinds, q.head()) || has(t.like, q.head()))
	f.tier = q.tier(&f, described, named)
	return f, q.mayMean(t, &f) && !(away && len(t.places) > 0 && f.long == 0)
}

// explains tells whether each word says something of the device, whether they all say of
// what kind it is and where, and whether any is of a name.
func (f *hit) explains(words [][]string) (described, named, ok bool) {
	described, kinds := true, 0
	for _, w := range words {
		kind, name, at := has(f.kinds, w), has(f.words, w), f.isAt(w)
		like := !kind && has(f.thing.like, w)
		switch {
		case kind:
			kinds++
		case like:
			f.like = true
			kinds++
		case at:
			f.leans = f.leans || !name
		case name:
			described = false
		default:
			return false, false, false
		}
		named = named || name
	}
	return described && kinds > 0, named, true
}

func (q *query) tier(f *hit, described, named bool) tier {
	switch {
	case f.long > 0:
		return called
	case described:
		return ofKind
	case named && !q.onlyPlace:
		return partly
	}
	return isThere
}

// isAt reports whether a word is one of the place of a device.
func (t *thing) isAt(alternatives []string) bool {
	return slices.ContainsFunc(t.places, func(p []string) bool { return has(p, alternatives) })
}

// longest counts the words of the longest name of a device that was said. The name of its
// kind is none, and where several are meant the name of one is not theirs.
func (q *query) longest(t *thing) int {
	most := 0
	for _, n := range t.names {
		if n.bare || q.every || q.many && !n.plural {
			continue
		}
		if all, any := q.said(n.words); all && any {
			most = max(most, len(n.words))
		}
	}
	return most
}

// exactly reports whether a device is called just what was said.
func (q *query) exactly(t *thing) bool {
	return slices.ContainsFunc(t.names, func(n name) bool {
		all, any := q.said(n.words)
		return all && any && len(n.words) == len(q.words)
	})
}

// mayMean reports whether a device is of the kind that was named. Among covers the class
// decides; of the others what the last word says, but for those that may be anything by
// their names. A lamp on a "Ceiling fan" is no fan.
func (q *query) mayMean(t *thing, f *hit) bool {
	if len(q.words) == 0 || f.head {
		return true
	}
	if t.Kind == Cover {
		is, of := false, false
		for _, w := range q.words {
			is = is || has(t.kinds, w) || has(t.like, w)
			of = of || has(kindWords[Cover], w) || slices.ContainsFunc(w, isCoverWord)
		}
		return is || !of || q.exactly(t)
	}
	head := slices.ContainsFunc(q.head(), func(w string) bool { return kindWord[w] && !slices.Contains(kindWords[Switch], w) })
	switch {
	case !head || f.long > 0 || t.Kind == Switch || t.Kind == Sensor || q.exactly(t):
		return true
	case t.Kind == BinarySensor && slices.ContainsFunc(q.head(), isCoverWord):
		return true
	}
	return !q.many && slices.Contains(byName, t.Kind)
}

// find gives the devices that a query means, of those that suit, and whether all of them
// are meant: else the person must choose. light says that the light of a place is all of it.
func (h *house) find(q query, light bool, suits func(*Entity) bool) (found []Entity, all bool) {
	if q.nothing() {
		return nil, false
	}
	if slices.ContainsFunc(slices.Concat(q.words, q.area), func(w []string) bool { return !h.words[w[0]] }) {
		return nil, false // a word that nothing here is called by
	}
	var hits []hit
	for i := range h.things {
		if f, ok := q.fit(&h.things[i]); ok && suits(f.Entity) {
			hits = append(hits, f)
		}
	}
	hits, all = q.best(hits)
	if len(hits) > 1 && !all && light && hits[0].tier == ofKind && has(mass, q.head()) {
		all = len(q.area) > 0 || slices.ContainsFunc(hits, func(f hit) bool { return f.there })
	}
	hits = q.nearest(hits, all)
	for _, f := range hits {
		found = append(found, *f.Entity)
	}
	return found, all
}

// keep keeps the hits that are so, where any is.
func keep(hits []hit, so func(hit) bool) []hit {
	if !slices.ContainsFunc(hits, so) {
		return hits
	}
	return slices.DeleteFunc(hits, func(f hit) bool { return !so(f) })
}

// best keeps those that fit best, and tells whether all of them are meant.
func (q *query) best(hits []hit) (_ []hit, many bool) {
	if slices.ContainsFunc(hits, func(f hit) bool { return f.Category == "" }) { // settings come last
		hits = slices.DeleteFunc(hits, func(f hit) bool { return f.Category != "" && (f.tier != called || q.many) })
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		in := func(f hit) int { return map[bool]int{true: 0, false: 1}[has(f.words, q.head())] }
		return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.long, a.long), cmp.Compare(in(a), in(b)))
	})
	if len(hits) == 0 || len(q.words) == 0 {
		return hits, q.many
	}
	first := hits[0]
	many = q.many || q.plural && first.tier != isThere && !slices.ContainsFunc(hits, func(f hit) bool {
		return f.tier == first.tier && slices.ContainsFunc(f.names, func(n name) bool { return n.plural })
	})
	switch {
	case first.tier == called && !q.every && (!q.many || first.long > 0):
		hits = keep(hits, func(f hit) bool { return f.tier == called && f.long == first.long })
		hits = keep(hits, func(f hit) bool { return f.head })
	case q.many:
		hits = keep(hits, func(f hit) bool { return f.tier != isThere })
		hits = keep(hits, func(f hit) bool { return f.head })
	default:
		hits = keep(hits, func(f hit) bool { return f.tier == first.tier })
		if slices.ContainsFunc(hits, func(f hit) bool { return q.exactly(f.thing) }) { // the Heizung, and not the Calefacción
			hits = keep(hits, func(f hit) bool { return has(f.words, q.head()) })
		}
	}
	if slices.ContainsFunc(hits, func(f hit) bool { return f.Kind == Cover && !f.like }) {
		hits = slices.DeleteFunc(hits, func(f hit) bool { return f.Kind == Cover && f.like })
	}
	return keep(hits, func(f hit) bool { return f.there || !f.leans }), many
}

// nearest keeps those in the room of the box where there are any and no place was named.
// Doors are the whole house's: who asks whether they are locked wants to know of each.
func (q *query) nearest(hits []hit, many bool) []hit {
	if len(q.near) == 0 || len(hits) < 2 ||
		many && slices.ContainsFunc(hits, func(f hit) bool { return f.isDoor() }) || slices.ContainsFunc(hits, func(f hit) bool { return f.there }) {
		return hits
	}
	return keep(hits, func(f hit) bool { return f.isNear(q.near) })
}

// isNear reports whether a device is in a room: by its area, or by its name where it has none.
func (t *thing) isNear(room []string) bool {
	if t.Area != "" {
		return slices.Equal(t.places[0], room)
	}
	return len(room) > 0 && !slices.ContainsFunc(room, func(w string) bool { return !slices.Contains(t.words, w) })
}
