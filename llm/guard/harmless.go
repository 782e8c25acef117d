package guard

import (
	"strings"
	"unicode"
)

// Harmless is text from outside the house without characters that could be taken for a mark of the
// prompt, or that cannot be seen.
func Harmless(text string) string { return strings.Map(harmless, text) }

// The characters that marks and control tokens consist of, with those that compatibility
// normalisation (Unicode's NFKC) turns into them or that look the same.
const (
	openAngles  = "<\uff1c\ufe64\u2329\u3008\u27e8\u276e\u1438\u02c2\u227a"
	closeAngles = ">\uff1e\ufe65\u232a\u3009\u27e9\u276f\u1433\u02c3\u227b"
	openSquares = "[\uff3b\u2045\u301a\u27e6"
	endSquares  = "]\uff3d\u2046\u301b\u27e7"
	bars        = "\uff5c\uffe8\u2223\u01c0"
)

// harmless replaces those characters, and drops what cannot be seen: control characters,
// the format characters that hide or reorder words, tags among them, variation selectors,
// fillers, and characters without a meaning of their own.
func harmless(r rune) rune {
	for _, to := range []struct {
		these string
		is    rune
	}{{openAngles, '‹'}, {closeAngles, '›'}, {openSquares, '('}, {endSquares, ')'}, {bars, '|'}} {
		if strings.ContainsRune(to.these, r) {
			return to.is
		}
	}
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\u2028' || r == '\u2029':
		return '\n'
	case r == '\u2800': // a blank of Braille
		return ' '
	case unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return -1
	}
	return r
}
