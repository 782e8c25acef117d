package template

import (
	"regexp"
	"strings"
)

type kind int

const (
	eof  kind = iota
	text      // between the braces
	word      // a variable, a filter, an operator in letters
	whole
	decimal
	quoted // a string, without its quotes
	mark   // an operator, a bracket, or {{ }} {% %}
)

type token struct {
	kind kind
	text string
}

var (
	opening = regexp.MustCompile(`\{[{%#]`)
	// A lexeme is a name, a number with its fraction or exponent, a string, or an operator.
	lexeme = regexp.MustCompile(`^(?s:([A-Za-z_][0-9A-Za-z_]*)|([0-9]+)((?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)` +
		`|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(==|!=|<=|>=|//|\*\*|[-+*/%~<>=()\[\]{},.:|]))`)
)

const blank = " \t\r\n"

// lex cuts a template into tokens. Trimming, as in {{- x -}}, is done here.
func lex(s string) (toks []token) {
	trim := false
	for s != "" {
		at := opening.FindStringIndex(s)
		if at == nil {
			at = []int{len(s), len(s)}
		}
		plain, begin := s[:at[0]], s[at[0]:at[1]]
		s = s[at[1]:]
		if trim {
			plain = strings.TrimLeft(plain, blank)
		}
		if begin != "" && strings.HasPrefix(s, "-") {
			plain, s = strings.TrimRight(plain, blank), s[1:]
		}
		if plain != "" {
			toks = append(toks, token{text, plain})
		}
		switch begin {
		case "":
			return toks
		case "{#":
			note, rest, found := strings.Cut(s, "#}")
			if !found {
				panic(failed("unclosed {#"))
			}
			s, trim = rest, strings.HasSuffix(note, "-")
		default:
			toks, s, trim = inside(append(toks, token{mark, begin}), s, begin)
		}
	}
	return toks
}

// inside reads the tokens from begin up to }} or %}.
func inside(toks []token, s, begin string) (_ []token, rest string, trim bool) {
	stop := map[string]string{"{{": "}}", "{%": "%}"}[begin]
	depth := 0 // of braces, for }} may also end two dictionaries
	for {
		s = strings.TrimLeft(s, blank)
		if rest, trim := strings.CutPrefix(s, "-"+stop); trim && depth == 0 {
			return append(toks, token{mark, stop}), rest, true
		}
		if rest, ends := strings.CutPrefix(s, stop); ends && depth == 0 {
			return append(toks, token{mark, stop}), rest, false
		}
		t, n := one(s, begin)
		switch t {
		case token{mark, "{"}:
			depth++
		case token{mark, "}"}:
			depth--
		}
		toks, s = append(toks, t), s[n:]
	}
}

// one reads a token of an expression and tells its length.
func one(s, begin string) (token, int) {
	m := lexeme.FindStringSubmatch(s)
	switch {
	case s == "":
		panic(failed("unclosed %s", begin))
	case m == nil && (s[0] == '\'' || s[0] == '"'):
		panic(failed("unclosed string %.20q", s))
	case m == nil:
		panic(failed("unexpected %q", s[:1]))
	case m[1] != "":
		return token{word, m[1]}, len(m[0])
	case m[2] != "" && m[3] == "":
		return token{whole, m[2]}, len(m[0])
	case m[2] != "":
		return token{decimal, m[2] + m[3]}, len(m[0])
	case m[4] != "":
		return token{quoted, escapes.Replace(m[4][1 : len(m[4])-1])}, len(m[0])
	}
	return token{mark, m[5]}, len(m[0])
}

// escapes are those that mean something; the others stay as they are, as in Python.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, "'", `\"`, `"`)
