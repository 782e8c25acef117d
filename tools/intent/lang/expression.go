package lang

import (
	"strings"
)

// maxOperands and maxBrackets bound an expression.
const (
	maxOperands = 12
	maxBrackets = 8 // within each other
)

// Where an operator stands beside its operand; those in neither set stand between two.
var (
	prefixed  = map[string]bool{"sqrt": true, "cbrt": true, "neg": true}
	postfixed = map[string]bool{"^2": true, "^3": true, "%": true}
)

// expressions reads arithmetic such as "twelve times seven plus three" and "15
// percent of 80" as "12 * 7 + 3" and "15 % of 80": numbers and the operators of
// the language's data, in the order in which they were said. It needs an
// operator. The longest reading comes first.
func (l *Language) expressions(toks []Token, i int) (rs []Reading) {
	e := expression{l: l, toks: toks, i: i}
	for range maxOperands {
		e.marks("(", prefixed)
		text, end, times := l.operand(toks, e.i)
		if end == e.i {
			break
		}
		e.take(text, end, strings.Contains(text, "/"))
		if times {
			e.take("*", end, true)
			continue
		}
		e.marks(")", postfixed)
		if e.operators > 0 && e.open == 0 {
			whole := strings.Join(e.parts, " ")
			if len(e.parts) == 1 {
				whole = strings.Trim(whole, "()")
			}
			rs = append([]Reading{{End: e.i, Value: whole}}, rs...)
		}
		op, end := l.Operators.Longest(toks, e.i)
		if end == e.i || prefixed[op] {
			break
		}
		e.take(op, end, true)
	}
	return rs
}

// expression is arithmetic as far as it was read.
type expression struct {
	l               *Language
	toks            []Token
	i               int
	parts           []string
	operators, open int // open brackets
}

func (e *expression) take(part string, end int, operator bool) {
	if e.parts, e.i = append(e.parts, part), end; operator {
		e.operators++
	}
}

// marks takes the brackets and operators that stand before a number, or behind it.
func (e *expression) marks(bracket string, operators map[string]bool) {
	for {
		switch s := at(e.toks, e.i); {
		case s == bracket && s == "(" && e.open < maxBrackets:
			e.take(s, e.i+1, false)
			e.open++
			continue
		case s == bracket && s == ")" && e.open > 0:
			e.take(s, e.i+1, false)
			e.open--
			continue
		}
		op, end := e.l.Operators.Longest(e.toks, e.i)
		if end > e.i && op == "-" {
			op = "neg"
		}
		if end == e.i || !operators[op] {
			return
		}
		e.take(op, end, true)
	}
}

// operand reads a number. times is set when it is a fraction "of" what follows.
func (l *Language) operand(toks []Token, i int) (text string, end int, times bool) {
	if f, end := l.fractions.Longest(toks, i); end > i {
		if of := l.Numbers.Of.Skip(toks, end); of > end {
			return Decimal(f), of, true
		}
		return Decimal(f), end, false
	}
	if a, b, ok := strings.Cut(at(toks, i), "/"); ok && IsDigits(a) {
		return "(" + a + " / " + b + ")", i + 1, false
	}
	v, end := l.hundreds(toks, i)
	if end == i {
		v, end = l.Cardinal(toks, i)
	}
	if end == i {
		return "", i, false
	}
	if a := l.Numbers.And.Skip(toks, end); a > end {
		if f, fend := l.fraction(toks, a); fend > a {
			return Decimal(v + f), fend, false
		}
	}
	return Decimal(v), end, false
}
