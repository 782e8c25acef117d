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
	read  map[place][]reading
	steps int
	work  *int // steps that are left to the request
	slots []filled
	far   int   // the most tokens that the pattern covered
	want  *node // what it wanted there
	short bool  // it wanted more where toks ended
	open  bool  // what it covered ends in a slot that may go on
}

// place is a slot type at a token.
type place struct {
	typ string
	i   int
}

func newSearch(m *Matcher, toks []token, work *int) *search {
	return &search{m: m, toks: toks, read: map[place][]reading{}, work: work}
}

// covers reports whether the pattern covers all of toks.
func (s *search) covers(p *node) bool {
	s.steps, s.slots, s.far, s.want, s.short, s.open = maxSteps, s.slots[:0], 0, nil, false, false
	return s.node(p, 0, s.atEnd)
}

func (s *search) atEnd(end int) bool { return end == len(s.toks) }

// node matches n at token i and calls then with every place where it can end,
// until then is satisfied.
func (s *search) node(n *node, i int, then func(end int) bool) bool {
	s.steps--
	if *s.work--; s.steps < 0 || *s.work < 0 {
		return false
	}
	if n.kind == word || n.kind == slot {
		s.short = s.short || i == len(s.toks)
		if i > s.far || s.want == nil {
			s.far, s.want = i, n
		}
	}
	switch n.kind {
	case word:
		return i < len(s.toks) && s.toks[i].text == n.text && then(i+1)
	case seq:
		return s.sequence(n.kids, i, then)
	case alt:
		for _, k := range n.kids {
			if s.node(k, i, then) {
				return true
			}
		}
	case opt:
		return s.node(n.kids[0], i, then) || then(i)
	case slot:
		return s.slot(n, i, then)
	}
	return false
}

func (s *search) sequence(kids []*node, i int, then func(end int) bool) bool {
	for len(kids) > 0 && kids[0].kind == word { // no closure for plain words
		s.short = s.short || i == len(s.toks)
		if i > s.far || s.want == nil {
			s.far, s.want = i, kids[0]
		}
		if i >= len(s.toks) || s.toks[i].text != kids[0].text {
			return false
		}
		kids, i = kids[1:], i+1
	}
	if len(kids) == 0 {
		return then(i)
	}
	if len(kids) == 1 {
		return s.node(kids[0], i, then)
	}
	return s.node(kids[0], i, func(end int) bool { return s.sequence(kids[1:], end, then) })
}

func (s *search) slot(n *node, i int, then func(end int) bool) bool {
	at := place{n.text, i}
	rs, known := s.read[at]
	if !known && i < len(s.toks) {
		rs = s.m.readers[n.text](s.toks, i)
		s.read[at] = rs
	}
	mark := len(s.slots)
	for _, r := range rs {
		s.slots = append(s.slots[:mark], filled{n.arg, n.text, i, r.end, r.value})
		if then(r.end) {
			s.open = s.open || r.end == len(s.toks) && s.m.open[n.text]
			return true
		}
	}
	s.slots = s.slots[:mark]
	return false
}
