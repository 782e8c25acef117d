package intent

// maxSteps bounds the search of one pattern; the longest real request takes
// under a hundredth of it.
const maxSteps = 20000

// maxWork bounds the search of all patterns on one request: some milliseconds,
// which only a text that was made to take long needs.
const maxWork = 200_000

// search tries patterns on one request, backtracking. What a slot type reads at
// a token is read once for all patterns.
type search struct {
	m     *Matcher
	toks  []token
	ids   []uint32 // their words
	read  map[place][]reading
	steps int
	work  *int // steps that are left to the request
	slots []filled
	far   int  // the most tokens that the pattern covered
	want  ref  // what it wanted there
	begun bool // it wanted anything
	short bool // it wanted more where toks ended
	open  bool // what it covered ends in a slot that may go on
}

// place is a slot type at a token.
type place struct {
	typ string
	i   int
}

// unknown is the number of a word that no pattern has.
const unknown = 1<<32 - 1

func newSearch(m *Matcher, toks []token, work *int) *search {
	s := &search{m: m, toks: toks, ids: make([]uint32, len(toks)), read: map[place][]reading{}, work: work}
	for i, t := range toks {
		s.ids[i] = m.trees.find(t.text)
	}
	return s
}

// covers reports whether the pattern covers all of toks.
func (s *search) covers(p *pattern) bool {
	s.steps, s.slots, s.far, s.want, s.begun, s.short, s.open = maxSteps, s.slots[:0], 0, 0, false, false, false
	return s.node(p.root, 0, s.atEnd)
}

func (s *search) atEnd(end int) bool { return end == len(s.toks) }

// node matches r at token i and calls then with every place where it can end,
// until then is satisfied.
func (s *search) node(r ref, i int, then func(end int) bool) bool {
	s.steps--
	if *s.work--; s.steps < 0 || *s.work < 0 {
		return false
	}
	switch n := s.m.trees.nodes[r]; n.kind {
	case word:
		return s.word(r, n, i) && then(i+1)
	case seq:
		return s.sequence(s.m.trees.kids[n.at:][:n.n], i, then)
	case alt:
		for _, k := range s.m.trees.kids[n.at:][:n.n] {
			if s.node(k, i, then) {
				return true
			}
		}
		return false
	case opt:
		return s.node(s.m.trees.kids[n.at], i, then) || then(i)
	default:
		return s.slot(r, n, i, then)
	}
}

// wants notes that the pattern wants r at token i.
func (s *search) wants(r ref, i int) {
	s.short = s.short || i == len(s.toks)
	if i > s.far || !s.begun {
		s.far, s.want, s.begun = i, r, true
	}
}

func (s *search) word(r ref, n node, i int) bool {
	s.wants(r, i)
	return i < len(s.ids) && s.ids[i] == n.at
}

func (s *search) sequence(kids []ref, i int, then func(end int) bool) bool {
	for len(kids) > 0 { // no closure for plain words
		n := s.m.trees.nodes[kids[0]]
		if n.kind != word {
			break
		}
		if !s.word(kids[0], n, i) {
			return false
		}
		kids, i = kids[1:], i+1
	}
	switch len(kids) {
	case 0:
		return then(i)
	case 1:
		return s.node(kids[0], i, then)
	}
	return s.node(kids[0], i, func(end int) bool { return s.sequence(kids[1:], end, then) })
}

func (s *search) slot(r ref, n node, i int, then func(end int) bool) bool {
	s.wants(r, i)
	what := s.m.trees.slots[n.at]
	at := place{what.typ, i}
	rs, known := s.read[at]
	if !known && i < len(s.toks) {
		rs = s.m.readers[what.typ](s.toks, i)
		s.read[at] = rs
	}
	mark := len(s.slots)
	for _, r := range rs {
		s.slots = append(s.slots[:mark], filled{what.arg, what.typ, i, r.end, r.value})
		if then(r.end) {
			s.open = s.open || r.end == len(s.toks) && s.m.open[what.typ]
			return true
		}
	}
	s.slots = s.slots[:mark]
	return false
}
