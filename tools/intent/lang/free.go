package lang

import "slices"

// Bounds of slots whose words are free in typed text.
const (
	maxNameWords = 4  // words of a label, an ingredient or a list
	maxTextWords = 40 // words of a sentence that is taken literally
)

// openWords reads what the lexicon has, or else any few words.
func (l *Language) openWords(p *Phrases[any]) reader {
	known := closedWords(p)
	return func(toks []Token, i int) []Reading { return append(known(toks, i), l.fewWords(toks, i)...) }
}

// fewWords reads any few words, the shortest reading first.
func (l *Language) fewWords(toks []Token, i int) []Reading {
	var rs []Reading
	if first := at(toks, i); l.NotAName[first] || l.NotALabel[first] || l.Idle.Skip(toks, i) > i || len(l.Lengths(toks, i)) > 0 {
		return nil
	}
	if i+1 < len(toks) && l.IsNumber(toks[i]) && l.IsNumber(toks[i+1]) {
		return nil // "six fifteen"
	}
	for n := 1; n <= maxNameWords && i+n <= len(toks); n++ {
		if t := toks[i+n-1]; n > 1 && (t.Comma || l.Mends.Skip(toks, i+n-1) > i+n-1) || l.EndsNames[t.Text] {
			break
		}
		if n == 1 && l.IsNumber(toks[i]) {
			continue // it is no name
		}
		if n > 2 && l.IsNumber(toks[i+n-1]) && l.Times.To.Skip(toks, i+n-2) > i+n-2 {
			break // "the light to 50"
		}
		if last := i + n - 1; n == 1 || !l.NotAName[toks[last].Text] && l.Idle.Skip(toks, last) == last {
			rs = append(rs, Reading{i + n, Join(toks[i : i+n]), CostOpen * Cost(n)})
		}
	}
	return rs
}

// anyWords reads any words, the longest reading first, but none after a number that is corrected:
// "at five no six".
func (l *Language) anyWords(toks []Token, i int) []Reading {
	if end := l.Mends.Skip(toks, i); i > 0 && end > i && end < len(toks) && l.IsNumber(toks[i-1]) && l.IsNumber(toks[end]) {
		return nil
	}
	var rs []Reading
	for n := min(maxTextWords, len(toks)-i); n > 0; n-- {
		rs = append(rs, Reading{End: i + n, Value: Join(toks[i : i+n])})
	}
	return rs
}

// tasks reads any words, the shortest reading first, but none that is unfinished (it ends in an
// article, in an "and" or in the "next" of a day) or only says when.
func (l *Language) tasks(toks []Token, i int) []Reading {
	often := l.Moments(toks, i)
	if repeat := l.Readers["repeat"]; repeat != nil {
		often = append(often, repeat(toks, i)...)
	}
	rs := slices.DeleteFunc(l.anyWords(toks, i), func(r Reading) bool {
		last := r.End - 1
		return slices.ContainsFunc(often, func(o Reading) bool { return o.End == r.End }) || last == i && l.Articles[toks[i].Text] || last > i && l.Joins.Skip(toks, last) > last ||
			slices.ContainsFunc([]*List{&l.Dates.Next, &l.Dates.The, &l.Numbers.One}, func(p *List) bool { return p.Skip(toks, last) > last })
	})
	slices.Reverse(rs)
	return rs
}
