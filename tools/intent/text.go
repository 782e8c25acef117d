package intent

import (
	"strings"
	"unicode"
)

// maxText and maxTokens bound a request; a longer one is not a kitchen request.
const (
	maxText   = 400 // bytes
	maxTokens = 64
)

// token is one word or number of a request.
type token struct {
	text  string
	comma bool // a comma or the like stood before it
}

// symbols are characters that people type instead of a word.
var symbols = map[rune]string{
	'%': " percent ", '°': " degrees ", '&': " and ", '+': " and ",
	'½': " 1/2 ", '¼': " 1/4 ", '¾': " 3/4 ", '⅓': " 1/3 ", '⅔': " 2/3 ",
	'’': "'", '‘': "'",
}

// tokenize lowers the case, drops punctuation, splits "10min" and "ten-minute"
// and replaces contractions. ok is false for a text that is too long.
func (m *Matcher) tokenize(text string) (toks []token, ok bool) {
	if len(text) > maxText {
		return nil, false
	}
	var b strings.Builder
	for _, r := range text {
		if s, found := symbols[r]; found {
			b.WriteString(s)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	comma := false
	rs := []rune(b.String())
	for i := 0; i < len(rs); {
		switch r := rs[i]; {
		case unicode.IsLetter(r):
			j := i
			for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsMark(rs[j]) || rs[j] == '\'') {
				j++
			}
			toks = m.appendWord(toks, strings.Trim(string(rs[i:j]), "'"), comma)
			i, comma = j, false
		case r >= '0' && r <= '9':
			j := numberEnd(rs, i)
			toks = append(toks, token{strings.ReplaceAll(string(rs[i:j]), ",", ""), comma})
			i, comma = j, false
		default:
			comma = comma || r == ',' || r == ';'
			i++
		}
		if len(toks) > maxTokens {
			return nil, false
		}
	}
	return toks, true
}

// numberEnd is the end of the number that begins at rs[i]: digits with a
// decimal point, a fraction bar or commas between thousands.
func numberEnd(rs []rune, i int) int {
	digit := func(k int) bool { return k < len(rs) && rs[k] >= '0' && rs[k] <= '9' }
	j := i
	for digit(j) {
		j++
	}
	for j < len(rs) && rs[j] == ',' && digit(j+1) && digit(j+2) && digit(j+3) && !digit(j+4) {
		j += 4
	}
	if j < len(rs) && (rs[j] == '.' || rs[j] == '/') && digit(j+1) {
		for j++; digit(j); j++ {
		}
	}
	return j
}

// appendWord appends w, or what it is short for.
func (m *Matcher) appendWord(toks []token, w string, comma bool) []token {
	if long, ok := m.contractions[w]; ok {
		for _, w := range long {
			toks = append(toks, token{w, comma})
			comma = false
		}
		return toks
	}
	if len(toks) > 0 && (w == "f" || w == "c") {
		prev := toks[len(toks)-1].text
		if prev == "degrees" || prev == "in" || prev == "to" || isDigits(prev) {
			w = map[string]string{"f": "fahrenheit", "c": "celsius"}[w]
		}
	}
	return append(toks, token{w, comma})
}

func isDigits(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// trim takes the words that people wrap around a request off both ends.
func (m *Matcher) trim(toks []token) []token {
	for again := true; again; {
		again = false
		for _, ws := range m.before {
			if len(toks) > len(ws) && hasWords(toks, 0, ws) {
				toks, again = toks[len(ws):], true
			}
		}
		for _, ws := range m.after {
			if n := len(toks) - len(ws); n > 0 && hasWords(toks, n, ws) {
				toks, again = toks[:n], true
			}
		}
	}
	return toks
}

// hasWords reports whether the words ws stand in toks at i.
func hasWords(toks []token, i int, ws []string) bool {
	if i+len(ws) > len(toks) {
		return false
	}
	for k, w := range ws {
		if toks[i+k].text != w {
			return false
		}
	}
	return true
}

func join(toks []token) string {
	ws := make([]string, len(toks))
	for i, t := range toks {
		ws[i] = t.text
	}
	return strings.Join(ws, " ")
}
