package library

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hearthd/config/letters"
	"hearthd/media"
)

// maxWords bounds the words of a name that it is found by.
const maxWords = 12

// words are the words of a name in small letters without marks: "Für Elise" and "fur elise" are the same.
func words(name string) []string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFD.String(name))
	list := strings.Fields(plain)
	return list[:min(len(list), maxWords)]
}

// alike makes letters equal that recognisers take for each other. It is coarser than intent's fold, because what it
// finds is compared letter by letter.
var alike = strings.NewReplacer("ß", "s", "sch", "s", "tch", "s", "sh", "s", "ch", "k", "ck", "k", "ph", "f", "gh", "",
	"kn", "n", "wr", "r", "th", "t", "dt", "t", "qu", "k", "ce", "s", "ci", "s", "cy", "s", "x", "ks", "c", "k", "q", "k",
	"g", "k", "z", "s", "b", "p", "d", "t", "v", "f")

// sound is what is left of a word when vowels are taken out, and letters that sound alike are one.
func sound(word string) string {
	var out []byte
	for i, r := range alike.Replace(word) {
		switch {
		case strings.ContainsRune("aeiouyhwäöü", r):
			if i == 0 {
				out = append(out, 'a')
			}
		case r >= 0x80: // another script has no such letters
			out = append(out, string(r)...)
		case len(out) == 0 || out[len(out)-1] != byte(r) || unicode.IsDigit(r):
			out = append(out, byte(r))
		}
	}
	return letters.Cut(string(out), 40)
}

// sounding is how a name is found.
func sounding(n media.Named) media.Sounding {
	list := words(n.Name)
	s := media.Sounding{Named: n, Sound: sound(strings.Join(list, ""))}
	for _, w := range list {
		s.Words = append(s.Words, sound(w))
	}
	return s
}
