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
		rest = strings.TrimLeftFunc(rest, notWord)
		end := strings.IndexFunc(rest, notWord)
		if end < 0 {
			end = len(rest)
		}
		if heard := strings.ToLower(rest[:end]); heard != w && !slices.Contains(m.lang.Homophones[w], heard) {
			return text, false
		}
		rest = rest[end:]
	}
	return strings.TrimLeftFunc(rest, notWord), true
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
}
