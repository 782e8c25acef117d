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
	if !l.beginsName(toks, i) {
		return nil
	}
	var rs []Reading
	for last := i; last < min(i+maxNameWords, len(toks)) && l.goesOn(toks, i, last); last++ {
		switch t := toks[last]; {
		case last == i && l.IsNumber(t): // it is no name
		case last > i && (l.NotAName[t.Text] || l.Idle.Skip(toks, last) > last):
		default:
			rs = append(rs, Reading{last + 1, literally(toks[i : last+1]), CostOpen * Cost(last+1-i)})
		}
	}
	return rs
}

// beginsName reports whether any few words may begin at i.
func (l *Language) beginsName(toks []Token, i int) bool {
	if first := at(toks, i); l.NotAName[first] || l.NotALabel[first] {
		return false
	}
	if l.Idle.Skip(toks, i) > i || len(l.Lengths(toks, i)) > 0 {
		return false
	}
	return i+1 >= len(toks) || !l.IsNumber(toks[i]) || !l.IsNumber(toks[i+1]) // "six fifteen"
}

// goesOn reports whether the few words that begin at i may go on with the one at last.
func (l *Language) goesOn(toks []Token, i, last int) bool {
	t := toks[last]
	switch {
	case l.EndsNames[t.Text]:
		return false
	case last == i:
		return true
	case t.Comma, l.Mends.Skip(toks, last) > last:
		return false
	}
	return last == i+1 || !l.IsNumber(t) || l.Times.To.Skip(toks, last-1) == last-1 // "the light to 50"
}

// anyWords reads any words, the longest reading first, but none after a number that is corrected:
// "at five no six".
func (l *Language) anyWords(toks []Token, i int) []Reading {
	end := l.Mends.Skip(toks, i)
	if i > 0 && end > i && end < len(toks) && l.IsNumber(toks[i-1]) && l.IsNumber(toks[end]) {
		return nil
	}
	var rs []Reading
	for n := min(maxTextWords, len(toks)-i); n > 0; n-- {
		rs = append(rs, Reading{End: i + n, Value: literally(toks[i : i+n])})
	}
	return rs
}

// tasks reads any words, the shortest reading first, but none that is unfinished (it ends in an
// article, in an "and" or in the "next" of a day), only says when or is only what people say around a request.
func (l *Language) tasks(toks []Token, i int) []Reading {
	often := append(l.Moments(toks, i), l.repeatsSaid(toks, i)...)
	for _, p := range []*List{&l.Idle, &l.Times.Am, &l.Times.Pm} {
		often = append(often, Reading{End: p.Skip(toks, i)})
	}
	rs := slices.DeleteFunc(l.anyWords(toks, i), func(r Reading) bool {
		last := r.End - 1
		ends := func(p *List) bool { return p.Skip(toks, last) > last }
		return l.NotATask[toks[i].Text] || last == i && l.Articles[toks[i].Text] || last > i && ends(&l.Joins) ||
			ends(&l.Dates.Next) || ends(&l.Dates.The) || ends(&l.Numbers.One) ||
			slices.ContainsFunc(often, func(o Reading) bool { return o.End == r.End })
	})
	slices.Reverse(rs)
	return rs
}
