package intent

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// patternParser reads `[optional] (one|of these) {argument:type} <part>` and `these & in any & order`
// into a forest. Its errors carry the column, counted from 1 inside the pattern.
type patternParser struct {
	m     *Matcher
	s     string
	i     int
	depth int
}

func (p *patternParser) errorf(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", p.i+1, fmt.Sprintf(format, args...))
}

// whole reads all of the text.
func (p *patternParser) whole() (ref, error) {
	r, err := p.alternatives()
	if err == nil && p.i < len(p.s) {
		err = p.errorf("unexpected %q", p.s[p.i])
	}
	return r, err
}

func (p *patternParser) alternatives() (ref, error) {
	if p.depth++; p.depth > maxNesting {
		return 0, p.errorf("brackets nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	kids, err := p.separated('|', p.anyOrder)
	if err != nil {
		return 0, err
	}
	if len(kids) > maxKids {
		return 0, p.errorf("more than %d alternatives", maxKids)
	}
	return p.m.trees.oneOf(kids), nil
}

// separated reads parts, between which stands by.
func (p *patternParser) separated(by byte, part func() (ref, error)) (kids []ref, err error) {
	for {
		r, err := part()
		if err != nil {
			return nil, err
		}
		if kids = append(kids, r); p.i >= len(p.s) || p.s[p.i] != by {
			return kids, nil
		}
		p.i++
	}
}

// maxInAnyOrder bounds the parts of which each may be the next one.
const maxInAnyOrder = 10

func (p *patternParser) anyOrder() (ref, error) {
	kids, err := p.separated('&', p.sequence)
	if err != nil {
		return 0, err
	}
	for k, r := range kids {
		switch n := p.m.trees.nodes[r]; {
		case len(kids) == 1:
		case n.kind == constant:
			return 0, p.errorf("an argument that no word says, with no word beside it")
		case n.kind != opt && p.m.trees.facts[r].least == 0:
			kids[k] = p.m.trees.optional(r)
		}
	}
	if len(kids) > maxInAnyOrder {
		return 0, p.errorf("more than %d parts in any order", maxInAnyOrder)
	}
	return p.m.trees.anyOrder(kids), nil
}

func (p *patternParser) sequence() (ref, error) {
	var kids []ref
	for p.i < len(p.s) && strings.IndexByte("|&)]", p.s[p.i]) < 0 {
		if p.s[p.i] == ' ' {
			p.i++
			continue
		}
		kid, err := p.one()
		if err != nil {
			return 0, err
		}
		kids = append(kids, kid)
	}
	switch {
	case len(kids) == 0:
		return 0, p.errorf("empty alternative")
	case len(kids) > maxWordsOfPattern:
		return 0, p.errorf("more than %d words in a row", maxWordsOfPattern)
	}
	return p.m.trees.inOrder(kids), nil
}

// one reads a word, a slot, a part or what is in brackets.
func (p *patternParser) one() (ref, error) {
	switch c := p.s[p.i]; {
	case c == '(':
		if list := p.stems(); list != nil {
			return p.ending(list...), nil
		}
		return p.bracketed(')')
	case c == '[':
		kid, err := p.bracketed(']')
		if err != nil {
			return 0, err
		}
		return p.m.trees.optional(kid), nil
	case c == '{':
		return p.slot()
	case c == '<':
		return p.named()
	case isPatternLetter(c):
		return p.ending(p.word()), nil
	default:
		return 0, p.errorf("unexpected %q", c)
	}
}

// ending reads letters of words that may be left out, and the rest of them: light[s], label[l]ed, stell[e|en].
func (p *patternParser) ending(stems ...string) ref {
	ends := append([]string{""}, p.ends()...)
	rest := p.word()
	var forms []ref
	for _, stem := range stems {
		for _, end := range ends {
			forms = append(forms, p.m.spelled(stem+end+rest))
		}
	}
	return p.m.trees.oneOf(forms)
}

// ends reads [e|en] right behind a word. None: what stands there is something else.
func (p *patternParser) ends() []string {
	if p.i >= len(p.s) || p.s[p.i] != '[' {
		return nil
	}
	end := strings.IndexByte(p.s[p.i:], ']') + p.i
	if end < p.i {
		return nil
	}
	list := plainWords(p.s[p.i+1 : end])
	if list != nil {
		p.i = end + 1
	}
	return list
}

// stems reads words in round brackets that have their ends in common: (mach|stell)[e|en]. None: it is something else.
func (p *patternParser) stems() []string {
	end := strings.IndexByte(p.s[p.i:], ')') + p.i
	if end < p.i || end+1 >= len(p.s) || p.s[end+1] != '[' {
		return nil
	}
	list := plainWords(p.s[p.i+1 : end])
	if list != nil {
		p.i = end + 1
	}
	return list
}

// plainWords are the words of a text of nothing but words with | between them, or none.
func plainWords(text string) []string {
	list := strings.Split(text, "|")
	for _, w := range list {
		if w == "" || strings.IndexFunc(w, func(r rune) bool { return r < utf8.RuneSelf && !isPatternLetter(byte(r)) }) >= 0 {
			return nil
		}
	}
	return list
}

func (p *patternParser) bracketed(end byte) (ref, error) {
	p.i++
	r, err := p.alternatives()
	if err != nil {
		return 0, err
	}
	if p.i >= len(p.s) || p.s[p.i] != end {
		return 0, p.errorf("missing %q", end)
	}
	p.i++
	return r, nil
}

// named reads a part.
func (p *patternParser) named() (ref, error) {
	end := strings.IndexByte(p.s[p.i:], '>')
	if end < 0 {
		return 0, p.errorf("missing %q", '>')
	}
	r, err := p.m.part(p.s[p.i+1 : p.i+end])
	if err != nil {
		return 0, p.errorf("%v", err)
	}
	p.i += end + 1
	return r, nil
}

func (p *patternParser) slot() (ref, error) {
	end := strings.IndexByte(p.s[p.i:], '}')
	if end < 0 {
		return 0, p.errorf("missing %q", '}')
	}
	inner := p.s[p.i+1 : p.i+end]
	if arg, value, ok := strings.Cut(inner, "="); ok && arg != "" && value != "" {
		p.i += end + 1
		return p.m.trees.constant(arg, value), nil
	}
	arg, typ, ok := strings.Cut(inner, ":")
	if !ok || arg == "" || typ == "" {
		return 0, p.errorf("a slot is {argument:type} or {argument=value}")
	}
	if p.m.lang.Reader(typ) == nil {
		return 0, p.errorf("unknown slot type %q", typ)
	}
	p.i += end + 1
	return p.m.trees.slot(arg, typ), nil
}

// isPatternLetter reports whether c is part of a word: a small letter, an
// apostrophe, or a byte of a letter beyond ASCII.
func isPatternLetter(c byte) bool {
	return c == '\'' || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
}

func (p *patternParser) word() string {
	start := p.i
	for p.i < len(p.s) && (isPatternLetter(p.s[p.i])) {
		p.i++
	}
	return p.s[start:p.i]
}
