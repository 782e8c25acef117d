package template

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// Bounds of a regular expression. Go's take time in proportion to the size of their
// program and to the length of the text, for each thing that they find.
const (
	maxPattern = 200  // bytes
	maxProgram = 1000 // instructions
	maxGroups  = 20   // each is carried along by every thread of the program

	perPattern = 500       // reading a byte of a pattern
	perClass   = 50_000    // reading a class of letters of the world
	perFolded  = 2_000_000 // the same, when capitals are to be the same as small letters
	perInst    = 1_000     // compiling an instruction
	perMatch   = 5         // an instruction at a byte of the text
)

// expression is a compiled pattern and what it costs on one byte.
type expression struct {
	*regexp.Regexp
	price int64
}

func (s *state) pattern(a arguments, before, after string) (expression, error) {
	p := a.text(1, "find", "")
	if len(p) > maxPattern {
		return expression{}, fmt.Errorf("a pattern of %d bytes is more than %d", len(p), maxPattern)
	}
	if a.flag(2, "ignorecase", false) {
		before = "(?i)" + before
	}
	if err := s.spend(reading(before + p)); err != nil {
		return expression{}, err
	}
	tree, err := syntax.Parse(before+p+after, syntax.Perl)
	if err != nil {
		return expression{}, fmt.Errorf("pattern: %w", err)
	}
	size, groups := program(tree), int64(tree.MaxCap())
	if size > maxProgram || groups > maxGroups {
		return expression{}, fmt.Errorf("pattern: more than %d operations or %d groups", maxProgram, maxGroups)
	}
	if err := s.spend(perInst * size); err != nil {
		return expression{}, err
	}
	re, err := regexp.Compile(before + p + after)
	if err != nil {
		return expression{}, fmt.Errorf("pattern: %w", err)
	}
	return expression{re, size * (perMatch + 2*groups)}, nil
}

// reading is what reading a pattern costs: a range that leaves ASCII may be long.
func reading(p string) int64 {
	wide := 0
	for _, r := range p {
		if r > unicode.MaxASCII {
			wide++
		}
	}
	for _, class := range []string{`\p`, `\P`, `\x{`} {
		wide += strings.Count(p, class)
	}
	price := int64(perClass)
	if strings.Contains(p, "(?") { // the i may stand anywhere behind it
		price = perFolded
	}
	return perPattern*int64(len(p)+1) + price*int64(wide)
}

// program is at least how many instructions a pattern has, repetitions written out.
func program(re *syntax.Regexp) int64 {
	n := int64(1)
	for _, sub := range re.Sub {
		n += program(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n += int64(len(re.Rune))
	case syntax.OpRepeat:
		n *= int64(max(re.Min, re.Max, 1)) + 1
	case syntax.OpCapture:
		n += 2
	}
	return min(n, maxProgram+1)
}

// once charges what one match in t may take.
func (s *state) once(re expression, t string) error { return s.spend(re.price * int64(len(t)+1)) }

// found gives up to most things that a pattern finds, with its groups. It looks for no
// more than the budget is good for: each may take as long as all of the text.
func (s *state) found(re expression, t string, most int64) ([][]int, error) {
	price := re.price * int64(len(t)+1)
	most = min(most, int64(len(t))+1)
	affordable := s.left/price - 1
	if affordable < 1 {
		return nil, s.spend(-1)
	}
	found := re.FindAllStringSubmatchIndex(t, int(min(most, affordable)))
	if int64(len(found)) == affordable && affordable < most {
		return nil, s.spend(-1)
	}
	return found, s.spend(price * int64(len(found)+1))
}

func matches(before, after string) fn {
	return func(s *state, a arguments) (any, error) {
		re, err := s.pattern(a, before, after)
		if err != nil {
			return nil, err
		}
		t, err := s.str(a.first())
		if err == nil {
			err = s.once(re, t)
		}
		return err == nil && re.MatchString(t), err
	}
}

// expandable writes a replacement as Go has it: \1 of Python is ${1}, and $ is $$.
func expandable(with string) string {
	b := make([]byte, 0, 3*len(with))
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '\\' && i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9':
			i++
			b = append(b, '$', '{', with[i], '}')
		case c == '$':
			b = append(b, '$', '$')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func regexReplace(s *state, a arguments) (any, error) {
	a.named = map[string]any{"ignorecase": a.flag(3, "ignorecase", false)}
	re, err := s.pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	with := a.text(2, "replace", "")
	if err := s.make(10 * int64(len(with))); err != nil {
		return nil, err
	}
	with = expandable(with)
	found, err := s.found(re, t, int64(len(t))+1)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	end := 0
	for _, m := range found {
		if err := s.put(&b, t[end:m[0]]); err != nil {
			return nil, err
		}
		// A group may be as long as the text, and stand in the replacement as often
		// as there is room for its name.
		longest := int64(len(with)) + int64(len(with)/len("${1}"))*int64(m[1]-m[0])
		if err := s.make(min(2*longest, Budget)); err != nil {
			return nil, err
		}
		b.Write(re.ExpandString(nil, with, t, m))
		end = m[1]
	}
	return b.String() + t[end:], s.make(int64(b.Len() + len(t) - end))
}

// maxFound bounds what regex_findall gives.
const maxFound = 100

// findTexts gives what a pattern finds in the value, as texts.
func findTexts(s *state, a arguments) ([][]string, error) {
	re, err := s.pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	found, err := s.found(re, t, maxFound)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(found))
	for i, m := range found {
		if err := s.items(len(m)); err != nil {
			return nil, err
		}
		for j := 0; j < len(m); j += 2 {
			part := ""
			if m[j] >= 0 {
				part = t[m[j]:m[j+1]]
			}
			out[i] = append(out[i], part)
		}
	}
	return out, nil
}

// findAll gives what a pattern finds: the text, its group, or its groups.
func findAll(s *state, a arguments) (any, error) {
	found, err := findTexts(s, a)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, m := range found {
		if len(m) <= 2 {
			out = append(out, m[len(m)-1])
			continue
		}
		groups := make([]any, len(m)-1)
		for i := range groups {
			groups[i] = m[i+1]
		}
		out = append(out, groups)
	}
	return out, nil
}

func findAllIndex(s *state, a arguments) (any, error) {
	found, err := findTexts(s, a)
	if err != nil {
		return nil, err
	}
	i := a.whole(2, "index", 0)
	if i < 0 || i >= int64(len(found)) {
		return nil, errUndefined
	}
	return found[i][min(1, len(found[i])-1)], nil
}
