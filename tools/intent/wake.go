package intent

import (
	"slices"
	"strings"
	"unicode"

	"hearthd/tools/intent/lang"
)

// Wake takes the wake phrase off the front of text: case, punctuation and the usual misspellings,
// which are the homophones of the language, do not matter. rest is what was said after it, empty
// when that was all. ok is false, and rest is text, when text does not begin with the phrase.
func (m *Matcher) Wake(text string) (rest string, ok bool) {
	rest = text
	for _, w := range lang.Words(m.wake) {
		var heard string
		if heard, rest = cutWord(rest); heard != w && !slices.Contains(m.lang.Homophones[w], heard) {
			return text, false
		}
	}
	return strings.TrimLeftFunc(rest, notWord), true
}

// far is in how many sounds the beginning of a text may differ from the wake phrase that somebody else heard there.
const far = 2

// Called is text with the wake phrase, which another recogniser heard at its beginning, as it is spelt: "hey, Hart,
// why" becomes "hey hearth, why". ok is false when text begins with nothing that sounds like it.
func (m *Matcher) Called(text string) (spelt string, ok bool) {
	if _, ok := m.Wake(text); ok {
		return text, true
	}
	phrase := lang.Words(m.wake)
	least, after := far+1, ""
	var said []string
	for rest := text; rest != "" && len(said) <= len(phrase); {
		var word string
		if word, rest = cutWord(rest); word == "" {
			break
		}
		said = append(said, word)
		if n := m.lang.Differ(phrase, said, far); n < least {
			least, after = n, rest
		}
	}
	if least > far {
		return text, false
	}
	return m.wake + ", " + strings.TrimLeftFunc(after, notWord), true
}

// cutWord is the first word of text, in lower case, and what follows it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, notWord)
	end := strings.IndexFunc(text, notWord)
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(text[:end]), text[end:]
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
}
