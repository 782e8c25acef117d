package intent

import "slices"

// Completeness says whether a person who pauses has more to say.
type Completeness int

// The answers to how far a request is.
const (
	Unknown    Completeness = iota // neither is known
	Unfinished                     // the beginning of one
	Complete                       // a whole request, which needs nothing more
)

// Completeness judges text, the words up to a pause, without the wake phrase. A request is
// unfinished when it ends in a word that none ends in, or in a number without its unit, or where a
// pattern needs more. A request that a pattern covers is complete, unless it ends in names or in a
// number: "add milk" and "volume twenty" may go on. So may one where an argument can follow in the
// grammar of its tool: "for the pasta", "in the kitchen".
func (m *Matcher) Completeness(text string) Completeness {
	toks, ok := m.lang.Tokenize(text)
	if !ok || len(toks) == 0 {
		return Unknown
	}
	if m.words.GoesOn[toks[len(toks)-1].Text] {
		return Unfinished
	}
	_, end := m.lang.Cardinal(toks[len(toks)-1:], 0)
	number := end > 0
	work := maxWork
	best := newChart(m, toks, &work).following().howFar()
	// "if the light is on"
	condition := m.words.Conditions.Skip(toks, 0) > 0 && m.words.Orders.Skip(toks, 0) == 0
	switch {
	case best == Complete && (number || condition):
		return Unknown
	case number:
		return Unfinished
	}
	return best
}

// howFar is the best that any pattern makes of a request.
func (c *chart) howFar() Completeness {
	best, ends, least := Unknown, c.ends(), costLimit+1
	free := func(s filled) bool { return s.end == len(c.toks) && c.m.lang.Open[s.typ] }
	tool, open := "", []string(nil) // of the best pattern, and the tools to which more may be said
	c.try(func(in *intent) bool { return in.while == always }, func(_ uint32, p *pattern, start gap) {
		c.follow.far = farthest{}
		f, covered := c.pattern(p, start, ends)
		if p.say && !p.vague && c.follow.far.open {
			open = append(open, c.m.intents[p.intent].tool)
		}
		switch {
		case covered && f.cost > least:
		case covered && (f.intent.tool == Ask || c.wantsUnit(f)):
			best, least = Unfinished, f.cost // the words that would be asked for may still come
		case covered && slices.ContainsFunc(f.slots, free):
			best, least = Unknown, f.cost // it could go on, or not
		case covered && f.cost < least:
			best, least, tool = Complete, f.cost, f.intent.tool
		case c.follow.far.short && !p.vague && least > costLimit:
			best = Unfinished
		}
	})
	if best == Complete && slices.Contains(open, tool) {
		return Unknown
	}
	return best
}

// wantsUnit reports whether what was covered ends in a number that was taken to be minutes.
func (c *chart) wantsUnit(f found) bool {
	if len(f.slots) == 0 {
		return false
	}
	last := f.slots[len(f.slots)-1]
	return last.typ == "bare_minutes" && last.end == len(c.toks)
}
