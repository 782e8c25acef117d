package lang

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// Short words are too much alike to be misspelt for one another: this is how many letters a word has at least of which
// two changed places, or one is wrong.
const (
	leastSwapped = 5
	leastWrong   = 7
)

// Correction is the word of the files that w, which is none of them, is one slip of the fingers away from: two
// letters that changed places or, if there is only one such word, a letter too many, too few or another one
// within it, but not the first. It is empty otherwise.
func (s *Speech) Correction(w string) (meant string) {
	n := utf8.RuneCountInString(w)
	if n < leastSwapped || s.Known[w] || IsDigits(w) || strings.ContainsRune(w, '\'') {
		return ""
	}
	several := false
	for _, known := range s.starting[w[0]] {
		if letters.Edits(w, known, 1) != 1 || strings.HasPrefix(w, known) || strings.HasPrefix(known, w) {
			continue // "moved" is another form of move
		}
		if sorted(w) == sorted(known) {
			return known
		}
		if n >= leastWrong {
			several = several || meant != ""
			meant = known
		}
	}
	if several {
		return ""
	}
	return meant
}

func sorted(w string) string { return string(slices.Sorted(slices.Values([]rune(w)))) }
