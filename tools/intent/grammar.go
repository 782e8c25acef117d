package intent

import (
	"fmt"
	"slices"
	"strings"
)

// Grammar is what a grammar-driven recogniser needs to hear the intents.
type Grammar struct {
	JSGF  string   // a JSpeech grammar whose public rule is Rule
	Rule  string   // "utterance"
	Words []string // every word in it, sorted
}

// spoken are the rules of the slot types that Go reads: what a recogniser may
// hear for them. The property test holds them against the readers. A list of
// items needs its "and": a chain of short words fits any chatter.
const spoken = `
<digit> = one | two | three | four | five | six | seven | eight | nine;
<teen> = ten | eleven | twelve | thirteen | fourteen | fifteen | sixteen | seventeen | eighteen | nineteen;
<tens> = twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety;
<small> = <digit> | <teen> | <tens> [<digit>];
<hundreds> = (a | <digit>) hundred [[and] <small>];
<number> = (<small> | <hundreds>) [and a (half | quarter)] | a | an | half a | a half | [a] quarter of a | a quarter | three quarters of a | (a | one) third of a | two thirds of a;
<temperature> = <small> | <hundreds> | <digit> (<teen> | <tens> [<digit>]);
<seconds> = <small> (second | seconds);
<minutes> = <small> (minute | minutes);
<duration> = <seconds> | <minutes> [[and] <seconds>] | <digit> and a half minutes | a minute [and a half] | half a minute
	| an hour [and (a half | a quarter | <minutes>)] | half an hour | (a quarter | three quarters) of an hour
	| <digit> (hour | hours) [[and] <minutes>] | <digit> and a half hours;
<percent> = (<small> | a hundred | one hundred) [percent];
<items> = [<item> [<item>] and] <item> [and <item>];
`

// Grammar gives the grammar of everything that Match understands without
// typing, where an utterance is the wake phrase, a request, or both. An empty
// wake means the phrase that New was given.
func (m *Matcher) Grammar(wake string) Grammar {
	if wake == "" {
		wake = m.wake
	}
	f := m.file
	var b strings.Builder
	b.WriteString("#JSGF V1.0;\ngrammar hearth;\n")
	fmt.Fprintf(&b, "public <utterance> = [<wake>] <request> | <wake>;\n")
	fmt.Fprintf(&b, "<wake> = %s;\n", strings.Join(words(wake), " "))
	fmt.Fprintf(&b, "<request> = [%s] <command> [%s];\n", strings.Join(f.Before, " | "), strings.Join(f.After, " | "))
	var names []string
	for _, in := range m.intents {
		if len(in.say) > 0 {
			names = append(names, "<"+in.name+">")
		}
	}
	fmt.Fprintf(&b, "<command> = %s;\n", strings.Join(names, " | "))
	for _, in := range m.intents {
		if len(in.say) == 0 {
			continue
		}
		var says []string
		for _, n := range in.say {
			says = append(says, m.jsgf(n))
		}
		fmt.Fprintf(&b, "<%s> = %s;\n", in.name, strings.Join(says, "\n\t| "))
	}
	b.WriteString(strings.TrimPrefix(spoken, "\n"))
	var units []string
	for _, spoken := range f.Lexicon.Unit {
		units = append(units, spoken...)
	}
	slices.Sort(units)
	for _, rule := range []struct {
		name  string
		words []string
	}{{"unit", units}, {"list", f.Lexicon.List}, {"label", f.Lexicon.Label}, {"ingredient", f.Lexicon.Ingredient}, {"item", f.Lexicon.Item}} {
		fmt.Fprintf(&b, "<%s> = %s;\n", rule.name, strings.Join(rule.words, " | "))
	}
	return Grammar{JSGF: b.String(), Rule: "utterance", Words: grammarWords(b.String())}
}

// jsgf writes a pattern as a JSGF expansion. Adjacent words that have a
// contraction may be heard as either.
func (m *Matcher) jsgf(n *node) string {
	switch n.kind {
	case word:
		return n.text
	case slot:
		return "<" + n.text + ">"
	case opt:
		return "[" + m.jsgf(n.kids[0]) + "]"
	case alt:
		var alts []string
		for _, k := range n.kids {
			alts = append(alts, m.jsgf(k))
		}
		return "(" + strings.Join(alts, " | ") + ")"
	}
	var parts []string
	for i := 0; i < len(n.kids); i++ {
		if short := m.contraction(n.kids[i:]); short != "" {
			parts = append(parts, "("+n.kids[i].text+" "+n.kids[i+1].text+" | "+short+")")
			i++
			continue
		}
		parts = append(parts, m.jsgf(n.kids[i]))
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
	for short, l := range m.file.Contractions {
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
		return inRule || r != '\'' && (r < 'a' || r > 'z')
	}) {
		if !seen[w] {
			seen[w] = true
			ws = append(ws, w)
		}
	}
	slices.Sort(ws)
	return ws
}
