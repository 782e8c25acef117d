package intent

// Match finds the request that text makes. text is what a person typed or a
// recogniser wrote, without the wake phrase. The first intent that covers the
// whole of it wins; ok is false when none does or text is longer than a
// request can be.
func (m *Matcher) Match(text string) (match Match, ok bool) { return m.match(situation{}, text) }

// MatchAbout is Match after a turn about a tool, which "it" is about then.
func (m *Matcher) MatchAbout(topic, text string) (match Match, ok bool) {
	return m.match(situation{topic: topic}, text)
}

// MatchRinging is Match while something rings, which "turn it off" then means.
func (m *Matcher) MatchRinging(text string) (match Match, ok bool) {
	if match, ok = m.match(situation{while: ringing}, text); !ok {
		match, ok = m.Match(text)
	}
	return match, ok
}

// MatchChoice is Match while somebody is asked which of several is meant: what answers that is a call of Choose.
func (m *Matcher) MatchChoice(text string) (match Match, ok bool) {
	return m.match(situation{while: choosing}, text)
}

func (m *Matcher) match(said situation, text string) (match Match, ok bool) {
	toks, ok := m.lang.Tokenize(text)
	if !ok {
		return Match{}, false
	}
	work := maxWork
	if _, _, lasts := m.findLasting(toks, said, &work); lasts {
		return Match{}, false // it is two requests, which MatchTwo finds
	}
	f, _, ok := m.find(toks, said, &work)
	if !ok {
		return Match{}, false
	}
	if m.joinsOn(toks) {
		m.goOn(&f, said.topic)
	}
	return f.match()
}
