package intent

import "slices"

// Bounds of slots whose words are free in typed text.
const (
	maxNameWords = 4  // words of a label, an ingredient or a list
	maxTextWords = 40 // words of a sentence that is taken as it is
)

// openWords reads what the lexicon has, or else any few words.
func (m *Matcher) openWords(p *phrases[any]) reader {
	known := closedWords(p)
	return func(toks []token, i int) []reading { return append(known(toks, i), m.fewWords(toks, i)...) }
}

// fewWords reads any few words, the shortest reading first.
func (m *Matcher) fewWords(toks []token, i int) []reading {
	var rs []reading
	if first := at(toks, i); m.notAName[first] || m.notALabel[first] || m.idle.skip(toks, i) > i || len(m.durations(toks, i)) > 0 {
		return nil
	}
	if i+1 < len(toks) && m.isNumber(toks[i]) && m.isNumber(toks[i+1]) {
		return nil // "six fifteen"
	}
	for n := 1; n <= maxNameWords && i+n <= len(toks); n++ {
		if t := toks[i+n-1]; n > 1 && (t.comma || m.mends.skip(toks, i+n-1) > i+n-1) || m.endsNames[t.text] {
			break
		}
		if n == 1 && m.isNumber(toks[i]) {
			continue // it is no name
		}
		if last := i + n - 1; n == 1 || !m.notAName[toks[last].text] && m.idle.skip(toks, last) == last {
			rs = append(rs, reading{i + n, join(toks[i : i+n]), costOpen * cost(n)})
		}
	}
	return rs
}

// anyWords reads any words, the longest reading first, but none behind a number that is
// put right: "at five no six".
func (m *Matcher) anyWords(toks []token, i int) []reading {
	if end := m.mends.skip(toks, i); i > 0 && end > i && end < len(toks) && m.isNumber(toks[i-1]) && m.isNumber(toks[end]) {
		return nil
	}
	var rs []reading
	for n := min(maxTextWords, len(toks)-i); n > 0; n-- {
		rs = append(rs, reading{end: i + n, value: join(toks[i : i+n])})
	}
	return rs
}

// tasks reads any words, the shortest reading first, but none that wants more words: what
// ends in an article, in an "and" or in the "next" of a day; nor what only says when.
func (m *Matcher) tasks(toks []token, i int) []reading {
	often := m.moments(toks, i)
	if repeat := m.readers["repeat"]; repeat != nil {
		often = append(often, repeat(toks, i)...)
	}
	rs := slices.DeleteFunc(m.anyWords(toks, i), func(r reading) bool {
		last := r.end - 1
		return slices.ContainsFunc(often, func(o reading) bool { return o.end == r.end }) || last == i && m.lang.articles[toks[i].text] || last > i && m.lang.joins.skip(toks, last) > last ||
			slices.ContainsFunc([]*phrases[bool]{&m.lang.next, &m.lang.the, &m.lang.one}, func(p *phrases[bool]) bool { return p.skip(toks, last) > last })
	})
	slices.Reverse(rs)
	return rs
}
