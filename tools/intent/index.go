package intent

import "slices"

// pattern is one line of an intent, ready to be tried.
type pattern struct {
	root   ref
	intent uint32   // place in Matcher.intents
	at     uint32   // place in the list say or type of the intent
	least  uint16   // tokens that it needs
	say    bool     // it is in the grammar
	vague  bool     // any words can begin it, so that matching its beginning means nothing
	needs  []uint32 // words that every reading contains
}

// index finds the patterns that may cover a request by the words that they begin
// with.
type index struct {
	lists    [][]uint32 // lists of patterns, in order; many words share one
	byFirst  []uint32   // for each word of the forest, the list of patterns that can begin with it
	anyFirst []uint32   // patterns that can begin with any word
}

func newIndex(trees *forest, patterns []pattern) index {
	x := index{byFirst: make([]uint32, len(trees.words))}
	byFirst := make([][]uint32, len(trees.words))
	for i := range patterns {
		f := &trees.facts[patterns[i].root]
		if f.any {
			x.anyFirst = append(x.anyFirst, uint32(i))
			continue
		}
		for _, w := range f.first {
			byFirst[w] = append(byFirst[w], uint32(i))
		}
	}
	seen := map[string]uint32{}
	for w, list := range byFirst {
		key := make([]byte, 0, 4*len(list))
		for _, i := range list {
			key = append(key, byte(i), byte(i>>8), byte(i>>16), byte(i>>24))
		}
		at, ok := seen[string(key)]
		if !ok {
			at = uint32(len(x.lists))
			x.lists = append(x.lists, slices.Clip(list))
			seen[string(key)] = at
		}
		x.byFirst[w] = at
	}
	return x
}

// beginning gives the patterns that can begin with a word, in order.
func (x *index) beginning(first uint32) func(yield func(i uint32) bool) {
	var a []uint32
	if first < uint32(len(x.byFirst)) { // a word that no pattern has is the largest number
		a = x.lists[x.byFirst[first]]
	}
	b := x.anyFirst
	return func(yield func(uint32) bool) {
		for len(a) > 0 || len(b) > 0 {
			var i uint32
			if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
				i, a = a[0], a[1:]
			} else {
				i, b = b[0], b[1:]
			}
			if !yield(i) {
				return
			}
		}
	}
}

// mayCover reports whether p may cover words, each of which may be one of two.
func (p *pattern) mayCover(ids, other []uint32) bool {
	lacks := func(w uint32) bool { return !slices.Contains(ids, w) && !slices.Contains(other, w) }
	return int(p.least) <= len(ids) && !slices.ContainsFunc(p.needs, lacks)
}
