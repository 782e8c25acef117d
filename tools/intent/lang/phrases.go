package lang

import (
	"slices"
	"strings"
)

// Phrases finds phrases of one or more words at a place of a request.
type Phrases[T any] struct {
	next  []step[T] // sorted by word
	marks uint64    // of their words
	value T
	Ends  bool // a phrase ends here, with the meaning value
}

// step is a word and what may come after it.
type step[T any] struct {
	word string
	to   *Phrases[T]
}

// find is the index of w in next, or the one where it would be.
func (p *Phrases[T]) find(w string) (i int, ok bool) {
	return slices.BinarySearchFunc(p.next, w, func(s step[T], w string) int { return strings.Compare(s.word, w) })
}

// After is what may come after w, or nil.
func (p *Phrases[T]) After(w string) *Phrases[T] {
	if p.marks&mark(w) == 0 {
		return nil
	}
	if i, ok := p.find(w); ok {
		return p.next[i].to
	}
	return nil
}

// mark is a bit that few words share: most that are looked up are not there.
func mark(w string) uint64 {
	if w == "" {
		return 1
	}
	return 1 << ((uint(w[0]) + 7*uint(w[len(w)-1]) + 19*uint(len(w))) % 64)
}

// Add gives ws the meaning v; a later meaning of the same words is dropped.
func (p *Phrases[T]) Add(ws []string, v T) {
	for _, w := range ws {
		i, ok := p.find(w)
		if !ok {
			p.next, p.marks = slices.Insert(p.next, i, step[T]{w, &Phrases[T]{}}), p.marks|mark(w)
		}
		p = p.next[i].to
	}
	if !p.Ends {
		p.value, p.Ends = v, true
	}
}

// Longest reads the longest phrase at token i. Without one end is i.
func (p *Phrases[T]) Longest(toks []Token, i int) (v T, end int) {
	end = i
	for k := i; k < len(toks); k++ {
		if p = p.After(toks[k].Text); p == nil {
			break
		}
		if p.Ends {
			v, end = p.value, k+1
		}
	}
	return v, end
}

// Skip is the end of the longest phrase at i, or i.
func (p *Phrases[T]) Skip(toks []Token, i int) int {
	_, end := p.Longest(toks, i)
	return end
}

// Each calls f with every phrase at i, the longest first.
func (p *Phrases[T]) Each(toks []Token, i int, f func(end int, v T)) {
	if i < len(toks) {
		if q := p.After(toks[i].Text); q != nil {
			q.Each(toks, i+1, f)
			if q.Ends {
				f(i+1, q.value)
			}
		}
	}
}

// List is phrases as a file lists them.
type List struct {
	Phrases[bool]
	Said []string
}

func (l *List) UnmarshalYAML(read func(any) error) error {
	*l = List{}
	if err := read(&l.Said); err != nil {
		return err
	}
	all, err := allForms(l.Said)
	l.Said = all
	return err
}

func (l *List) ready(expand func([]string) []string) {
	for _, form := range l.Said {
		l.Add(expand(Words(form)), true)
	}
}

// table is phrases as a file lists them, by what they mean.
type table[T comparable] struct {
	Phrases[T]
	Said map[T][]string
}

func (t *table[T]) UnmarshalYAML(read func(any) error) error {
	*t = table[T]{}
	if err := read(&t.Said); err != nil {
		return err
	}
	for v, forms := range t.Said {
		all, err := allForms(forms)
		if err != nil {
			return err
		}
		t.Said[v] = all
	}
	return nil
}

func (t *table[T]) ready(expand func([]string) []string) {
	for v, forms := range t.Said {
		for _, form := range forms {
			t.Add(expand(Words(form)), v)
		}
	}
}

// Values is phrases as a file lists them, each with its meaning.
type Values[T any] struct {
	Phrases[T]
	said map[string]T
}

func (t *Values[T]) UnmarshalYAML(read func(any) error) error {
	*t = Values[T]{}
	var written map[string]T
	err := read(&written)
	if err == nil {
		t.said, err = keyForms(written)
	}
	return err
}

func (t *Values[T]) ready(expand func([]string) []string) {
	for form, v := range t.said {
		t.Add(expand(Words(form)), v)
	}
}

// Set is words as a file lists them.
type Set map[string]bool

func (s *Set) UnmarshalYAML(read func(any) error) error {
	var all []string
	if err := read(&all); err != nil {
		return err
	}
	all, err := allForms(all)
	*s = make(Set, len(all))
	for _, w := range all {
		(*s)[w] = true
	}
	return err
}

// Find is the place of the first of toks that is in the set, or -1.
func (s Set) Find(toks []Token) int {
	return slices.IndexFunc(toks, func(t Token) bool { return s[t.Text] })
}

// shorts are the expansions of abbreviated words: don't.
type shorts map[string]string

func (s *shorts) UnmarshalYAML(read func(any) error) error {
	var written map[string]string
	err := read(&written)
	if err == nil {
		*s, err = keyForms(written)
	}
	return err
}
