package lang

import (
	"strings"
)

// maxOperands and maxBrackets bound an expression.
const (
	maxOperands = 12
	maxBrackets = 8 // within each other
)

// How an operator stands to its operand; what is in neither set stands between
// two.
var (
	prefixed  = map[string]bool{"sqrt": true, "cbrt": true, "neg": true}
	postfixed = map[string]bool{"^2": true, "^3": true, "%": true}
)

// expressions reads arithmetic such as "twelve times seven plus three" and "15
// percent of 80" as "12 * 7 + 3" and "15 % of 80": numbers and the operators of
// the language's data, in the order in which they were said. It needs an
// operator. The longest reading comes first.
func (l *Language) expressions(toks []Token, i int) []Reading {
	var rs []Reading
	var parts []string
	operators, open := 0, 0
	for range maxOperands {
		for { // before a number
			if at(toks, i) == "(" && open < maxBrackets {
				parts, i, open = append(parts, "("), i+1, open+1
				continue
			}
			op, end := l.Operators.Longest(toks, i)
			if end > i && op == "-" {
				op = "neg"
			}
			if end == i || !prefixed[op] {
				break
			}
			parts, i = append(parts, op), end
			operators++
		}
		text, end, times := l.operand(toks, i)
		if end == i {
			break
		}
		parts, i = append(parts, text), end
		if strings.Contains(text, "/") {
			operators++
		}
		if times {
			parts = append(parts, "*")
			operators++
			continue
		}
		for {
			if at(toks, i) == ")" && open > 0 {
				parts, i, open = append(parts, ")"), i+1, open-1
				continue
			}
			op, end := l.Operators.Longest(toks, i)
			if end == i || !postfixed[op] {
				break
			}
			parts, i = append(parts, op), end
			operators++
		}
		if operators > 0 && open == 0 {
			whole := strings.Join(parts, " ")
			if len(parts) == 1 {
				whole = strings.Trim(whole, "()")
			}
			rs = append([]Reading{{End: i, Value: whole}}, rs...)
		}
		op, end := l.Operators.Longest(toks, i)
		if end == i || prefixed[op] {
			break
		}
		parts, i = append(parts, op), end
		operators++
	}
	return rs
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
