package intent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Grammar is what a grammar-driven recogniser needs to hear the intents.
type Grammar struct {
	JSGF  string   // a JSpeech grammar whose public rule is Rule
	Rule  string   // "utterance"
	Words []string // every word in it, sorted
}

// Grammar gives the grammar of everything that Match understands without
// typing, where an utterance is the wake phrase, a request, or both. Names that
// hold one of the words of without are left out, and so is what would then name
// nothing.
func (m *Matcher) Grammar(without ...string) Grammar {
	g := grammarWriter{m: m, names: *m.names.Load(), without: without}
	var b strings.Builder
	b.WriteString("#JSGF V1.0;\ngrammar hearth;\n")
	fmt.Fprintf(&b, "public <utterance> = [<wake>] <request> | <wake>;\n")
	fmt.Fprintf(&b, "<wake> = %s;\n", strings.Join(words(m.wake), " "))
	var commands []string
	var rules strings.Builder
	for _, in := range m.intents {
		var says []string
		for _, n := range in.say {
			if g.canSay(n) {
				says = append(says, g.jsgf(n))
			}
		}
		if len(says) > 0 {
			commands = append(commands, "<"+in.name+">")
			fmt.Fprintf(&rules, "<%s> = %s;\n", in.name, strings.Join(says, "\n\t| "))
		}
	}
	fmt.Fprintf(&b, "<request> = %s<command>%s;\n", optional(m.data.Before, "", " "), optional(m.data.After, " ", ""))
	fmt.Fprintf(&b, "<command> = %s;\n", strings.Join(commands, " | "))
	b.WriteString(rules.String())
	b.WriteString(m.data.Speech.Grammar)
	for _, name := range slices.Sorted(maps.Keys(m.data.lexicon)) {
		said := slices.DeleteFunc(slices.Sorted(maps.Keys(m.data.lexicon[name].said)), hasFigures)
		if len(said) > 0 && g.used[name] {
			fmt.Fprintf(&b, "<%s> = %s;\n", name, strings.Join(said, " | "))
		}
	}
	for _, vocab := range slices.Sorted(maps.Keys(g.names)) {
		said := g.said(vocab)
		if len(said) == 0 {
			continue
		}
		one, some := ruleName(oneName+vocab), ruleName(someNames+vocab)
		fmt.Fprintf(&b, "<%s> = %s;\n", one, strings.Join(said, " | "))
		if joins := m.data.Speech.Joins; len(joins) > 0 {
			fmt.Fprintf(&b, "<%s> = <%s> [%s <%s>];\n", some, one, joins[0], one)
		}
	}
	return Grammar{JSGF: b.String(), Rule: "utterance", Words: grammarWords(b.String())}
}

// optional is one of words or nothing, in JSGF.
func optional(words []string, before, after string) string {
	if len(words) == 0 {
		return ""
	}
	return before + "[" + strings.Join(words, " | ") + "]" + after
}

// grammarWriter writes patterns as JSGF.
type grammarWriter struct {
	m       *Matcher
	names   map[string]*vocabulary
	without []string
	used    map[string]bool
}

// said are the names of a vocabulary that can be in the grammar: without
// figures, which no dictionary has.
func (g *grammarWriter) said(vocab string) []string {
	v := g.names[vocab]
	if v == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.said), func(s string) bool {
		return slices.ContainsFunc(strings.Fields(s), func(w string) bool { return isDigits(w) || slices.Contains(g.without, w) })
	})
}

// hasFigures reports whether s has what a dictionary lacks.
func hasFigures(s string) bool { return strings.ContainsAny(s, "0123456789") }

// canSay reports whether every name that n needs has one that can be said.
func (g *grammarWriter) canSay(n *node) bool {
	if n.kind == slot {
		if g.used == nil {
			g.used = map[string]bool{"item": true}
		}
		g.used[n.text] = true
		if _, vocab, ok := strings.Cut(n.text, ":"); ok {
			return len(g.said(vocab)) > 0
		}
	}
	return !slices.ContainsFunc(n.kids, func(k *node) bool { return !g.canSay(k) })
}

// ruleName is the rule of a slot type.
func ruleName(typ string) string { return strings.ReplaceAll(typ, ":", "_") }

// jsgf writes a pattern as a JSGF expansion. Adjacent words that have a
// contraction may be heard as either.
func (g *grammarWriter) jsgf(n *node) string {
	switch n.kind {
	case word:
		return n.text
	case slot:
		return "<" + ruleName(n.text) + ">"
	case opt:
		return "[" + g.jsgf(n.kids[0]) + "]"
	case alt:
		var alts []string
		for _, k := range n.kids {
			alts = append(alts, g.jsgf(k))
		}
		return "(" + strings.Join(alts, " | ") + ")"
	}
	var parts []string
	for i := 0; i < len(n.kids); i++ {
		if short := g.m.contraction(n.kids[i:]); short != "" {
			parts = append(parts, "("+n.kids[i].text+" "+n.kids[i+1].text+" | "+short+")")
			i++
			continue
		}
		parts = append(parts, g.jsgf(n.kids[i]))
	}
	return strings.Join(parts, " ")
}

// contraction is the spoken short form of the first two nodes, such as
// "what's", or "".
func (m *Matcher) contraction(kids []*node) string {
	if len(kids) < 2 || kids[0].kind != word || kids[1].kind != word {
		return ""
	}
	long := kids[0].text + " " + kids[1].text
	best := ""
	for short, l := range m.data.Contractions {
		if l == long && strings.Contains(short, "'") && (best == "" || short < best) {
			best = short
		}
	}
	return best
}

// grammarWords collects the words of a JSGF grammar: what is neither a rule
// name nor punctuation.
func grammarWords(jsgf string) []string {
	_, body, _ := strings.Cut(jsgf, "public ")
	seen := map[string]bool{}
	var ws []string
	inRule := false
	for _, w := range strings.FieldsFunc(body, func(r rune) bool {
		switch r {
		case '<':
			inRule = true
		case '>':
			inRule = false
			return true
		}
		return inRule || r != '\'' && !unicode.IsLetter(r)
	}) {
		if !seen[w] {
			seen[w] = true
			ws = append(ws, w)
		}
	}
	slices.Sort(ws)
	return ws
}
