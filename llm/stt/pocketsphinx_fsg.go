package stt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// compile makes a finite state grammar of a JSGF grammar with one public rule, of words, <rules>,
// (one | of these) and [optional]; no rule may hold itself. The program reads JSGF too, but gives
// every word the same weight, so that a long list of groceries costs no more than "stop", and
// drops a weight before a rule. Here the alternatives of a place share its probability evenly:
// fewer paths are worth following, which halves the work, and less of what is only noise is
// taken for a list.
func compile(jsgf string) (string, error) {
	c := fsg{rules: map[string]string{}, open: map[string]bool{}, states: 2}
	_, body, found := strings.Cut(jsgf, "public ")
	if !found {
		return "", errors.New("use grammar: it has no public rule")
	}
	public := ""
	for part := range strings.SplitSeq(body, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		head, text, _ := strings.Cut(part, "=")
		name := strings.Trim(strings.TrimSpace(head), "<>")
		if public == "" {
			public = name
		}
		c.rules[name] = text
	}
	if err := c.rule(public, arc{0, 1, 1}); err != nil {
		return "", fmt.Errorf("use grammar: %w", err)
	}
	return fmt.Sprintf("FSG_BEGIN hearth\nNUM_STATES %d\nSTART_STATE 0\nFINAL_STATE 1\n%sFSG_END\n",
		c.states, c.arcs.String()), nil
}

// arc leads from one state to another with a probability.
type arc struct {
	from, to int
	p        float64
}

// fsg writes the arcs of a grammar.
type fsg struct {
	rules  map[string]string
	open   map[string]bool // rules that are being written
	rest   string          // what is left of the text that is read
	states int
	arcs   strings.Builder
}

// write adds an arc with a word, or with none.
func (c *fsg) write(a arc, word string) {
	fmt.Fprintf(&c.arcs, "TRANSITION %d %d %s %s\n", a.from, a.to, strconv.FormatFloat(a.p, 'g', 4, 64), word)
}

func (c *fsg) rule(name string, a arc) error {
	text, ok := c.rules[name]
	switch {
	case !ok:
		return fmt.Errorf("it has no rule <%.60s>", name)
	case c.open[name]:
		return fmt.Errorf("the rule <%.60s> holds itself", name)
	}
	c.open[name] = true
	defer delete(c.open, name)
	return c.within(text, a)
}

// within writes a text of its own.
func (c *fsg) within(text string, a arc) error {
	outer := c.rest
	c.rest = text
	err := c.alternatives(a)
	if err == nil && c.rest != "" {
		err = fmt.Errorf("unexpected %.20q", c.rest)
	}
	c.rest = outer
	return err
}

func (c *fsg) alternatives(a arc) error {
	a.p /= float64(count(c.rest))
	for {
		if err := c.sequence(a); err != nil {
			return err
		}
		rest, more := strings.CutPrefix(c.rest, "|")
		if !more {
			return nil
		}
		c.rest = rest
	}
}

// count is how many alternatives text has before it ends or is closed.
func count(text string) int {
	n, depth := 1, 0
	for _, r := range text {
		switch {
		case r == '(' || r == '[':
			depth++
		case (r == ')' || r == ']') && depth == 0:
			return n
		case r == ')' || r == ']':
			depth--
		case r == '|' && depth == 0:
			n++
		}
	}
	return n
}

func (c *fsg) sequence(a arc) error {
	if c.ended() {
		return fmt.Errorf("an alternative is empty at %.20q", c.rest)
	}
	at := a
	for {
		item := c.item()
		if at.to = a.to; !c.ended() {
			at.to = c.states
			c.states++
		}
		if err := c.put(item, at); err != nil {
			return err
		}
		if at.to == a.to {
			return nil
		}
		at.from, at.p = at.to, 1
	}
}

// ended reports whether the sequence has nothing more.
func (c *fsg) ended() bool {
	c.rest = strings.TrimLeftFunc(c.rest, unicode.IsSpace)
	return c.rest == "" || strings.ContainsRune("|)]", rune(c.rest[0]))
}

// item cuts the next word, rule or bracket off the rest.
func (c *fsg) item() string {
	end, depth := 0, 0
	for i, r := range c.rest {
		switch {
		case r == '(' || r == '[' || r == '<':
			depth++
		case r == ')' || r == ']' || r == '>':
			depth--
		}
		inWord := unicode.IsLetter(r) || unicode.IsMark(r) || r == '\''
		if end = i + len(string(r)); depth <= 0 && !inWord {
			if depth < 0 || i > 0 && !strings.ContainsRune(")]>", r) {
				end = i
			}
			break
		}
	}
	item := c.rest[:end]
	c.rest = c.rest[end:]
	return item
}

func (c *fsg) put(item string, a arc) error {
	inner := item[1:max(1, len(item)-1)]
	switch first, last := item[0], item[len(item)-1]; {
	case first == '<' && last == '>':
		return c.rule(inner, a)
	case first == '(' && last == ')':
		return c.within(inner, a)
	case first == '[' && last == ']':
		a.p /= 2
		c.write(a, "")
		return c.within(inner, a)
	case unicode.IsLetter([]rune(item)[0]) || first == '\'':
		c.write(a, item)
		return nil
	}
	return fmt.Errorf("unexpected %.20q", item)
}
