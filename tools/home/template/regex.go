package template

import (
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

// pattern compiles the pattern that a call was given, with before and after around it.
func (c call) pattern(ignoreCase bool, before, after string) expression {
	p := c.text(1, "find", "")
	if len(p) > maxPattern {
		panic(failed("a pattern of %d bytes is more than %d", len(p), maxPattern))
	}
	if ignoreCase {
		before = "(?i)" + before
	}
	c.spend(reading(before + p))
	tree, err := syntax.Parse(before+p+after, syntax.Perl)
	if err != nil {
		panic(failed("pattern: %w", err))
	}
	size, groups := program(tree), int64(tree.MaxCap())
	if size > maxProgram || groups > maxGroups {
		panic(failed("pattern: more than %d operations or %d groups", maxProgram, maxGroups))
	}
	c.spend(perInst * size)
	re, err := regexp.Compile(before + p + after)
	if err != nil {
		panic(failed("pattern: %w", err))
	}
	return expression{re, size * (perMatch + 2*groups)}
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

// found returns up to most matches of a pattern, with their groups. It looks for no more than the
// budget allows: each may take as long as all of the text.
func (s *state) found(re expression, t string, most int) [][]int {
	price := re.price * int64(len(t)+1)
	most = min(most, len(t)+1)
	affordable := int(s.left/price) - 1
	if affordable < 1 {
		s.spend(-1)
	}
	found := re.FindAllStringSubmatchIndex(t, min(most, affordable))
	if len(found) == affordable && affordable < most {
		s.spend(-1)
	}
	s.spend(price * int64(len(found)+1))
	return found
}

func matches(before, after string) fn {
	return func(c call) any {
		re := c.pattern(c.flag(2, "ignorecase", false), before, after)
		t := c.str(c.first())
		c.spend(re.price * int64(len(t)+1))
		return re.MatchString(t)
	}
}

// references are \1 of a replacement of Python, which Go writes ${1}.
var references = strings.NewReplacer("$", "$$", `\0`, "${0}", `\1`, "${1}", `\2`, "${2}", `\3`, "${3}", `\4`, "${4}",
	`\5`, "${5}", `\6`, "${6}", `\7`, "${7}", `\8`, "${8}", `\9`, "${9}")

func regexReplace(c call) any {
	re := c.pattern(c.flag(3, "ignorecase", false), "", "")
	t, with := c.str(c.first()), c.text(2, "replace", "")
	c.make(10 * len(with))
	with = references.Replace(with)
	var b strings.Builder
	end := 0
	for _, m := range c.found(re, t, len(t)+1) {
		c.add(&b, t[end:m[0]])
		// A group may be as long as the text, and stand in the replacement as often
		// as there is room for its name.
		c.make(2 * len(with))
		c.repeat(int64(2*len(with)/len("${1}")), m[1]-m[0])
		b.Write(re.ExpandString(nil, with, t, m))
		end = m[1]
	}
	c.add(&b, t[end:])
	return b.String()
}

// maxFound bounds what regex_findall gives.
const maxFound = 100

// findTexts gives what a pattern finds in the value, as texts: of its groups, or of all of
// it where there are none.
func findTexts(c call, ignoreCase bool) [][]string {
	re := c.pattern(ignoreCase, "", "")
	t := c.str(c.first())
	var out [][]string
	for _, m := range c.found(re, t, maxFound) {
		c.items(len(m))
		if len(m) > 2 {
			m = m[2:]
		}
		texts := make([]string, len(m)/2)
		for i := range texts {
			if m[2*i] >= 0 {
				texts[i] = t[m[2*i]:m[2*i+1]]
			}
		}
		out = append(out, texts)
	}
	return out
}

// findAll gives what a pattern finds: the text, its group, or its groups.
func findAll(c call) any {
	out := []any{}
	for _, m := range findTexts(c, c.flag(2, "ignorecase", false)) {
		if len(m) == 1 {
			out = append(out, m[0])
			continue
		}
		out = append(out, c.anys(m))
	}
	return out
}

func findAllIndex(c call) any {
	found := findTexts(c, c.flag(3, "ignorecase", false))
	i := c.whole(2, "index", 0)
	if i < 0 || i >= int64(len(found)) {
		panic(failed("there is no match %d", i))
	}
	return found[i][0]
}
