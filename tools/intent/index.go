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

// beginning gives the patterns that can begin with one of some words or beginnings, in order.
func (x *index) beginning(first []uint32) func(yield func(i uint32) bool) {
	lists := [][]uint32{x.anyFirst}
	for _, w := range first {
		if w < uint32(len(x.byFirst)) { // a word that no pattern has is the largest number
			lists = append(lists, x.lists[x.byFirst[w]])
		}
	}
	return func(yield func(uint32) bool) {
		for {
			next := uint32(unknown)
			for _, list := range lists {
				if len(list) > 0 {
					next = min(next, list[0])
				}
			}
			if next == unknown {
				return
			}
			for k, list := range lists {
				if len(list) > 0 && list[0] == next {
					lists[k] = list[1:]
				}
			}
			if !yield(next) {
				return
			}
		}
	}
}

// mayCover reports whether p may cover tokens that stand for some words and beginnings.
func (p *pattern) mayCover(said [][]uint32) bool {
	lacks := func(w uint32) bool {
		return !slices.ContainsFunc(said, func(one []uint32) bool { return slices.Contains(one, w) })
	}
	return int(p.least) <= len(said) && !slices.ContainsFunc(p.needs, lacks)
}
