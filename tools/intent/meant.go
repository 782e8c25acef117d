package intent

import (
	"iter"
	"slices"
	"strings"
)

// Bounds of words that are left out whatever they are: how many, in how long a request, and
// the work on it, a tenth of a millisecond or two.
const (
	maxLeftOut = 3
	maxLoose   = 16
	maxLoosely = 20_000
	leastKept  = 3
)

// maxMended bounds the words that are taken back.
const maxMended = 5

// mended gives what a sentence may mean in which somebody put himself right: "a timer
// for ten no twelve minutes". What follows the word stands instead of the words before
// it, from the one on that both begin with, or else instead of as few as can be. sure
// tells the words of the two kinds apart.
func (m *Matcher) mended(toks []token, sure bool) iter.Seq[[]token] {
	return func(yield func([]token) bool) {
		for i := 1; i < len(toks); i++ {
			is, end := m.mends.longest(toks, i)
			if end == i || end == len(toks) || is != sure || !sure && m.lang.joins.skip(toks, i-1) > i-1 { // "and wait five minutes"
				continue
			}
			rest := toks[end:]
			order := m.orders.skip(rest, 0) > 0
			if order && !yield(rest) {
				return
			}
			for k := i - 1; k >= 0; k-- {
				if toks[k].text == rest[0].text && !yield(slices.Concat(toks[:k], rest)) {
					return
				}
			}
			for n := 1; n <= min(maxMended, i-1); n++ {
				if before := toks[i-n-1]; m.isNumber(rest[0]) && m.isNumber(before) {
					continue // "six minutes, I mean eight" is not "six eight"
				}
				if !yield(slices.Concat(toks[:i-n], rest)) {
					return
				}
			}
			if (sure || i == 1) && !order && !yield(rest) { // "louder no quieter"
				return
			}
			return
		}
	}
}

// heard puts right what recognisers write for words that sound alike: "turn of the light".
func (m *Matcher) heard(toks []token) []token {
	var out []token
	for i := 0; i < len(toks); {
		right, end := m.misheard.longest(toks, i)
		if end == i {
			out = append(out, toks[i])
			i++
			continue
		}
		for k, w := range right {
			out = append(out, token{w, k == 0 && toks[i].comma})
		}
		i = end
	}
	return out
}

// unstuttered leaves out a word that was said twice: "turn on the the light".
func unstuttered(toks []token) []token {
	return slices.CompactFunc(slices.Clone(toks), func(a, b token) bool { return a.text == b.text && !isDigits(a.text) })
}

// unfronted puts behind an order what stands in front of it: "in paris what is the weather
// like".
func (m *Matcher) unfronted(toks []token) []token {
	if len(toks) == 0 || !m.fronts[toks[0].text] {
		return toks
	}
	for i := 1; i < len(toks); i++ {
		if m.orders.skip(toks, i) > i && (i > 1 || toks[0].text != toks[i].text) {
			return slices.Concat(toks[i:], toks[:i])
		}
	}
	return toks
}

// ordered writes orders that come as questions as orders: "would you mind turning". What
// begins so is none: "announcing the winner".
func (m *Matcher) ordered(toks []token) []token {
	out := slices.Clone(toks)
	for i, t := range out {
		if order := m.gerunds[t.text]; order != "" && i > 0 {
			out[i].text = order
		}
	}
	return out
}

// unremarked leaves out a remark behind the request, or in front of it: up to a comma, or
// to a word that begins an order, which "to" or "not" before it would make none.
func (m *Matcher) unremarked(toks []token) []token {
	if m.remark.skip(toks, 0) > 0 {
		for i := 2; i < len(toks); i++ {
			if toks[i].comma || m.orders.skip(toks, i) > i && !m.noOrder[toks[i-1].text] {
				return toks[i:]
			}
		}
	}
	for i := 2; i < len(toks); i++ {
		if m.remark.skip(toks, i) > i && !m.goesOn[toks[i-1].text] {
			return toks[:i]
		}
	}
	return toks
}

// inFull writes the short ends of words as words: "the chicken's done".
func (m *Matcher) inFull(toks []token) []token {
	var out []token
	for _, t := range toks {
		at := strings.IndexByte(t.text, '\'')
		if at < 0 || m.shortEnds[t.text[at:]] == "" {
			out = append(out, t)
			continue
		}
		out = append(out, token{t.text[:at], t.comma}, token{text: m.shortEnds[t.text[at:]]})
	}
	return out
}

// findLoosely finds the request for one of the loose tools that toks are without up to
// three words one behind the other: "wake me for work at six". The first word stays, and
// so do numbers and words that turn the meaning. What any words fit tells nothing here.
func (m *Matcher) findLoosely(toks []token, while int, work *int) (found, []token, bool) {
	if len(toks) > maxLoose || !slices.ContainsFunc(toks, func(t token) bool { return m.cues[t.text] }) {
		return found{}, nil, false
	}
	left := min(*work, maxLoosely)
	defer func() { *work -= min(*work, maxLoosely) - left }()
	for n := 1; n <= maxLeftOut && len(toks)-n >= leastKept; n++ {
		for i := 1; i+n <= len(toks); i++ {
			if slices.ContainsFunc(toks[i:i+n], m.isHeld) {
				continue
			}
			kept := slices.Concat(toks[:i], toks[i+n:])
			f, ok := m.findExactly(kept, while, &left)
			if ok && m.loose[f.intent.tool] && !slices.ContainsFunc(f.slots, func(s filled) bool { return m.open[s.typ] && s.arg != "label" }) {
				return f, kept, true
			}
		}
	}
	return found{}, nil, false
}

// isHeld reports whether a word is never left out.
func (m *Matcher) isHeld(t token) bool { return m.holds[t.text] || m.isNumber(t) }

func (m *Matcher) isNumber(t token) bool {
	if t.text == "" || t.text[0] >= '0' && t.text[0] <= '9' {
		return true
	}
	_, end := m.lang.cardinal([]token{t}, 0)
	return end > 0
}
