package intent

// Completeness says whether a person who pauses has more to say.
type Completeness int

// The answers to how far a request is.
const (
	Unknown    Completeness = iota // it cannot be told
	Unfinished                     // the beginning of one
	Complete                       // a whole request, which wants nothing more
)

// Completeness judges text, the words up to a pause, without the wake phrase. A
// request is unfinished when it ends in a word that none ends in, or in a number
// that wants its unit, or where a pattern wants more. One that a pattern covers is
// complete, unless it ends in names or in a number: "add milk" and "volume twenty"
// may go on.
func (m *Matcher) Completeness(text string) Completeness {
	toks, ok := m.tokenize(text)
	if !ok || len(toks) == 0 {
		return Unknown
	}
	if m.goesOn[toks[len(toks)-1].text] {
		return Unfinished
	}
	_, end := m.lang.cardinal(toks[len(toks)-1:], 0)
	number := end > 0
	best, work := Unknown, maxWork
	for _, cut := range m.cuts(toks) {
		far := m.howFar(cut, &work)
		if far == Unfinished && &cut[len(cut)-1] != &toks[len(toks)-1] {
			continue // something was said behind it, so it does not go on
		}
		if best = max(best, far); best == Complete {
			break
		}
	}
	switch {
	case number && best == Complete:
		return Unknown
	case number:
		return Unfinished
	}
	return best
}

// howFar is the best that any pattern makes of toks.
func (m *Matcher) howFar(toks []token, work *int) Completeness {
	best := Unknown
	s := newSearch(m, toks, work)
	for i := range m.index.beginning(s.ids[0]) {
		in := &m.intents[m.patterns[i].intent]
		if in.while != always {
			continue
		}
		switch covered := s.covers(&m.patterns[i]); {
		case covered && (in.tool == Ask || s.wantsUnit()):
			return Unfinished // what it would be asked for may come yet
		case covered && s.open:
			return Unknown // it could go on, or not
		case covered:
			return Complete
		case s.short && !m.patterns[i].vague:
			best = Unfinished
		}
	}
	return best
}

// wantsUnit reports whether what was covered ends in a number that was taken to be
// minutes.
func (s *search) wantsUnit() bool {
	if len(s.slots) == 0 {
		return false
	}
	last := s.slots[len(s.slots)-1]
	return last.typ == "bare_minutes" && last.end == len(s.toks)
}
