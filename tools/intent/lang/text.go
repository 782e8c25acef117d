package lang

import (
	"strings"
	"unicode"
)

// maxText and maxTokens bound a request; a longer one is not a kitchen request.
const (
	maxText   = 400 // bytes
	MaxTokens = 64
)

// Tokenize lowers the case, drops punctuation, splits "10min" and "ten-minute"
// and replaces contractions. ok is false for a text that is too long.
func (l *Language) Tokenize(text string) (toks []Token, ok bool) {
	if len(text) > maxText {
		return nil, false
	}
	rs := l.spell(text)
	brackets := strings.ContainsAny(text, "+*/^×÷√−-") // of arithmetic
	toks = make([]Token, 0, 16)
	comma := false
	for i := 0; i < len(rs); {
		switch r := rs[i]; {
		case unicode.IsLetter(r):
			j, w := l.wordAt(rs, i)
			k := len(toks)
			toks = l.appendWord(toks, strings.ToLower(w), comma)
			if k < len(toks) {
				toks[k].capital = len(l.Capitals) > 0 && unicode.IsUpper(r)
			}
			i, comma = j, false
		case isDigit(rs, i):
			j := l.numberEnd(rs, i)
			toks = append(toks, Token{Text: l.figures(string(rs[i:j])), Comma: comma})
			i, comma = j, false
		case brackets && groups(rs, i):
			toks = append(toks, Token{Text: string(r), Comma: comma})
			comma = false
			i++
		default:
			comma = comma || strings.ContainsRune(",;:.!?—–", r)
			i++
		}
		if len(toks) > MaxTokens {
			return nil, false
		}
	}
	return toks, true
}

// signs are the marks of arithmetic, which are no words in any language. A minus
// and a slash are only between numbers.
var signs = map[rune]string{'+': "+", '×': "*", '*': "*", '÷': "/", '^': "^", '√': "sqrt", '−': "-"}

// spell writes symbols as words.
func (l *Language) spell(text string) []rune {
	in := []rune(text)
	out := make([]rune, 0, len(in)+16)
	for i, r := range in {
		sign := signs[r]
		if (r == '-' || r == '/') && l.between(in, i) {
			sign = string(r)
		}
		switch {
		case l.symbols[r] != "":
			out = append(out, []rune(l.symbols[r])...)
		case sign != "":
			out = append(out, []rune(" "+l.signs[sign]+" ")...)
		case r == '’' || r == '‘':
			out = append(out, '\'')
		default:
			out = append(out, r)
		}
	}
	return out
}

// between reports whether the minus or slash at i is arithmetic: it stands between spaced numbers,
// or a minus between two numbers or before one.
func (l *Language) between(rs []rune, i int) bool {
	k, j := pastSpaces(rs, i, -1), pastSpaces(rs, i, 1)
	closed, opens := k >= 0 && rs[k] == ')', j < len(rs) && rs[j] == '('
	before, after := isDigit(rs, k) || closed, isDigit(rs, j) || opens
	if rs[i] == '/' {
		return before && after && (k < i-1 && j > i+1 || closed || opens)
	}
	return after && (before && (k < i-1) == (j > i+1) || !before && j == i+1 && (k < 0 || k < i-1))
}

// pastSpaces is the next place after i, or before it for a step of -1, that is no space.
func pastSpaces(rs []rune, i, step int) int {
	for i += step; i >= 0 && i < len(rs) && rs[i] == ' '; i += step {
	}
	return i
}

// groups reports whether the bracket at i groups numbers: a number follows it, or precedes a
// closing one, with nothing but more such brackets between.
func groups(rs []rune, i int) bool {
	bracket, step := rs[i], 1
	switch bracket {
	case '(':
	case ')':
		step = -1
	default:
		return false
	}
	for i += step; i >= 0 && i < len(rs) && (rs[i] == ' ' || rs[i] == bracket); i += step {
	}
	return isDigit(rs, i)
}

func isDigit(rs []rune, i int) bool { return i >= 0 && i < len(rs) && rs[i] >= '0' && rs[i] <= '9' }

// wordAt is the end of the word that begins at rs[i], and the word. Letters with
// points between them, such as "p.m.", are one word, and so is what a contraction has a hyphen in: to-day.
func (l *Language) wordAt(rs []rune, i int) (int, string) {
	j := i
	for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsMark(rs[j]) || rs[j] == '\'') {
		j++
	}
	if j == i+1 && j < len(rs) && rs[j] == '.' {
		letters, k := []rune{rs[i]}, j
		for k+1 < len(rs) && rs[k] == '.' && unicode.IsLetter(rs[k+1]) && (k+2 == len(rs) || !unicode.IsLetter(rs[k+2])) {
			letters = append(letters, rs[k+1])
			k += 2
		}
		if len(letters) > 1 {
			return k, string(letters)
		}
	}
	if j > i && j+1 < len(rs) && rs[j] == '-' && unicode.IsLetter(rs[j+1]) {
		end, rest := l.wordAt(rs, j+1)
		if w := string(rs[i:j]) + "-" + rest; l.Contractions[strings.ToLower(w)] != "" {
			return end, w
		}
	}
	return j, strings.Trim(string(rs[i:j]), "'")
}

// numberEnd is the end of the number that begins at rs[i]: digits with a
// Decimal point, a fraction bar, a colon as in 7:30, or marks between thousands.
func (l *Language) numberEnd(rs []rune, i int) int {
	j := i
	for isDigit(rs, j) {
		j++
	}
	thousands, point := ',', '.'
	if l.Numbers.DecimalComma {
		thousands, point = '.', ','
	}
	three := func(i int) bool { return isDigit(rs, i) && isDigit(rs, i+1) && isDigit(rs, i+2) && !isDigit(rs, i+3) }
	for j < len(rs) && rs[j] == thousands && three(j+1) {
		j += 4
	}
	if j < len(rs) && rs[j] == ':' && isDigit(rs, j+1) && isDigit(rs, j+2) && !isDigit(rs, j+3) {
		return j + 3
	}
	if l.tenths(rs, j) {
		return j + 2
	}
	if j < len(rs) && (rs[j] == point || rs[j] == '/') && isDigit(rs, j+1) {
		for j++; isDigit(rs, j); j++ {
		}
	}
	return j
}

// tenths reports whether a point at j stands for a comma: 21.5 degrees, but 7.30 is a time and 3.5. a day.
func (l *Language) tenths(rs []rune, j int) bool {
	if !l.Numbers.DecimalComma || j >= len(rs) || rs[j] != '.' || !isDigit(rs, j+1) || isDigit(rs, j+2) {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(rs[j+2:])), " ")
	next := []Token{{Text: strings.ToLower(word)}}
	return strings.HasPrefix(word, "°") || strings.HasPrefix(word, "%") || l.Percent.Skip(next, 0) > 0 ||
		l.BeforeMark[next[0].Text] && l.Dates.In.Skip(next, 0) == 0 // "in" is one of them: 70 in Fahrenheit
}

// figures writes a number with a decimal point and without separators of thousands.
func (l *Language) figures(s string) string {
	if n := len(s) - 2; l.Numbers.DecimalComma && n > 0 && s[n] == '.' {
		return s // tenths
	}
	if l.Numbers.DecimalComma {
		return strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	}
	return strings.ReplaceAll(s, ",", "")
}

// appendWord appends w, or its expansion.
func (l *Language) appendWord(toks []Token, w string, comma bool) []Token {
	if w == "" {
		return toks
	}
	apart := l.Apart(w)
	if len(apart) > 1 {
		apart[0].Comma = comma
		return append(toks, apart...)
	}
	w = apart[0].Text
	if long, ok := l.AfterMark[w]; ok && len(toks) > 0 {
		if prev := toks[len(toks)-1].Text; l.BeforeMark[prev] || IsDigits(prev) {
			w = long
		}
	}
	return append(toks, Token{Text: w, Comma: comma, said: apart[0].said})
}
