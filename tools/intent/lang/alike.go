package lang

import (
	"strings"

	"hearthd/config/letters"
)

// Differ is how many sounds two phrases differ in, or more than most. Vowels are all alike: recognisers differ in
// them most.
func (l *Language) Differ(a, b []string, most int) int {
	return letters.Edits(l.consonants(a), l.consonants(b), most)
}

// consonants are the sounds of a phrase in one word, with one sign for vowels in a row.
func (l *Language) consonants(words []string) string {
	var b strings.Builder
	vowel := false
	for _, w := range words {
		for _, c := range l.fold(w) {
			is := strings.ContainsRune("aeiouäöü", c)
			if is && vowel {
				continue
			}
			if vowel = is; is {
				c = 'a'
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}
