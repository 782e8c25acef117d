package intent

import (
	"encoding/binary"
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// kind says what a node of a pattern is.
type kind uint8

const (
	word     kind = iota // one literal word
	seq                  // kids in order
	alt                  // one of kids
	opt                  // its child or nothing
	slot                 // an argument
	constant             // an argument for which no word is said
	bag                  // kids in any order; those that are optional may be missing
)

// ref is the place of a node in a forest.
type ref uint32

// node is one part of a parsed pattern, without pointers: there are thousands.
type node struct {
	kind kind
	args bool   // it contains an argument
	n    uint16 // kids
	at   uint32 // its word, its slot, or its first child, in the lists of the forest

	begins, needs uint64 // marks of the words with which readings begin, and of those that each contains
}

// maxKids bounds the children of one node.
const maxKids = 1<<16 - 1

// filling is what a slot reads: the argument, and the type of its words.
type filling struct{ arg, typ string }

// forest holds patterns as trees. Equal trees are stored once: patterns repeat each other so much
// that this takes a tenth of the memory.
type forest struct {
	nodes  []node
	kids   []ref
	words  []string // and names of beginnings
	slots  []filling
	sorted []uint32 // the words, sorted: a map of them would take ten times the memory

	// Only while trees are added.
	wordAt map[string]uint32
	slotAt map[filling]uint32
	made   map[string]ref // from the parts of a node to the node
	facts  []facts        // of each node
	opens  func(typ string) (first []string, closed, vague bool)
}

// facts are what an index needs to know of a tree.
type facts struct {
	least   int      // tokens that it needs at least
	opening          // what it can begin with; if least is 0 it may also be empty
	needs   []uint32 // words that every reading contains, sorted
	typed   bool     // no grammar can have it: it contains a slot of any words, or parts in any order
	written int      // its words and slots, counting shared trees each time; see maxWritten
}

// begins are the marks of the words that the tree can begin with.
func (f *facts) begins() uint64 {
	if f.any || f.least == 0 {
		return ^uint64(0)
	}
	return marks(f.first)
}

func marks(words []uint32) (all uint64) {
	for _, w := range words {
		all |= mark(w)
	}
	return all
}

// mark is a bit that few words share.
func mark(w uint32) uint64 { return 1 << (w * 0x9e3779b1 >> 26) }

// opening is the words with which a tree, or a slot type, can begin.
type opening struct {
	any   bool     // any word
	vague bool     // any words, so that matching its beginning means nothing
	first []uint32 // otherwise these words, sorted
}

func newForest(opens func(typ string) (first []string, closed, vague bool)) *forest {
	return &forest{wordAt: map[string]uint32{}, slotAt: map[filling]uint32{}, made: map[string]ref{}, opens: opens}
}

// seal drops what only adding needs.
func (f *forest) seal() {
	f.nodes, f.kids = slices.Clip(f.nodes), slices.Clip(f.kids)
	f.words, f.slots = slices.Clip(f.words), slices.Clip(f.slots)
	f.sorted = make([]uint32, len(f.words))
	for i := range f.sorted {
		f.sorted[i] = uint32(i)
	}
	slices.SortFunc(f.sorted, func(a, b uint32) int { return strings.Compare(f.words[a], f.words[b]) })
	f.wordAt, f.slotAt, f.made, f.facts, f.opens = nil, nil, nil, nil, nil
}

// find is the number of a word, or unknown.
func (f *forest) find(w string) uint32 {
	if id, ok := f.wordAt[w]; ok { // not sealed yet
		return id
	}
	i, ok := slices.BinarySearchFunc(f.sorted, w, func(id uint32, w string) int { return strings.Compare(f.words[id], w) })
	if !ok {
		return unknown
	}
	return f.sorted[i]
}

// id is the number of a word; a new one is added.
func (f *forest) id(w string) uint32 {
	id, ok := f.wordAt[w]
	if !ok {
		id = uint32(len(f.words))
		w = strings.Clone(w) // a copy, so that the file it is part of is not kept
		f.words = append(f.words, w)
		f.wordAt[w] = id
	}
	return id
}

// word is the tree of one word.
func (f *forest) word(w string) ref {
	id := f.id(w)
	return f.add(word, id, nil, func() facts {
		return facts{least: 1, opening: opening{first: []uint32{id}}, needs: []uint32{id}}
	})
}

// slot is the tree of an argument.
func (f *forest) slot(arg, typ string) ref {
	return f.add(slot, f.filling(arg, typ), nil, func() facts {
		first, closed, vague := f.opens(typ)
		o := opening{any: !closed, vague: vague, first: make([]uint32, len(first))}
		for i, w := range first {
			o.first[i] = f.id(w)
		}
		slices.Sort(o.first)
		fa := facts{least: 1, opening: o, typed: typ == lang.FreeText || typ == lang.Task}
		if closed && len(o.first) == 1 {
			fa.needs = o.first
		}
		return fa
	})
}

// filling is the number of an argument and its type, or its value.
func (f *forest) filling(arg, typ string) uint32 {
	s := filling{strings.Clone(arg), strings.Clone(typ)}
	at, ok := f.slotAt[s]
	if !ok {
		at = uint32(len(f.slots))
		f.slots = append(f.slots, s)
		f.slotAt[s] = at
	}
	return at
}

// constant is the tree of an argument that stands for no word.
func (f *forest) constant(arg, value string) ref {
	return f.add(constant, f.filling(arg, value), nil, func() facts { return facts{} })
}

// optional is the tree of kid or nothing.
func (f *forest) optional(kid ref) ref {
	return f.add(opt, 0, []ref{kid}, func() facts {
		k := f.facts[kid]
		return facts{opening: k.opening, typed: k.typed}
	})
}

// oneOf is the tree of one of kids, of which there is at least one.
func (f *forest) oneOf(kids []ref) ref {
	if len(kids) == 1 {
		return kids[0]
	}
	return f.add(alt, 0, kids, func() facts {
		all := f.facts[kids[0]]
		for _, k := range kids[1:] {
			one := f.facts[k]
			all.least = min(all.least, one.least)
			all.opening = all.or(one.opening)
			all.typed = all.typed || one.typed
			all.needs = slices.DeleteFunc(slices.Clone(all.needs), func(w uint32) bool { return !slices.Contains(one.needs, w) })
		}
		return all
	})
}

// inOrder is the tree of kids one after the other; there is at least one.
func (f *forest) inOrder(kids []ref) ref {
	var flat []ref
	for _, k := range kids {
		if n := f.nodes[k]; n.kind == seq && len(flat)+int(n.n) <= maxWordsOfPattern {
			flat = append(flat, f.kidsOf(k)...)
		} else {
			flat = append(flat, k)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return f.add(seq, 0, flat, func() facts {
		var all facts
		for _, k := range flat {
			one := f.facts[k]
			if all.least == 0 {
				all.opening = all.or(one.opening)
			}
			all.least = min(all.least+one.least, maxWritten)
			all.typed = all.typed || one.typed
			all.needs = union(all.needs, one.needs)
		}
		return all
	})
}

// anyOrder is the tree of kids in any order; there is at least one.
func (f *forest) anyOrder(kids []ref) ref {
	if len(kids) == 1 {
		return kids[0]
	}
	return f.add(bag, 0, kids, func() facts {
		all := f.facts[kids[0]]
		all.typed = true
		for _, k := range kids[1:] {
			one := f.facts[k]
			all.least = min(all.least+one.least, maxWritten)
			all.opening = all.or(one.opening)
			all.needs = union(all.needs, one.needs)
		}
		return all
	})
}

// add returns the node with these parts; of computes its facts.
func (f *forest) add(k kind, at uint32, kids []ref, of func() facts) ref {
	key := binary.AppendUvarint([]byte{byte(k)}, uint64(at))
	for _, kid := range kids {
		key = binary.AppendUvarint(key, uint64(kid))
	}
	if r, ok := f.made[string(key)]; ok {
		return r
	}
	if len(kids) > 0 {
		at = uint32(len(f.kids))
		f.kids = append(f.kids, kids...)
	}
	r := ref(len(f.nodes))
	args := k == slot || k == constant || slices.ContainsFunc(kids, func(kid ref) bool { return f.nodes[kid].args })
	fa := of()
	fa.written = f.written(kids)
	f.nodes = append(f.nodes, node{k, args, uint16(len(kids)), at, fa.begins(), marks(fa.needs)})
	f.facts = append(f.facts, fa)
	f.made[string(key)] = r
	return r
}

// maxWritten bounds the length of a pattern that is written out, as in a grammar: nested parts
// double it with a few letters each.
const maxWritten = 5000

// written is the length of a tree with these children when it is written out, at most maxWritten+1.
func (f *forest) written(kids []ref) int {
	if len(kids) == 0 {
		return 1
	}
	n := 0
	for _, k := range kids {
		n = min(n+f.facts[k].written, maxWritten+1)
	}
	return n
}

func (f *forest) kidsOf(r ref) []ref {
	n := f.nodes[r]
	if n.kind == word || n.kind == slot || n.kind == constant {
		return nil
	}
	return f.kids[n.at:][:n.n]
}

// or is the opening of a tree that begins as o or as p.
func (o opening) or(p opening) opening {
	o = opening{any: o.any || p.any, vague: o.vague || p.vague, first: union(o.first, p.first)}
	if o.any {
		o.first = nil
	}
	return o
}

// union is every element of the sorted a and b. It may be one of them.
func union(a, b []uint32) []uint32 {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// adds reports whether words that r is read from may add an argument.
func (f *forest) adds(r ref) bool { return f.nodes[r].args && f.nodes[r].kind != constant }

// wordOf is the word of r, or "" when it is not a word.
func (f *forest) wordOf(r ref) string {
	if n := f.nodes[r]; n.kind == word {
		return f.words[n.at]
	}
	return ""
}

// text is a word, or a slot as {type}; for other trees it is the text of the first part.
func (f *forest) text(r ref) string {
	if kids := f.kidsOf(r); len(kids) > 0 {
		return f.text(kids[0])
	}
	if n := f.nodes[r]; n.kind == slot {
		return "{" + f.slots[n.at].typ + "}"
	}
	return f.wordOf(r)
}

// maxWordsOfPattern bounds a sequence: longer requests are not read.
const maxWordsOfPattern = 2 * lang.MaxTokens

// maxNesting bounds brackets within brackets, and with it the recursion.
const maxNesting = 8

// unknown is the number of a word that no pattern has.
const unknown = 1<<32 - 1
