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

// spoken is what a grammar needs of the data, apart from the patterns.
type spoken struct {
	request string            // the rule of a request, around its command
	types   string            // the rules of the types that are not in the lexicon
	lexicon map[string]string // the rule of each type that is
	join    string            // a word between two names
	short   map[string]string // two words to their spoken contraction
}

func (m *Matcher) newSpoken(d *data) spoken {
	s := spoken{types: d.Speech.Grammar, lexicon: map[string]string{}, short: map[string]string{}}
	s.request = optional(d.Before, "", " ") + "<command>" + optional(d.After, " ", "")
	for name, lex := range d.Words {
		if said := slices.DeleteFunc(slices.Sorted(maps.Keys(lex.Said)), hasFigures); len(said) > 0 {
			s.lexicon[name] = strings.Join(said, " | ")
		}
	}
	if joins := d.Speech.Joins; len(joins) > 0 {
		s.join = joins[0]
	}
	for short, long := range d.Contractions {
		if was, ok := s.short[long]; strings.Contains(short, "'") && (!ok || short < was) {
			s.short[long] = short
		}
	}
	return s
}

// Grammar gives the grammar of everything that Match understands without
// typing, where an utterance is the wake phrase, a request, or both. Names that
// hold one of the words of without are left out, and so is what would then name
// nothing.
func (m *Matcher) Grammar(without ...string) Grammar {
	g := grammarWriter{m: m, names: *m.names.Load(), without: without, used: map[string]bool{"item": true}}
	var b strings.Builder
	b.WriteString("#JSGF V1.0;\ngrammar hearth;\n")
	fmt.Fprintf(&b, "public <utterance> = [<wake>] <request> | <wake>;\n")
	fmt.Fprintf(&b, "<wake> = %s;\n", strings.Join(words(m.wake), " "))
	fmt.Fprintf(&b, "<request> = %s;\n", m.spoken.request)
	says := make([][]string, len(m.intents))
	for _, p := range m.patterns {
		if p.say && g.canSay(p.root) {
			says[p.intent] = append(says[p.intent], g.jsgf(p.root))
		}
	}
	var commands []string
	var rules strings.Builder
	for i, in := range m.intents {
		if len(says[i]) > 0 {
			commands = append(commands, "<"+in.name+">")
			fmt.Fprintf(&rules, "<%s> = %s;\n", in.name, strings.Join(says[i], "\n\t| "))
		}
	}
	fmt.Fprintf(&b, "<command> = %s;\n%s%s", strings.Join(commands, " | "), rules.String(), m.spoken.types)
	for _, name := range slices.Sorted(maps.Keys(m.spoken.lexicon)) {
		if g.used[name] {
			fmt.Fprintf(&b, "<%s> = %s;\n", name, m.spoken.lexicon[name])
		}
	}
	for _, vocab := range slices.Sorted(maps.Keys(g.names)) {
		said := g.said(vocab)
		if len(said) == 0 {
			continue
		}
		one, some := ruleName(oneName+vocab), ruleName(someNames+vocab)
		fmt.Fprintf(&b, "<%s> = %s;\n", one, strings.Join(said, " | "))
		if m.spoken.join != "" {
			fmt.Fprintf(&b, "<%s> = <%s> [%s <%s>];\n", some, one, m.spoken.join, one)
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

// canSay reports whether every name that r needs has one that can be said.
func (g *grammarWriter) canSay(r ref) bool {
	if n := g.m.trees.nodes[r]; n.kind == slot {
		typ := g.m.trees.slots[n.at].typ
		g.used[typ] = true
		if _, vocab, ok := strings.Cut(typ, ":"); ok {
			return len(g.said(vocab)) > 0
		}
	}
	return !slices.ContainsFunc(g.m.trees.kidsOf(r), func(k ref) bool { return !g.canSay(k) })
}

// ruleName is the rule of a slot type.
func ruleName(typ string) string { return strings.ReplaceAll(typ, ":", "_") }

// jsgf writes a pattern as a JSGF expansion. Adjacent words that have a
// contraction may be heard as either.
func (g *grammarWriter) jsgf(r ref) string {
	f := g.m.trees
	n, kids := f.nodes[r], f.kidsOf(r)
	switch n.kind {
	case word:
		return f.words[n.at]
	case slot:
		return "<" + ruleName(f.slots[n.at].typ) + ">"
	case opt:
		return "[" + g.jsgf(kids[0]) + "]"
	case alt:
		var alts []string
		for _, k := range kids {
			alts = append(alts, g.jsgf(k))
		}
		return "(" + strings.Join(alts, " | ") + ")"
	}
	var parts []string
	for i := 0; i < len(kids); i++ {
		if i+1 < len(kids) {
			a, b := f.wordOf(kids[i]), f.wordOf(kids[i+1])
			if short := g.m.spoken.short[a+" "+b]; short != "" {
				parts = append(parts, "("+a+" "+b+" | "+short+")")
				i++
				continue
			}
		}
		parts = append(parts, g.jsgf(kids[i]))
	}
	return strings.Join(parts, " ")
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
