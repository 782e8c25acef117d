package intent

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind says what a node of a pattern is.
type kind int

const (
	word kind = iota // one literal word
	seq              // kids in order
	alt              // one of kids
	opt              // kids[0] or nothing
	slot             // an argument
)

// node is one part of a parsed pattern.
type node struct {
	kind kind
	text string // the word, or the type of the slot
	arg  string // the argument that a slot fills
	kids []*node
}

// parsePattern parses `[optional] (one|of these) {argument:type} <part>`. Its
// errors carry the column, counted from 1 inside the pattern. part gives what
// stands for <part>; it may be nil.
func parsePattern(s string, part func(name string) (*node, error)) (*node, error) {
	n, err := parsePart(s, part)
	if err != nil {
		return nil, err
	}
	if matchesNothing(n) {
		return nil, fmt.Errorf("pattern matches the empty sentence")
	}
	return n, nil
}

// parsePart is parsePattern for what may also be nothing.
func parsePart(s string, part func(name string) (*node, error)) (*node, error) {
	p := patternParser{s: s, part: part}
	n, err := p.alternatives()
	if err == nil && p.i < len(s) {
		err = p.errorf("unexpected %q", s[p.i])
	}
	return n, err
}

type patternParser struct {
	s     string
	i     int
	depth int
	part  func(name string) (*node, error)
}

// maxNesting bounds brackets within brackets, and with it the recursion.
const maxNesting = 8

func (p *patternParser) errorf(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", p.i+1, fmt.Sprintf(format, args...))
}

func (p *patternParser) alternatives() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.errorf("brackets nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	a := &node{kind: alt}
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		a.kids = append(a.kids, n)
		if p.i >= len(p.s) || p.s[p.i] != '|' {
			break
		}
		p.i++
	}
	if len(a.kids) == 1 {
		return a.kids[0], nil
	}
	return a, nil
}

func (p *patternParser) sequence() (*node, error) {
	n := &node{kind: seq}
	for p.i < len(p.s) {
		c := p.s[p.i]
		var kid *node
		var err error
		switch {
		case c == ' ':
			p.i++
			continue
		case c == '|' || c == ')' || c == ']':
			return n, p.notEmpty(n)
		case c == '(':
			kid, err = p.bracketed(')')
		case c == '[':
			if kid, err = p.bracketed(']'); err == nil {
				kid = &node{kind: opt, kids: []*node{kid}}
			}
		case c == '{':
			kid, err = p.slot()
		case c == '<' && p.part != nil:
			kid, err = p.named()
		case isPatternLetter(c):
			kid = &node{kind: word, text: p.word()}
		default:
			err = p.errorf("unexpected %q", c)
		}
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	return n, p.notEmpty(n)
}

func (p *patternParser) notEmpty(n *node) error {
	if len(n.kids) == 0 {
		return p.errorf("empty alternative")
	}
	return nil
}

func (p *patternParser) bracketed(end byte) (*node, error) {
	p.i++
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.i >= len(p.s) || p.s[p.i] != end {
		return nil, p.errorf("missing %q", end)
	}
	p.i++
	return n, nil
}

// named reads a part. It is one node for all patterns that hold it.
func (p *patternParser) named() (*node, error) {
	end := strings.IndexByte(p.s[p.i:], '>')
	if end < 0 {
		return nil, p.errorf("missing %q", '>')
	}
	n, err := p.part(p.s[p.i+1 : p.i+end])
	if err != nil {
		return nil, p.errorf("%v", err)
	}
	p.i += end + 1
	return n, nil
}

func (p *patternParser) slot() (*node, error) {
	end := strings.IndexByte(p.s[p.i:], '}')
	if end < 0 {
		return nil, p.errorf("missing %q", '}')
	}
	arg, typ, ok := strings.Cut(p.s[p.i+1:p.i+end], ":")
	if !ok || arg == "" || typ == "" {
		return nil, p.errorf("a slot is {argument:type}")
	}
	p.i += end + 1
	return &node{kind: slot, arg: arg, text: typ}, nil
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

func matchesNothing(n *node) bool {
	switch n.kind {
	case opt:
		return true
	case seq:
		for _, k := range n.kids {
			if !matchesNothing(k) {
				return false
			}
		}
		return true
	case alt:
		for _, k := range n.kids {
			if matchesNothing(k) {
				return true
			}
		}
	}
	return false
}

// holds reports whether n has a slot of a type.
func (n *node) holds(typ string) bool {
	return n.kind == slot && n.text == typ || slices.ContainsFunc(n.kids, func(k *node) bool { return k.holds(typ) })
}
