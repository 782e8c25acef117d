package intent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hearthd/tools/intent/lang"
)

// rule is a rule of a grammar: its expansion, and what that contains.
type rule struct {
	text        string
	refs, words []string
	inner       int    // states between the words and rules of its sequences
	bad         string // why it cannot be used; empty: it can, if all that it refers to can
}

// newRule reads an expansion of JSGF as far as hearthd writes it: words, <rules>, (one | of these)
// and [optional]. Weights, tags, repetitions and comments are refused.
func newRule(text string) rule {
	r := rule{text: strings.Join(strings.Fields(text), " ")}
	p := jsgfParser{rule: &r, rest: r.text}
	if err := p.alternatives(0); err != nil {
		r.bad = err.Error()
	} else if p.rest != "" {
		r.bad = fmt.Sprintf("unexpected %.20q", p.rest)
	}
	return r
}

type jsgfParser struct {
	rule *rule
	rest string
}

func (p *jsgfParser) alternatives(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("brackets nested deeper than %d", maxNesting)
	}
	for {
		if err := p.sequence(depth); err != nil {
			return err
		}
		if !strings.HasPrefix(p.rest, "|") {
			return nil
		}
		p.rest = p.rest[1:]
	}
}

func (p *jsgfParser) sequence(depth int) error {
	for n := 0; ; n++ {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.rest == "" || strings.ContainsRune("|)]", rune(p.rest[0])) {
			if n == 0 {
				return errors.New("empty alternative")
			}
			p.rule.inner += n - 1
			return nil
		}
		if err := p.one(depth); err != nil {
			return err
		}
	}
}

func (p *jsgfParser) one(depth int) error {
	switch c := p.rest[0]; c {
	case '(', '[':
		end := map[byte]string{'(': ")", '[': "]"}[c]
		p.rest = p.rest[1:]
		if err := p.alternatives(depth + 1); err != nil {
			return err
		}
		var closed bool
		if p.rest, closed = strings.CutPrefix(p.rest, end); !closed {
			return fmt.Errorf("missing %q", end)
		}
		return nil
	case '<':
		name, rest, closed := strings.Cut(p.rest[1:], ">")
		if !closed || !isRule(name) {
			return fmt.Errorf("no rule has the name %.40q", name)
		}
		p.rule.refs, p.rest = append(p.rule.refs, name), rest
		return nil
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !inWord(r) })
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	if !sayable(w) {
		return fmt.Errorf("unexpected %.20q", p.rest)
	}
	p.rule.words, p.rest = append(p.rule.words, w), p.rest[end:]
	return nil
}

// isRule reports whether name is that of a rule.
func isRule(name string) bool { return lang.IsName(strings.TrimPrefix(name, intentRule)) }

func inWord(r rune) bool { return r == '\'' || unicode.IsLetter(r) || unicode.IsMark(r) }

// sayable reports whether w is one word that a dictionary may have.
func sayable(w string) bool {
	return strings.ContainsFunc(w, unicode.IsLetter) && !strings.ContainsFunc(w, func(r rune) bool { return !inWord(r) })
}

// rules are those of a grammar, by name, in the order in which they were defined.
type rules struct {
	order []string
	named map[string]rule
	taken map[string]bool   // names that are defined twice
	said  map[string]string // why a rule cannot be used, for rules already asked about; "" when it can
}

func newRules() *rules {
	return &rules{named: map[string]rule{}, taken: map[string]bool{}, said: map[string]string{}}
}

// define adds a rule. The first of two with the same name counts.
func (rs *rules) define(name, text string) {
	if _, twice := rs.named[name]; twice {
		rs.taken[name] = true
		return
	}
	r := newRule(text)
	if !isRule(name) {
		r.bad = "a name is of a-z and _"
	}
	rs.order, rs.named[name] = append(rs.order, name), r
}

// block adds rules as a language writes them: <name> = expansion; and so on. It returns the names.
func (rs *rules) block(text string) (names []string) {
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		head, body, _ := strings.Cut(part, "=")
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(head), "<"), ">")
		rs.define(name, body)
		names = append(names, name)
	}
	return names
}

// why says why a rule cannot be used; it is empty when it can. unknown are words that the
// recogniser lacks.
func (rs *rules) why(name string, unknown []string) string {
	if why, known := rs.said[name]; known {
		return why
	}
	rs.said[name] = fmt.Sprintf("the rule <%s> holds itself", name) // in case the rule refers to itself
	rs.said[name] = rs.verdict(name, unknown)
	return rs.said[name]
}

func (rs *rules) verdict(name string, unknown []string) string {
	r, ok := rs.named[name]
	switch {
	case !ok:
		return fmt.Sprintf("the grammar has no rule <%.60s>", name)
	case r.bad != "":
		return fmt.Sprintf("the rule <%.60s>: %s", name, r.bad)
	}
	for _, w := range r.words {
		if slices.Contains(unknown, w) {
			return fmt.Sprintf("the rule <%s>: the recogniser does not know the word %q", name, w)
		}
	}
	for _, ref := range r.refs {
		if why := rs.why(ref, unknown); why != "" {
			return why
		}
	}
	return ""
}

// reach marks a rule and all that it refers to.
func (rs *rules) reach(name string, seen map[string]bool) {
	if seen[name] {
		return
	}
	seen[name] = true
	for _, ref := range rs.named[name].refs {
		rs.reach(ref, seen)
	}
}

// graph is the size of a recogniser's graph for a rule, which it writes out wherever it is used:
// the states between its ends, and the arcs with a word.
type graph struct{ states, arcs int }

// size is the graph of a rule; sized has those already computed. No rule refers to itself.
func (rs *rules) size(name string, sized map[string]graph) graph {
	g, known := sized[name]
	if known {
		return g
	}
	r := rs.named[name]
	g = graph{r.inner, len(r.words)}
	for _, ref := range r.refs {
		inner := rs.size(ref, sized)
		g.states, g.arcs = g.states+inner.states, g.arcs+inner.arcs
	}
	sized[name] = g
	return g
}
