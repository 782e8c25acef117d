package intent

import (
	"fmt"
	"slices"

	"hearthd/tools/intent/lang"
)

// addTriggers makes one intent of the triggers of each tool. A household's own sentence goes before
// those that are built in, but not before one of a tool whose sentences the data keeps, such as
// "stop".
func (m *Matcher) addTriggers(triggers []Trigger) error {
	if len(triggers) == 0 {
		return nil
	}
	at := map[string]int{} // tool to its place in m.intents
	var first []pattern
	for _, t := range triggers {
		ws := lang.Words(t.Sentence)
		if len(ws) == 0 || t.Tool == "" {
			return fmt.Errorf("use trigger %q of tool %q: it has no words", t.Sentence, t.Tool)
		}
		var kids []ref
		for _, w := range ws {
			kids = append(kids, m.spelled(w))
		}
		i, ok := at[t.Tool]
		if !ok {
			i = len(m.intents)
			at[t.Tool] = i
			m.intents = append(m.intents, intent{name: "declared_" + t.Tool, tool: t.Tool, file: "tools", trigger: true})
		}
		p := m.pattern(m.trees.inOrder(kids), i, 0, true)
		if builtIn, ok := m.Match(t.Sentence); ok && slices.Contains(m.words.Keeps, builtIn.Call.Name) {
			m.patterns = append(m.patterns, p)
		} else {
			first = append(first, p)
		}
	}
	m.patterns = append(first, m.patterns...)
	m.index = newIndex(m.trees, m.patterns)
	return nil
}
