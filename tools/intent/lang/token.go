package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one word or number of a request.
type Token struct {
	Text  string
	Comma bool // a comma or the like stood before it

	Glued   bool   // it is written as one with the word before it
	Written string // how it is written as the first part of a compound, where that differs

	said    string // how it was said, where the files have it otherwise
	capital bool   // it was written with a capital
}

// Cost says how much of a request is left unexplained. Ten is about one word of content.
type Cost int32

// Costs of single readings.
const (
	CostOpen     Cost = 1 // each word of a name that is not in a vocabulary
	CostMisheard Cost = 7 // "turn of the light"
)

// Reading is one way to read the tokens up to end.
type Reading struct {
	End   int
	Value any
	Cost  Cost
}

func at(toks []Token, i int) string {
	if i < len(toks) {
		return toks[i].Text
	}
	return ""
}

// reader gives the readings of a slot type at a token, the preferred one first.
type reader func(toks []Token, i int) []Reading

// IsDigits reports whether s begins with a figure.
func IsDigits(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// Join is toks as a text.
func Join(toks []Token) string {
	if len(toks) == 1 {
		return toks[0].Text
	}
	var b strings.Builder
	for i := range toks {
		write(&b, toks, i)
	}
	return b.String()
}

// write writes the word at i behind those before it, as they were written.
func write(b *strings.Builder, toks []Token, i int) {
	if i > 0 && !toks[i].Glued {
		b.WriteByte(' ')
	}
	if toks[i].Written != "" && i+1 < len(toks) && toks[i+1].Glued {
		b.WriteString(toks[i].Written)
		return
	}
	b.WriteString(toks[i].Text)
}

// literally is toks as a text that is taken as it was said.
func literally(toks []Token) string {
	toks = slices.Clone(toks)
	for i := range toks {
		t := &toks[i]
		if t.said != "" {
			t.Text = t.said
		}
		if t.capital {
			t.Text, t.Written = capital(t.Text), capital(t.Written)
		}
	}
	return Join(toks)
}

func capital(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w[:n]) + w[n:]
}

// Words are the lower-case words of s.
func Words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// Texts are the words of toks.
func Texts(toks []Token) []string {
	ws := make([]string, len(toks))
	for i, t := range toks {
		ws[i] = t.Text
	}
	return ws
}
