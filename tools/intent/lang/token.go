package lang

import (
	"strings"
	"unicode"
)

// Token is one word or number of a request.
type Token struct {
	Text  string
	Comma bool // a comma or the like stood before it
}

// Cost says how much of a request is left unexplained. Ten is about one word of content.
type Cost int32

// What readings cost by themselves.
const (
	CostOpen     Cost = 1 // each word of a name that nobody has given
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
	ws := make([]string, len(toks))
	for i, t := range toks {
		ws[i] = t.Text
	}
	return strings.Join(ws, " ")
}

// Words are the lower-case words of s.
func Words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\''
	})
}
