package tools

import "strings"

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	digits       = "0123456789"
	allLetters   = lowerLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// nameForm is what every chat protocol accepts as a function name, in lower case so
// that two names cannot be mistaken for each other.
const nameForm = "^[a-z][a-z0-9_]{0,63}$"

// These are functions and not regular expressions, which take 160 KB.

func isName(s string) bool { return isForm(s, lowerLetters, lowerLetters+digits+"_", 64) }

// isArgument reports whether an argument is also passed as an environment variable; lower case, so
// that two of them cannot become one variable.
func isArgument(s string) bool { return isForm(s, lowerLetters, lowerLetters+digits+"_", 40) }

func isEnv(s string) bool { return isForm(s, allLetters+"_", allLetters+digits+"_", 64) }

// isForm reports whether s begins with a byte of first, continues with bytes of rest, and has at
// most longest bytes.
func isForm(s, first, rest string, longest int) bool {
	return s != "" && len(s) <= longest && strings.IndexByte(first, s[0]) >= 0 && strings.Trim(s[1:], rest) == ""
}

// maxNumeral bounds the digits on either side of a point.
const maxNumeral = 15

// isNumeral reports whether text is a number, as a model or a person writes it in a string.
func isNumeral(s string) bool {
	whole, part, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	isDigits := func(s string) bool { return isForm(s, digits, digits, maxNumeral) }
	return isDigits(whole) && (!point || isDigits(part))
}
