package intent

import (
	"hearthd/tools/intent/lang"
	"math"
)

// Wordings are how people ask for tools, by tool: for each word, and for each type of slot as
// {type}, its share of the sentences that start the tool. Optional words count half; each of n
// alternatives counts the root of its share, because one of many words for the same thing says
// nearly as much as a single one. What comes near to its sentences always asks for a tool.
func (m *Matcher) Wordings() map[string]map[string]float64 {
	all, sentences := map[string]map[string]float64{}, map[string]float64{}
	for i := range m.patterns {
		p := &m.patterns[i]
		tool := m.intents[p.intent].tool
		if all[tool] == nil {
			all[tool] = map[string]float64{}
		}
		sentences[tool]++
		m.weigh(all[tool], p.root, 1)
	}
	delete(all, nothing)
	delete(all, two)
	for tool, words := range all {
		for w := range words {
			words[w] /= sentences[tool]
		}
		words[near(tool)] = 1
	}
	return all
}

// weigh adds the words of a tree, which counts share.
func (m *Matcher) weigh(into map[string]float64, r ref, share float64) {
	kids := m.trees.kidsOf(r)
	switch m.trees.nodes[r].kind {
	case word, slot:
		into[m.trees.text(r)] += share
	case alt:
		share /= math.Sqrt(float64(len(kids)))
	case opt:
		share /= 2
	}
	for _, k := range kids {
		m.weigh(into, k, share)
	}
}

// near is the term of a text that comes near to what people say for a tool.
func near(tool string) string { return "=" + tool }

// Terms are the words of a text, the tool to whose sentences it comes nearest, and as {type} the types of slots that
// something in it can fill, except those that any words can fill.
func (m *Matcher) Terms(text string) []string {
	toks, ok := m.lang.Tokenize(text)
	if !ok {
		return nil
	}
	terms := lang.Texts(toks)
	for _, t := range m.nearest(toks) {
		if tool := m.intents[t.p.intent].tool; tool != nothing && tool != two {
			terms = append(terms, near(tool))
			break
		}
	}
	tried := map[string]bool{}
	for _, s := range m.trees.slots {
		read := m.lang.Readers[s.typ]
		if m.lang.Open[s.typ] || read == nil || tried[s.typ] {
			continue
		}
		tried[s.typ] = true
		for i := range toks {
			if len(read(toks, i)) > 0 {
				terms = append(terms, "{"+s.typ+"}")
				break
			}
		}
	}
	return terms
}
