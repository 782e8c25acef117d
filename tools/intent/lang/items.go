package lang

import (
	"slices"
	"strings"
)

// Bounds of items.
const (
	maxItemWords = 6  // words of one: "2 pounds of ground beef"
	maxItems     = 20 // of one request
)

// items reads "milk, eggs and olive oil": any words, cut at commas and "and",
// but never inside something that the lexicon knows. Where a recogniser wrote
// no comma, the lexicon tells where one item ends.
func (l *Language) items(toks []Token, i int, joins *List) []Reading {
	var rs []Reading
	for end := i + 1; end <= len(toks); end++ {
		if list := l.split(toks[i:end], joins); list != nil {
			rs = append(rs, Reading{end, list, CostOpen * Cost(end-i)})
		}
	}
	return rs
}

// knownItems reads items of the lexicon only.
func (l *Language) knownItems(toks []Token, i int) []Reading {
	var rs []Reading
	for end := len(toks); end > i; end-- {
		if list := l.splitKnown(toks[i:end], &l.Joins); list != nil {
			rs = append(rs, Reading{End: end, Value: list})
		}
	}
	return rs
}

// either reads items joined by "or".
func (l *Language) either(toks []Token, i int) []Reading {
	for k := i; k < len(toks); k++ {
		if l.Choices.Skip(toks, k) > k && l.Joins.Skip(toks, k) == k {
			return slices.DeleteFunc(l.items(toks, i, &l.Choices), func(r Reading) bool { return r.End <= k })
		}
	}
	return nil
}

// split returns the items in toks, or nil when they make no sense as items.
func (l *Language) split(toks []Token, joins *List) []string {
	if list := l.splitKnown(toks, joins); list != nil {
		return list
	}
	var list []string
	start, inside := 0, 0 // tokens before inside belong to a known item
	among := joins == &l.Joins && slices.ContainsFunc(toks, func(t Token) bool { return joins.Skip([]Token{t}, 0) > 0 })
	for i := 0; i <= len(toks); i++ {
		within := i < inside
		inside = max(inside, l.known.Skip(toks, i))
		if i < start {
			continue // within the words that join
		}
		joined := i < len(toks) && !within && joins.Skip(toks, i) > i
		if i < len(toks) && !joined && !(toks[i].Comma && i > start) && (within || !l.beginsItem(toks, start, i, among)) {
			continue
		}
		said := l.withoutIdle(toks[start:i])
		switch items := l.apart(said, among); {
		case items != nil:
			list = append(list, items...)
		case len(said) > 0 || i == 0 || i == len(toks) || !toks[i].Comma:
			return nil // it is no item, or one side of an "and" is empty
		}
		if start = i; joined {
			start = joins.Skip(toks, i)
		}
	}
	return bounded(list)
}

// beginsItem reports whether what stands at i begins the next item: an article or a number, as in "three
// lemons a bunch of parsley", "a tent a lantern", "two pints of milk half a dozen eggs", and where "and" joins
// others any word: "rashers white pudding and eggs". That takes a plural before it, or an item that began so
// too, and words behind it.
func (l *Language) beginsItem(toks []Token, start, i int, joined bool) bool {
	if i <= start || i+1 >= len(toks) && !joined {
		return false
	}
	next := l.Articles[toks[i].Text] || joined && !l.NotAName[toks[i].Text]
	if before := toks[i-1].Text; next && severalOf(before) && !l.counts(toks, i-1) && !endsIn(before, l.Ends.Describing) {
		return true
	}
	return i > start+1 && l.counts(toks, i) && l.counts(toks, start) && !l.counts(toks, i-1) &&
		l.Numbers.Of.Skip(toks, i-1) == i-1 && l.itemName(toks[start:i]) != ""
}

// severalOf reports whether a word seems to be a plural, and is none like "hummus" and "swiss".
func severalOf(w string) bool {
	return len(w) > 3 && w[len(w)-1] == 's' && !strings.ContainsRune("su", rune(w[len(w)-2]))
}

// counts reports whether a number begins at i, or an "a".
func (l *Language) counts(toks []Token, i int) bool {
	return l.IsNumber(toks[i]) || l.Numbers.One.Skip(toks, i) > i || l.fractions.Skip(toks, i) > i
}

// apart is an item, or several where it consists of known ones: "bread milk" and "coriander leaves green chillies"; or
// where the language lets one cut at its words. It is nil where it is none.
func (l *Language) apart(toks []Token, among bool) []string {
	if len(toks) == 0 {
		return nil
	}
	if list := l.splitKnown(toks, &l.Joins); len(list) > 1 {
		return list
	}
	if list := l.cut(toks, among); len(list) > 1 && !slices.Contains(list, "") {
		return list
	}
	if name := l.itemName(toks); name != "" {
		return []string{name}
	}
	return nil
}

// cut cuts an item that has a known one in it, or is one of several, behind every word that says nothing more of the
// next: German "frische Petersilie Lauch" is two, and "Reifen wechseln", which is to be done, is one.
func (l *Language) cut(toks []Token, among bool) (list []string) {
	last, inside, start := toks[len(toks)-1].Text, 0, 0
	if l.known.Skip(toks, len(toks)-1) < len(toks) && endsIn(last, l.Ends.Doing) {
		return nil
	}
	for i := range toks {
		number := l.counts(toks, i)
		if l.NotAName[toks[i].Text] && !number {
			return nil
		}
		end, within := l.knownItem(toks, i), i < inside
		among, inside = among || end > i, max(inside, end)
		more := i == start || toks[i].Glued || !number && l.describes(toks, i-1)
		if more || within || l.amount(toks, start) >= i || l.amount(toks, i) == len(toks) {
			continue
		}
		list, start = append(list, l.itemName(toks[start:i])), i
	}
	if !among || len(l.Ends.Describing) == 0 {
		return nil
	}
	return append(list, l.itemName(toks[start:]))
}

// describes reports whether a word that is no item of the lexicon says more of the next.
func (l *Language) describes(toks []Token, i int) bool {
	return l.known.Skip(toks[:i+1], i) == i &&
		(l.counts(toks, i) || l.Measures.Skip(toks, i) > i || endsIn(toks[i].Text, l.Ends.Describing))
}

func endsIn(word string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(word, end) })
}

// splitKnown reads toks as known items only, the longest name first.
func (l *Language) splitKnown(toks []Token, joins *List) []string {
	var list []string
	for i := 0; i < len(toks); {
		if end := l.knownItem(toks, l.amount(toks, i)); end > l.amount(toks, i) {
			list = append(list, literally(toks[l.nameFrom(toks, i):end]))
			i = end
			continue
		}
		begins := i == 0 || l.counts(toks, i) || joins.Skip(toks, i-1) > i-1
		between := joins.Skip(toks, i) > i || l.Articles[toks[i].Text] && begins
		if i+1 == len(toks) || !between { // "water the herbs" is to be done
			return nil
		}
		i++
	}
	return bounded(list)
}

// knownItem is the end of the longest known item at i. One thing in front of a word with which such items end is a kind
// of that: "lemon curd" is one item, and "lemons curd" are two.
func (l *Language) knownItem(toks []Token, i int) int {
	end := l.known.Skip(toks, i)
	if end != i+1 || end == len(toks) || toks[end].Comma || !l.heads[toks[end].Text] || l.known.Skip(toks, end) != end+1 {
		return end
	}
	if slices.ContainsFunc(l.Plurals.Said, func(many string) bool {
		return l.known.Skip([]Token{{Text: toks[i].Text + many}}, 0) == 1
	}) {
		return end + 1
	}
	return end
}

// amount is the end of an amount at i: "two", "a bunch of", "500 grams of"; without one it is i.
func (l *Language) amount(toks []Token, i int) int {
	_, end := l.Cardinal(toks, i)
	end = max(end, l.Numbers.One.Skip(toks, i), l.fractions.Skip(toks, i)) // "ein halbes" is no "ein"
	if measure := l.Measures.Skip(toks, end); end > i && measure > end {
		return l.Numbers.Of.Skip(toks, measure)
	}
	return end
}

// nameFrom is where the name of the item at i begins: behind an article, where it counts
// no measure without an "of": "ein Kilo Mehl" begins with it.
func (l *Language) nameFrom(toks []Token, i int) int {
	one := max(l.Numbers.One.Skip(toks, i), l.fractions.Skip(toks, i))
	if end := l.Measures.Skip(toks, one); one > i && end > one && l.Numbers.Of.Skip(toks, end) == end {
		return i
	}
	return l.SkipArticles(toks, i)
}

func bounded(list []string) []string {
	if len(list) > maxItems {
		return nil
	}
	return list
}

// withoutIdle is toks without idle words at their ends.
func (l *Language) withoutIdle(toks []Token) []Token {
	for len(toks) > 0 && l.Idle.Skip(toks, 0) > 0 {
		toks = toks[l.Idle.Skip(toks, 0):]
	}
	for n := len(toks); n > 0 && l.Idle.Skip(toks, n-1) == n; n-- {
		toks = toks[:n-1]
	}
	return toks
}

// itemName is the item that toks name, or "" when they name none.
func (l *Language) itemName(toks []Token) string {
	toks = toks[l.nameFrom(toks, 0):]
	first := l.Numbers.One.Skip(toks, 0) // "ein Packerl Germ"
	if len(toks) == first || len(toks) > maxItemWords || l.NotAName[toks[first].Text] || l.NotAName[toks[len(toks)-1].Text] {
		return ""
	}
	for i := 1; i < len(toks); i++ {
		if l.Mends.Skip(toks, i) > i || l.NoItem[toks[i].Text] {
			return "" // "apples no pears" is read as it was meant
		}
	}
	return strings.TrimSpace(literally(toks))
}
