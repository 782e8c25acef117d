package template

import (
	"fmt"
	"strings"
)

type kind int

const (
	text  kind = iota // between the braces
	name              // of a variable, a filter, an operator in letters
	whole             // digits
	decimal
	quoted // a string, without its quotes
	op
	open   // {{
	closed // }}
	begin  // {%
	end    // %}
	eof
)

type token struct {
	kind kind
	text string
}

// operators, the longer ones first.
var operators = []string{
	"==", "!=", "<=", ">=", "//", "**",
	"+", "-", "*", "/", "%", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ".", ":", "|",
}

// lex cuts a template into tokens. Trimming, as in {{- x -}}, is done here.
func lex(s string) ([]token, error) {
	var toks []token
	trim := false
	for s != "" {
		i := strings.Index(s, "{")
		for i >= 0 && (i+1 == len(s) || !strings.ContainsRune("{%#", rune(s[i+1]))) {
			j := strings.Index(s[i+1:], "{")
			if j < 0 {
				i = -1
				break
			}
			i += 1 + j
		}
		plain := s
		if i >= 0 {
			plain = s[:i]
		}
		if trim {
			plain = strings.TrimLeft(plain, " \t\r\n")
		}
		if i < 0 {
			return append(toks, token{text, plain}), nil
		}
		mark := s[i+1]
		s = s[i+2:]
		if s != "" && s[0] == '-' {
			plain, s = strings.TrimRight(plain, " \t\r\n"), s[1:]
		}
		if plain != "" {
			toks = append(toks, token{text, plain})
		}
		var err error
		if mark == '#' {
			_, rest, found := strings.Cut(s, "#}")
			if !found {
				return nil, fmt.Errorf("unclosed {#")
			}
			s, trim = rest, strings.HasSuffix(strings.TrimSuffix(s, rest), "-#}")
			continue
		}
		if toks, s, trim, err = inside(toks, s, mark); err != nil {
			return nil, err
		}
	}
	return toks, nil
}

// inside reads the tokens up to }} or %}.
func inside(toks []token, s string, mark byte) (_ []token, rest string, trim bool, err error) {
	first, last, stop := open, closed, "}}"
	if mark == '%' {
		first, last, stop = begin, end, "%}"
	}
	toks = append(toks, token{kind: first})
	depth := 0 // of braces, for }} may also end two dictionaries
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case s == "":
			return nil, "", false, fmt.Errorf("unclosed %s", map[byte]string{'{': "{{", '%': "{%"}[mark])
		case depth == 0 && strings.HasPrefix(s, "-"+stop):
			return append(toks, token{kind: last}), s[3:], true, nil
		case depth == 0 && strings.HasPrefix(s, stop):
			return append(toks, token{kind: last}), s[2:], false, nil
		}
		t, n, err := one(s)
		if err != nil {
			return nil, "", false, err
		}
		switch t {
		case token{op, "{"}:
			depth++
		case token{op, "}"}:
			depth--
		}
		toks, s = append(toks, t), s[n:]
	}
}

// one reads a token of an expression and tells its length.
func one(s string) (token, int, error) {
	switch c := s[0]; {
	case c == '\'' || c == '"':
		return str(s)
	case c >= '0' && c <= '9':
		t, n := number(s)
		return t, n, nil
	case letter(c):
		n := 1
		for n < len(s) && (letter(s[n]) || s[n] >= '0' && s[n] <= '9') {
			n++
		}
		return token{name, s[:n]}, n, nil
	}
	for _, o := range operators {
		if strings.HasPrefix(s, o) {
			return token{op, o}, len(o), nil
		}
	}
	return token{}, 0, fmt.Errorf("unexpected %q", s[:1])
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func number(s string) (token, int) {
	digits := func(n int) int {
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n
	}
	n := digits(0)
	t := whole
	if n+1 < len(s) && s[n] == '.' && digits(n+1) > n+1 {
		n, t = digits(n+1), decimal
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '-' || s[m] == '+') {
			m++
		}
		if e := digits(m); e > m {
			n, t = e, decimal
		}
	}
	return token{t, s[:n]}, n
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"'}

func str(s string) (token, int, error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return token{quoted, b.String()}, i + 1, nil
		case s[i] == '\\' && i+1 < len(s):
			i++
			if c, ok := escapes[s[i]]; ok {
				b.WriteByte(c)
			} else { // as Python keeps it
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return token{}, 0, fmt.Errorf("unclosed string %.20q", s)
}
