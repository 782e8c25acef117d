package intent

import "slices"

// find is the first pattern that covers toks, with as little as can be of what
// people wrap around a request. Where none does, the sentence is read as it was meant:
// with what was put right instead of what stood before, what sounds alike, short ends of words in full, orders
// that came as questions, without remarks, then without words that say nothing in its
// middle, and then without those that only point: the, my. Last, of the tools where that does
// no harm, a few words may be anything. What is for later is never done at once, so that is
// looked for first.
//
// With it come the tokens that it covers. A request that lacks something is one only if no
// other is.
func (m *Matcher) find(toks []token, while int, work *int) (found, []token, bool) {
	f, words, ok := m.findAny(toks, while, work)
	return f, words, ok && f.intent.tool != nothing
}

// findAny is find that finds too what is no request.
func (m *Matcher) findAny(toks []token, while int, work *int) (found, []token, bool) {
	var lacking found
	var words []token
	try := func(toks []token) (found, []token, bool) {
		if f, all, ok := m.findLater(toks, while, work); ok {
			return f, all, true
		}
		for _, cut := range m.cuts(toks) {
			f, ok := m.findExactly(cut, while, work)
			switch {
			case ok && f.intent.tool != Ask:
				return f, cut, true
			case ok && words == nil:
				lacking, words = f, cut
			}
		}
		return found{}, nil, false
	}
	for mended := range m.mended(toks, true) {
		if f, cut, ok := try(mended); ok {
			return f, cut, true
		}
	}
	if f, cut, ok := try(toks); ok {
		return f, cut, true
	}
	for mended := range m.mended(toks, false) {
		if f, cut, ok := try(mended); ok {
			return f, cut, true
		}
	}
	for _, other := range []func([]token) []token{m.heard, unstuttered, m.inFull, m.ordered, m.unfronted, m.unremarked, m.idle.cutFrom, unstuttered, m.pointing.cutFrom} {
		n := len(toks)
		changed := other(toks)
		if len(changed) == n && slices.Equal(changed, toks) {
			continue
		}
		toks = changed
		if f, cut, ok := try(toks); ok {
			return f, cut, true
		}
		for mended := range m.mended(toks, false) {
			if f, cut, ok := try(mended); ok {
				return f, cut, true
			}
		}
	}
	if f, cut, ok := m.findLoosely(toks, while, work); ok {
		return f, cut, true
	}
	return lacking, words, words != nil
}

func (m *Matcher) findExactly(toks []token, while int, work *int) (found, bool) {
	return m.findOf(toks, while, work, func(*intent) bool { return true })
}

// findOf is the first pattern of the intents that want wants that covers toks.
func (m *Matcher) findOf(toks []token, while int, work *int, want func(*intent) bool) (found, bool) {
	if len(toks) == 0 {
		return found{}, false
	}
	s := newSearch(m, toks, work)
	for i := range m.index.beginning(s.ids[0]) {
		p := &m.patterns[i]
		if in := &m.intents[p.intent]; in.while == while && want(in) && p.mayCover(s.ids) && s.covers(p) {
			return found{&m.intents[p.intent], p, slices.Clone(s.slots)}, true
		}
	}
	return found{}, false
}
