package intent

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"hearthd/tools/intent/lang"
)

// OfTools is the File of an intent that a declared tool brings.
const OfTools = "tools"

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
		i, ok := at[t.Tool]
		if !ok {
			i = len(m.intents)
			at[t.Tool] = i
			m.intents = append(m.intents, intent{name: "declared_" + t.Tool, tool: t.Tool, file: OfTools, trigger: true})
		}
		ps := []pattern{m.trigger(ws, i, true)}
		if written := m.inDigits(ws); !slices.Equal(written, ws) { // as engines of free text write what was said
			ps = append(ps, m.trigger(written, i, false))
		}
		if builtIn, ok := m.Match(t.Sentence); ok && slices.Contains(m.words.Keeps, builtIn.Call.Name) {
			m.patterns = append(m.patterns, ps...)
		} else {
			first = append(first, ps...)
		}
	}
	m.patterns = append(first, m.patterns...)
	m.index = newIndex(m.trees, m.patterns)
	return nil
}

// trigger is the pattern of the words of one; say is whether the recogniser is taught it.
func (m *Matcher) trigger(words []string, intent int, say bool) pattern {
	var kids []ref
	for _, w := range words {
		kids = append(kids, m.spelled(w))
	}
	return m.pattern(m.trees.inOrder(kids), intent, 0, say)
}

// inDigits are words with their whole numbers in digits.
func (m *Matcher) inDigits(words []string) (list []string) {
	toks := make([]lang.Token, len(words))
	for i, w := range words {
		toks[i].Text = w
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if v, end := m.lang.Cardinal(toks, i); end > i && v == math.Trunc(v) && v <= 1e9 {
			w, i = strconv.Itoa(int(v)), end-1
		}
		list = append(list, w)
	}
	return list
}
