package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// Grammar is what a grammar-driven recogniser needs to recognise the intents.
type Grammar struct {
	JSGF  string   // a JSpeech grammar whose public rule is Rule
	Rule  string   // "utterance"
	Words []string // every word in it, sorted
	Left  []Left   // what is left out, and works as text only
	// What the recogniser searches: the states of its graph, and the arcs with a word.
	States, Arcs int
}

// Left is a sentence, or a word of the lexicon, that no grammar can contain.
type Left struct {
	Where    string // its file, and the line and column there
	Sentence string
	Why      string
}

func (l Left) String() string { return fmt.Sprintf("%s: %.80q: %s", l.Where, l.Sentence, l.Why) }

// Rules of every grammar. Those of intents have a name that no other one can have.
const (
	utteranceRule = "utterance"
	wakeRule      = "wake"
	requestRule   = "request"
	commandRule   = "command"
	intentRule    = "intent-"
)

func (m *Matcher) newSpoken(d *data) spoken {
	s := spoken{
		before: d.Request.Before.Said, after: d.Request.After.Said, types: d.Speech.Grammar,
		lexicon: map[string]*lang.Lexicon{}, compounds: d.Speech.Compounds, short: map[string]string{},
	}
	for name, lex := range d.Words {
		if len(lex.Said) > 0 {
			s.lexicon[name] = lex
		}
	}
	if joins := d.Speech.Joins.Said; len(joins) > 0 {
		s.join = joins[0]
	}
	for short, long := range d.Speech.Contractions {
		if was, ok := s.short[long]; strings.Contains(short, "'") && (!ok || short < was) {
			s.short[long] = short
		}
	}
	return s
}

// Grammar returns the grammar of everything that Match understands without typing, where an
// utterance is the wake phrase, a request, or both. Names with one of the words of without are left
// out, and so is what would then name nothing. A sentence with such a word, or with a reference to
// a rule that nothing can match, is reported in Left. Every rule that the grammar refers to is in
// it.
func (m *Matcher) Grammar(without ...string) Grammar {
	g := &grammarWriter{m: m, names: m.lang.NamesSaid(), without: without, rules: newRules()}
	g.define()
	says := make([][]string, len(m.intents))
	var left []*pattern
	for i := range m.patterns {
		p := &m.patterns[i]
		if !p.say {
			continue
		}
		switch why := g.why(p.root); why {
		case "":
			says[p.intent] = append(says[p.intent], g.jsgf(p.root))
		case noNames:
		default:
			left = append(left, p)
		}
	}
	var commands []string
	reached := map[string]bool{}
	var rules strings.Builder
	for i, in := range m.intents {
		if len(says[i]) > 0 {
			name := intentRule + in.name
			commands = append(commands, "<"+name+">")
			text := strings.Join(says[i], "\n\t| ")
			fmt.Fprintf(&rules, "<%s> = %s;\n", name, text)
			for _, ref := range newRule(text).refs {
				g.rules.reach(ref, reached)
			}
		}
	}
	var b strings.Builder
	b.WriteString("#JSGF V1.0;\ngrammar hearth;\n")
	fmt.Fprintf(&b, "public <%s> = [<%s>] <%s> | <%s>;\n", utteranceRule, wakeRule, requestRule, wakeRule)
	fmt.Fprintf(&b, "<%s> = %s;\n", wakeRule, strings.Join(lang.Words(m.wake), " "))
	fmt.Fprintf(&b, "<%s> = %s<%s>%s;\n", requestRule, g.optional(m.spoken.before, "", " "), commandRule,
		g.optional(m.spoken.after, " ", ""))
	fmt.Fprintf(&b, "<%s> = %s;\n%s", commandRule, strings.Join(commands, " | "), rules.String())
	for _, name := range g.rules.order {
		if reached[name] {
			fmt.Fprintf(&b, "<%s> = %s;\n", name, g.rules.named[name].text)
		}
	}
	all := newRules()
	_, written, _ := strings.Cut(b.String(), "public ")
	all.block(written)
	size := all.size(utteranceRule, map[string]graph{})
	return Grammar{
		JSGF: b.String(), Rule: utteranceRule, Words: grammarWords(b.String()), Left: append(g.leftWords(), g.tell(left)...),
		States: size.states + 2, Arcs: size.arcs,
	}
}

// optional is the choice of what people say around a request, or nothing.
func (g *grammarWriter) optional(list []string, before, after string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return g.wrong(s) != "" })
	if len(list) == 0 {
		return ""
	}
	return before + "[" + strings.Join(list, " | ") + "]" + after
}

// grammarWriter writes patterns as JSGF.
type grammarWriter struct {
	m       *Matcher
	names   map[string][]string
	without []string
	rules   *rules
}

// define makes the rules of all types, which patterns refer to.
func (g *grammarWriter) define() {
	for _, name := range []string{utteranceRule, wakeRule, requestRule, commandRule} {
		g.rules.named[name] = rule{bad: "its name is that of a part of the grammar"}
	}
	sp := &g.m.spoken
	g.rules.block(sp.types)
	for _, name := range slices.Sorted(maps.Keys(sp.lexicon)) {
		if said := g.forms(sp.lexicon[name]); len(said) > 0 {
			g.rules.define(name, strings.Join(said, " | "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sp.compounds)) {
		var parts []string
		for _, typ := range sp.compounds[name] {
			typ, many := strings.CutSuffix(typ, lang.OneOrMore)
			part := "<" + ruleName(typ) + ">"
			if many && sp.join != "" {
				part += " [" + sp.join + " " + part + "]"
			}
			parts = append(parts, part)
		}
		g.rules.define(name, strings.Join(parts, " "))
	}
	for _, vocab := range slices.Sorted(maps.Keys(g.names)) {
		said := g.said(vocab)
		if len(said) == 0 {
			continue
		}
		one, some := ruleName(lang.OneName+vocab), ruleName(lang.SomeNames+vocab)
		g.rules.define(one, strings.Join(said, " | "))
		text := "<" + one + ">"
		if g.m.spoken.join != "" {
			text += " [" + g.m.spoken.join + " " + text + "]"
		}
		g.rules.define(some, text)
	}
}

// forms are the words of a type that can be in the grammar.
func (g *grammarWriter) forms(lex *lang.Lexicon) []string {
	unfit := func(s string) bool { return hasFigures(s) || g.wrong(s) != "" }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(lex.Said)), unfit)
}

// wrong says why a text of words cannot be recognised; it is empty when it can.
func (g *grammarWriter) wrong(text string) string {
	for w := range strings.FieldsSeq(text) {
		switch {
		case !sayable(w):
			return fmt.Sprintf("%.40q is no word that can be heard", w)
		case slices.Contains(g.without, w):
			return fmt.Sprintf("the recogniser does not know the word %q", w)
		}
	}
	if strings.TrimSpace(text) == "" {
		return "it has no words"
	}
	return ""
}

// said are the names of a vocabulary that can be in the grammar: without figures, which no
// dictionary has.
func (g *grammarWriter) said(vocab string) []string {
	return slices.DeleteFunc(slices.Clone(g.names[vocab]), func(s string) bool { return g.wrong(s) != "" })
}

// hasFigures reports whether s contains characters that a dictionary lacks.
func hasFigures(s string) bool { return strings.ContainsAny(s, "0123456789") }

// noNames is the reason why a sentence cannot be said at present, which is nobody's mistake.
const noNames = "the house has nothing that it could name"

// why says why r cannot be said; it is empty when it can.
func (g *grammarWriter) why(r ref) string {
	switch n := g.m.trees.nodes[r]; n.kind {
	case word:
		return g.wrong(g.m.trees.words[n.at])
	case constant:
		return ""
	case slot:
		typ := g.m.trees.slots[n.at].typ
		name := ruleName(typ)
		if _, known := g.rules.named[name]; !known && name != typ {
			return noNames
		}
		if g.rules.taken[name] {
			return fmt.Sprintf("two rules of the grammar are called <%s>", name)
		}
		return g.rules.why(name, g.without)
	}
	for _, k := range g.m.trees.kidsOf(r) {
		if why := g.why(k); why != "" {
			return why
		}
	}
	return ""
}

// tell reports sentences that are left out.
func (g *grammarWriter) tell(patterns []*pattern) []Left {
	if len(patterns) == 0 {
		return nil
	}
	var list []Left
	d := g.m.sentences()
	for _, p := range patterns {
		list = append(list, Left{d.where(g.m, p), d.text(g.m, p), g.why(p.root)})
	}
	return list
}

// leftWords reports words of the lexicon, and around requests, that are left out.
func (g *grammarWriter) leftWords() (list []Left) {
	sp := &g.m.spoken
	for _, name := range slices.Sorted(maps.Keys(sp.lexicon)) {
		lex := sp.lexicon[name]
		for _, s := range slices.Sorted(maps.Keys(lex.Said)) {
			if why := g.wrong(s); why != "" && !hasFigures(s) {
				list = append(list, Left{cmp.Or(lex.Where, "built in") + ": lexicon " + name, s, why})
			}
		}
	}
	for _, s := range slices.Concat(sp.before, sp.after) {
		if why := g.wrong(s); why != "" {
			list = append(list, Left{"before and after", s, why})
		}
	}
	return list
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
	kids = slices.DeleteFunc(slices.Clone(kids), func(k ref) bool { return f.nodes[k].kind == constant }) // nobody says it
	for i := 0; i < len(kids); i++ {
		if i+1 < len(kids) {
			a, b := f.wordOf(kids[i]), f.wordOf(kids[i+1])
			if short := g.m.spoken.short[a+" "+b]; short != "" && g.wrong(short) == "" {
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
		return inRule || !inWord(r)
	}) {
		if !seen[w] {
			seen[w] = true
			ws = append(ws, w)
		}
	}
	slices.Sort(ws)
	return ws
}
