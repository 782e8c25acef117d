package intent

import (
	"strings"
	"unicode"
)

// homophones are the spellings that recognisers without our grammar write for
// the words of the default wake phrase.
var homophones = map[string][]string{
	"hey":    {"hay", "he", "hi", "a", "hej", "hei"},
	"hearth": {"heart", "harth", "harf", "hearts", "earth", "hearse", "hurth", "heath"},
}

// words are the lower-case words of s.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// Wake takes the wake phrase off the front of text: case, punctuation and the
// usual misspellings of "hey hearth" do not matter. rest is what was said after
// it, empty when that was all. ok is false, and rest is text, when text does
// not begin with phrase.
func Wake(text, phrase string) (rest string, ok bool) {
	want := words(phrase)
	rest = text
	for _, w := range want {
		rest = strings.TrimLeftFunc(rest, notWord)
		end := strings.IndexFunc(rest, notWord)
		if end < 0 {
			end = len(rest)
		}
		if !sounds(strings.ToLower(rest[:end]), w) {
			return text, false
		}
		rest = rest[end:]
	}
	return strings.TrimLeftFunc(rest, notWord), len(want) > 0
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
}

func sounds(heard, want string) bool {
	if heard == want {
		return true
	}
	for _, h := range homophones[want] {
		if heard == h {
			return true
		}
	}
	return false
}
