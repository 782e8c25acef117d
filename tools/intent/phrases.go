package intent

import (
	"slices"
	"strings"
)

// phrases finds phrases of one or more words at a place of a request.
type phrases[T any] struct {
	next  []step[T] // sorted by word
	value T
	ends  bool // a phrase ends here, and means value
}

// step is a word and what may come after it.
type step[T any] struct {
	word string
	to   *phrases[T]
}

// find is the place of w in next, or the one where it belongs.
func (p *phrases[T]) find(w string) (i int, ok bool) {
	return slices.BinarySearchFunc(p.next, w, func(s step[T], w string) int { return strings.Compare(s.word, w) })
}

// after is what may come after w, or nil.
func (p *phrases[T]) after(w string) *phrases[T] {
	if i, ok := p.find(w); ok {
		return p.next[i].to
	}
	return nil
}

// add makes ws mean v; a later meaning of the same words is dropped.
func (p *phrases[T]) add(ws []string, v T) {
	for _, w := range ws {
		i, ok := p.find(w)
		if !ok {
			p.next = slices.Insert(p.next, i, step[T]{w, &phrases[T]{}})
		}
		p = p.next[i].to
	}
	if !p.ends {
		p.value, p.ends = v, true
	}
}

// longest reads the longest phrase at token i. Without one end is i.
func (p *phrases[T]) longest(toks []token, i int) (v T, end int) {
	end = i
	for k := i; k < len(toks); k++ {
		if p = p.after(toks[k].text); p == nil {
			break
		}
		if p.ends {
			v, end = p.value, k+1
		}
	}
	return v, end
}

// skip is the end of the longest phrase at i, or i.
func (p *phrases[T]) skip(toks []token, i int) int {
	_, end := p.longest(toks, i)
	return end
}

// each calls f with every phrase at i, the longest first.
func (p *phrases[T]) each(toks []token, i int, f func(end int, v T)) {
	if i < len(toks) {
		if q := p.after(toks[i].text); q != nil {
			q.each(toks, i+1, f)
			if q.ends {
				f(i+1, q.value)
			}
		}
	}
}

// cutFrom is toks without the phrases, the longest first.
func (p *phrases[T]) cutFrom(toks []token) []token {
	var out []token
	comma := false
	for i := 0; i < len(toks); {
		if end := p.skip(toks, i); end > i {
			comma = comma || toks[i].comma
			i = end
			continue
		}
		t := toks[i]
		t.comma = t.comma || comma
		out, comma = append(out, t), false
		i++
	}
	return out
}
