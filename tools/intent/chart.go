package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// A chart finds the cheapest reading of a request: each node of the grammar is read once at each
// token, and keeps for every end the reading that costs least (packrat parsing, B. Ford 2002, with
// the costs of A. Viterbi's algorithm). Words beside a request, words that are taken back and
// misheard words cost, so that a single search prefers what was said to what may have been meant.

// What readings cost. They are ranks, found on the corpora: any number that keeps their
// order does.
const (
	costWrapped  lang.Cost = 1  // "could you", "please"
	costAside    lang.Cost = 2  // a time beside an order
	costGerund   lang.Cost = 2  // "would you mind turning"
	costShort    lang.Cost = 2  // "the chicken's done"
	costTorn     lang.Cost = 2  // words are taken back of which one would stay
	costStutter  lang.Cost = 2  // "the the"
	costFiller   lang.Cost = 3  // a phrase that says nothing
	costPointing lang.Cost = 3  // "my"
	costFronted  lang.Cost = 4  // "in paris what is the weather like"
	costMended   lang.Cost = 4  // words are corrected; each word that is taken back costs one more
	costAsked    lang.Cost = 6  // the request lacks something
	costPreface  lang.Cost = 6  // a remark, a comma and an order
	costText     lang.Cost = 7  // words are taken literally
	costAway     lang.Cost = 7  // "it" is what another tool does than the last turn was about
	costInside   lang.Cost = 8  // one word in the middle is corrected
	costRemark   lang.Cost = 8  // a remark beside the request
	costUnsure   lang.Cost = 10 // a correction that may not be one
	costApart    lang.Cost = 14 // a clause of which nothing is known but that it says nothing to the request
	costAcross   lang.Cost = 30 // words of which a part was corrected, taken literally
	costLimit    lang.Cost = 27 // what costs more is not understood
	costNever              = costLimit + 1
)

// maxWork bounds the nodes that are read for one sentence, in all the ways to read it; those of the
// corpora take up to 70,000. Beyond it nothing is understood: the best reading so far need not be
// the cheapest.
const maxWork = 200_000

// span is a reading of a node up to a place.
type span struct {
	end  int
	cost lang.Cost
	tree int32 // in chart.trees; 0: it has no slots
}

// tree is how a node was read: a slot, a part, or two trees one after the other.
type tree struct {
	slot int32 // in chart.slots, behind 1; 0: there is none
	part int32 // in chart.parts, behind 1; a is what it holds
	a, b int32
}

// partUse is a part of a pattern and the tokens that it was read from.
type partUse struct {
	name       string
	start, end int
}

// cell is a node at a place of a request, as one number: a fast key for a map.
type cell uint32

func (c *chart) cellOf(r ref, i int) cell { return cell(r)*cell(len(c.toks)+1) + cell(i) }

// cells is how many of them a usual request needs.
const cells = 256

// chart reads one request.
type chart struct {
	m      *Matcher
	toks   []lang.Token
	ids    []uint32        // their words
	order  []uint32        // the order that a word stands for in a question, or otherwise the word
	said   [][]uint32      // both, and the beginnings in which the word is
	gaps   [][]gap         // from each token, the token itself first
	marks  []uint64        // of the words that may come next, from each token
	ahead  []uint64        // of all words from each token on
	step   []span          // the reading of a word at each token
	done   map[cell][]span // what was read
	barren []uint64        // a bit for each cell that nothing can be read from, as from most
	read   map[place][]lang.Reading
	topics topics
	slots  []filled
	trees  []tree
	named  map[ref]string // parts that the trees show; nil: nobody asked for them
	parts  []partUse
	work   *int
	follow *follower // nil: nobody asked how far a request can be followed
}

func newChart(m *Matcher, toks []lang.Token, work *int) *chart {
	c := &chart{m: m, toks: toks, work: work, done: make(map[cell][]span, cells), read: map[place][]lang.Reading{},
		trees: make([]tree, 1, 32)}
	c.barren = make([]uint64, c.cellOf(ref(len(m.trees.nodes)), 0)/64+1)
	c.ids, c.order, c.step = make([]uint32, len(toks)), make([]uint32, len(toks)), make([]span, len(toks))
	c.said = make([][]uint32, len(toks))
	for i, t := range toks {
		c.ids[i] = m.trees.find(t.Text)
		c.order[i] = c.ids[i]
		c.step[i].end = i + 1
		if order := m.words.Gerunds[t.Text]; order != "" && i > 0 {
			c.order[i] = m.trees.find(order)
		}
		c.said[i] = append(make([]uint32, 0, 4), c.ids[i], c.order[i])
		for _, name := range m.lang.Beginnings(t) {
			c.said[i] = append(c.said[i], m.trees.find(name))
		}
	}
	c.topics = topics{types: m.words.Topics, read: c.readings, size: len(toks)}
	c.leaveOut()
	return c
}

// fill is the tree of a slot.
func (c *chart) fill(s filled) int32 {
	c.slots = append(c.slots, s)
	c.trees = append(c.trees, tree{slot: int32(len(c.slots))})
	return int32(len(c.trees) - 1)
}

// join is the tree of two, one behind the other.
func (c *chart) join(a, b int32) int32 {
	if a == 0 || b == 0 {
		return a + b
	}
	c.trees = append(c.trees, tree{a: a, b: b})
	return int32(len(c.trees) - 1)
}

// asPart makes the trees of a part show that they are that part.
func (c *chart) asPart(name string, i int, list []span) []span {
	list = slices.Clone(list)
	for k := range list {
		c.parts = append(c.parts, partUse{name, i, list[k].end})
		c.trees = append(c.trees, tree{part: int32(len(c.parts)), a: list[k].tree})
		list[k].tree = int32(len(c.trees) - 1)
	}
	return list
}

// filled are the slots of a tree, in order.
func (c *chart) filled(t int32, all []filled) []filled {
	switch n := c.trees[t]; {
	case t == 0:
		return all
	case n.slot > 0:
		return append(all, c.slots[n.slot-1])
	default:
		return c.filled(n.b, c.filled(n.a, all))
	}
}

// spans are the readings of a node from a place on.
func (c *chart) spans(r ref, i int) []span {
	if *c.work--; *c.work < 0 {
		return nil
	}
	n := &c.m.trees.nodes[r]
	if n.kind == word {
		return c.word(r, n, i)
	}
	if n.begins&c.marks[i] == 0 {
		c.wants(r, i)
		return nil
	}
	if c.follow == nil && n.needs&^c.ahead[i] != 0 {
		return nil
	}
	at := c.cellOf(r, i)
	if c.barren[at/64]&(1<<(at%64)) != 0 {
		c.follow.again(at)
		return nil
	}
	if list, known := c.done[at]; known {
		c.follow.again(at)
		return list
	}
	outer := c.follow.enter()
	list := c.parse(r, n, i)
	if name := c.named[r]; name != "" {
		list = c.asPart(name, i, list)
	}
	if c.follow.leave(at, outer); len(list) == 0 {
		c.barren[at/64] |= 1 << (at % 64)
		return nil
	}
	c.done[at] = list
	return list
}

// parse reads a node that is no word.
func (c *chart) parse(r ref, n *node, i int) (list []span) {
	switch kids := c.m.trees.kids[n.at:]; n.kind {
	case seq:
		return c.sequence(kids[:n.n], i)
	case bag:
		return c.anyOrder(kids[:n.n], i)
	case alt:
		for _, k := range kids[:n.n] {
			list = merge(list, c.spans(k, i))
		}
		return list
	case opt:
		return merge(merge(nil, c.spans(kids[0], i)), []span{{end: i}})
	case constant:
		s := c.m.trees.slots[n.at]
		return []span{{end: i, tree: c.fill(filled{s.arg, s.typ, i, i, lang.Typed(s.typ)})}}
	}
	return c.slot(r, n, i)
}

// merge is the union of both; for each end it keeps the cheapest reading, and the first of equal
// ones. It changes list, but not more.
func merge(list, more []span) []span {
	if list == nil {
		return slices.Clone(more)
	}
	for _, s := range more {
		k := slices.IndexFunc(list, func(o span) bool { return o.end == s.end })
		switch {
		case k < 0:
			list = append(list, s)
		case s.cost < list[k].cost:
			list[k] = s
		}
	}
	return list
}

func (c *chart) sequence(kids []ref, i int) []span {
	list := c.spans(kids[0], i)
	for n := 1; n < len(kids) && len(list) > 0; n++ {
		var next []span
		for _, s := range list {
			c.mayAdd(i, s.end, kids[n:])
			for _, t := range c.spans(kids[n], s.end) {
				if sum := s.cost + t.cost; sum <= costLimit {
					next = c.extend(next, t.end, sum, s.tree, t.tree)
				}
			}
		}
		list = next
	}
	return list
}

// chosen is a reading of some of the kids of a bag, each of which has a bit.
type chosen struct {
	kids uint16
	span
}

// anyOrder reads kids one after the other, in each order in which they fit.
func (c *chart) anyOrder(kids []ref, i int) (list []span) {
	var needed uint16
	for k, kid := range kids {
		if c.m.trees.nodes[kid].kind != opt {
			needed |= 1 << k
		}
	}
	all := []chosen{{span: span{end: i}}}
	for a := 0; a < len(all); a++ {
		s := all[a]
		for k, kid := range kids {
			if s.kids&(1<<k) != 0 {
				continue
			}
			c.mayAdd(i, s.end, kids[k:k+1])
			for _, t := range c.spans(kid, s.end) {
				if sum := s.cost + t.cost; sum <= costLimit && t.end > s.end {
					all = c.choose(all, a, chosen{s.kids | 1<<k, span{t.end, sum, t.tree}})
				}
			}
		}
		if s.kids&needed == needed && s.end > i {
			list = merge(list, []span{s.span})
		}
	}
	return list
}

// choose adds what was read behind all[a], if it is the cheapest reading of those kids to that place. All that
// was read of as many kids comes before what was read of more, so nothing has been built on what it replaces.
func (c *chart) choose(all []chosen, a int, more chosen) []chosen {
	at := slices.IndexFunc(all[a:], func(o chosen) bool { return o.kids == more.kids && o.end == more.end })
	switch {
	case at < 0:
		more.tree = c.join(all[a].tree, more.tree)
		return append(all, more)
	case more.cost < all[a+at].cost:
		more.tree = c.join(all[a].tree, more.tree)
		all[a+at] = more
	}
	return all
}

// extend adds a reading of two trees, if it is cheaper than the present one.
func (c *chart) extend(list []span, end int, sum lang.Cost, a, b int32) []span {
	for k := range list {
		if list[k].end == end {
			if sum < list[k].cost {
				list[k] = span{end, sum, c.join(a, b)}
			}
			return list
		}
	}
	return append(list, span{end, sum, c.join(a, b)})
}

func (c *chart) word(r ref, n *node, i int) (list []span) {
	c.wants(r, i)
	if len(c.gaps[i]) == 1 && i < len(c.toks) && c.ids[i] == n.at {
		return c.step[i : i+1]
	}
	for _, g := range c.gaps[i] {
		switch {
		case g.to == len(c.toks):
		case c.ids[g.to] == n.at:
			list = merge(list, []span{{end: g.to + 1, cost: g.cost}})
		case c.order[g.to] == n.at:
			list = merge(list, []span{{end: g.to + 1, cost: g.cost + costGerund}})
		}
	}
	return list
}

func (c *chart) slot(r ref, n *node, i int) (list []span) {
	c.wants(r, i)
	if i >= len(c.toks) {
		return nil
	}
	what := c.m.trees.slots[n.at]
	for _, g := range c.gaps[i] {
		if g.to >= len(c.toks) {
			continue
		}
		for _, r := range c.readings(what.typ, g.to) {
			sum := g.cost + r.Cost
			if !slices.ContainsFunc(list, func(s span) bool { return s.end == r.End && s.cost <= sum }) {
				list = merge(list, []span{{r.End, sum, c.fill(filled{what.arg, what.typ, g.to, r.End, r.Value})}})
			}
		}
	}
	return list
}

// readings are those of a slot type at a token.
func (c *chart) readings(typ string, i int) []lang.Reading {
	at := place{typ, i}
	rs, known := c.read[at]
	if !known {
		rs = c.m.lang.Readers[typ](c.toks, i)
		c.read[at] = rs
	}
	return rs
}

// place is a slot type at a token.
type place struct {
	typ string
	i   int
}
