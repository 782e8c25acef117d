package intent

import (
	"reflect"
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

// list is phrases as a file lists them.
type list struct {
	phrases[bool]
	Said []string
}

func (l *list) UnmarshalYAML(read func(any) error) error {
	*l = list{}
	return read(&l.Said)
}

func (l *list) ready(expand func([]string) []string) {
	for _, form := range l.Said {
		l.add(expand(words(form)), true)
	}
}

// table is phrases as a file lists them, by what they mean.
type table[T comparable] struct {
	phrases[T]
	Said map[T][]string
}

func (t *table[T]) UnmarshalYAML(read func(any) error) error {
	*t = table[T]{}
	return read(&t.Said)
}

func (t *table[T]) ready(expand func([]string) []string) {
	for v, forms := range t.Said {
		for _, form := range forms {
			t.add(expand(words(form)), v)
		}
	}
}

// values is phrases as a file lists them, each with what it means.
type values[T any] struct {
	phrases[T]
	said map[string]T
}

func (t *values[T]) UnmarshalYAML(read func(any) error) error {
	*t = values[T]{}
	return read(&t.said)
}

func (t *values[T]) ready(expand func([]string) []string) {
	for form, v := range t.said {
		t.add(expand(words(form)), v)
	}
}

// set is words as a file lists them.
type set map[string]bool

func (s *set) UnmarshalYAML(read func(any) error) error {
	var all []string
	err := read(&all)
	*s = make(set, len(all))
	for _, w := range all {
		(*s)[w] = true
	}
	return err
}

// ready makes what to holds of lists and tables ready to be looked up.
func ready(to any, contractions map[string]string) {
	expand := (&speech{Contractions: contractions}).expand
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); part := field.Addr().Interface().(type) {
		case interface {
			ready(expand func([]string) []string)
		}:
			part.ready(expand)
		default:
			if field.Kind() == reflect.Struct {
				ready(part, contractions)
			}
		}
	}
}
