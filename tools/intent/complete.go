package intent

// Completeness says whether a person who pauses has more to say.
type Completeness int

// The answers to how far a request is.
const (
	Unknown    Completeness = iota // it cannot be told
	Unfinished                     // the beginning of one
	Complete                       // a whole request, which wants nothing more
)

// openSlots are the slots whose words may always go on.
var openSlots = map[string]bool{"items": true, "label": true, "ingredient": true, "list": true}

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
	last := toks[len(toks)-1:]
	if m.goesOn[last[0].text] {
		return Unfinished
	}
	_, end := cardinal(last, 0)
	number := end > 0
	best := Unknown
	for _, toks := range [][]token{m.trim(toks), toks} {
		best = max(best, m.howFar(toks))
		if best == Complete {
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
func (m *Matcher) howFar(toks []token) Completeness {
	best := Unknown
	for _, in := range m.intents {
		for _, list := range [][]*node{in.say, in.typed} {
			for _, p := range list {
				s := search{m: m, toks: toks, args: map[string]any{}, steps: maxSteps}
				switch {
				case !s.node(p, 0, func(end int) bool { return end == len(toks) }):
					if s.short {
						best = max(best, Unfinished)
					}
				case s.open:
					return Unknown // it could go on, or not
				default:
					return Complete
				}
			}
		}
	}
	return best
}
