package entrance

import (
	"strings"
	"unicode"
)

// token is one word of a name, in lower case.
type token struct {
	text   string
	plain  string // without accents
	number bool
}

// maxName bounds what is looked at of a name, in bytes. Names and identifiers of devices
// are shorter; what is longer is a whole sentence.
const maxName = 4000

// tokens cuts a name, an identifier or a sentence into its words: at everything that is
// no letter, and before a capital that follows a small letter.
func tokens(name string) []token {
	name = composed(name[:min(len(name), maxName)])
	var out []token
	var b strings.Builder
	number, last := false, ' '
	flush := func() {
		if b.Len() > 0 {
			text := b.String()
			out = append(out, token{text, Plain(text), number})
		}
		b.Reset()
	}
	for _, r := range name {
		digit, letter := unicode.IsDigit(r), unicode.IsLetter(r)
		if !digit && !letter || digit != number || unicode.IsUpper(r) && unicode.IsLower(last) {
			flush()
		}
		if number = digit; digit || letter {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	flush()
	return out
}

// umlauts joins what is written as a letter and its accent, where the accent matters.
var umlauts = strings.NewReplacer("a\u0308", "ä", "o\u0308", "ö", "u\u0308", "ü",
	"A\u0308", "Ä", "O\u0308", "Ö", "U\u0308", "Ü",
	"a\u030a", "å", "A\u030a", "Å", "\u0438\u0306", "й")

// composed is a name without accents that stand as characters of their own, and without
// characters that nobody sees.
func composed(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, umlauts.Replace(name))
}

// bare takes the accents from letters, as identifiers have them.
var bare = strings.NewReplacer(
	"à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ā", "a", "ă", "a", "ą", "a",
	"ç", "c", "ć", "c", "ĉ", "c", "ċ", "c", "č", "c",
	"ď", "d", "đ", "d", "ð", "d",
	"è", "e", "é", "e", "ê", "e", "ë", "e", "ē", "e", "ĕ", "e", "ė", "e", "ę", "e", "ě", "e",
	"ĝ", "g", "ğ", "g", "ġ", "g", "ģ", "g",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ĩ", "i", "ī", "i", "ĭ", "i", "į", "i", "ı", "i",
	"ĺ", "l", "ļ", "l", "ľ", "l", "ŀ", "l", "ł", "l",
	"ñ", "n", "ń", "n", "ņ", "n", "ň", "n",
	"ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ō", "o", "ŏ", "o", "ő", "o",
	"ŕ", "r", "ŗ", "r", "ř", "r",
	"ś", "s", "ŝ", "s", "ş", "s", "š", "s", "ș", "s",
	"ţ", "t", "ť", "t", "ŧ", "t", "ț", "t",
	"ù", "u", "ú", "u", "û", "u", "ü", "u", "ũ", "u", "ū", "u", "ŭ", "u", "ů", "u", "ű", "u", "ų", "u",
	"ý", "y", "ÿ", "y",
	"ź", "z", "ż", "z", "ž", "z",
	"ß", "ss",
	"æ", "ae",
	"œ", "oe",
)

// Plain is a word without accents.
func Plain(word string) string { return bare.Replace(word) }

// Words are those of a name, in lower case: "kitchenLight" and "light2" are two.
func Words(name string) (words []string) {
	for _, t := range tokens(name) {
		words = append(words, t.text)
	}
	return words
}
