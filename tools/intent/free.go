package intent

import "slices"

// Bounds of slots whose words are free in typed text.
const (
	maxNameWords = 4  // words of a label, an ingredient or a list
	maxTextWords = 40 // words of a sentence that is taken as it is
)

// openWords reads what the lexicon has, or else any few words.
func (l *language) openWords(p *phrases[any]) reader {
	known := closedWords(p)
	return func(toks []token, i int) []reading { return append(known(toks, i), l.fewWords(toks, i)...) }
}

// fewWords reads any few words, the shortest reading first.
func (l *language) fewWords(toks []token, i int) []reading {
	var rs []reading
	if first := at(toks, i); l.NotAName[first] || l.NotALabel[first] || l.Idle.skip(toks, i) > i || len(l.durations(toks, i)) > 0 {
		return nil
	}
	if i+1 < len(toks) && l.isNumber(toks[i]) && l.isNumber(toks[i+1]) {
		return nil // "six fifteen"
	}
	for n := 1; n <= maxNameWords && i+n <= len(toks); n++ {
		if t := toks[i+n-1]; n > 1 && (t.comma || l.Mends.skip(toks, i+n-1) > i+n-1) || l.EndsNames[t.text] {
			break
		}
		if n == 1 && l.isNumber(toks[i]) {
			continue // it is no name
		}
		if last := i + n - 1; n == 1 || !l.NotAName[toks[last].text] && l.Idle.skip(toks, last) == last {
			rs = append(rs, reading{i + n, join(toks[i : i+n]), costOpen * cost(n)})
		}
	}
	return rs
}

// anyWords reads any words, the longest reading first, but none behind a number that is
// put right: "at five no six".
func (l *language) anyWords(toks []token, i int) []reading {
	if end := l.Mends.skip(toks, i); i > 0 && end > i && end < len(toks) && l.isNumber(toks[i-1]) && l.isNumber(toks[end]) {
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
func (l *language) tasks(toks []token, i int) []reading {
	often := l.moments(toks, i)
	if repeat := l.readers["repeat"]; repeat != nil {
		often = append(often, repeat(toks, i)...)
	}
	rs := slices.DeleteFunc(l.anyWords(toks, i), func(r reading) bool {
		last := r.end - 1
		return slices.ContainsFunc(often, func(o reading) bool { return o.end == r.end }) || last == i && l.Articles[toks[i].text] || last > i && l.Joins.skip(toks, last) > last ||
			slices.ContainsFunc([]*list{&l.Dates.Next, &l.Dates.The, &l.Numbers.One}, func(p *list) bool { return p.skip(toks, last) > last })
	})
	slices.Reverse(rs)
	return rs
}
