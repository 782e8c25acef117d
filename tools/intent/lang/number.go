package lang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// below100 reads "seven", "twenty" or "twenty five", or a number that is one
// word. Without one end is i.
func (l *Language) below100(toks []Token, i int) (v float64, end int) {
	v, end = l.small.Longest(toks, i)
	if end > i && v >= 20 && v < 100 && math.Mod(v, 10) == 0 {
		if d, dend := l.small.Longest(toks, end); dend > end && d >= 1 && d <= 9 {
			return v + d, dend
		}
	}
	return v, end
}

// maxTimes bounds how many hundreds and thousands a number has.
const maxTimes = 4

// Cardinal reads a number in words, or digits with an optional fraction.
// Without one end is i.
func (l *Language) Cardinal(toks []Token, i int) (v float64, end int) {
	if p := l.Numbers.Point.Skip(toks, i); p > i { // "point five"
		if d, dend := l.decimals(toks, p); dend > p {
			return d, dend
		}
	}
	if IsDigits(at(toks, i)) {
		v, end = l.digits(toks, i)
	} else if v, end = l.below100(toks, i); end == i {
		if one := l.Numbers.One.Skip(toks, i); one > i && l.Numbers.Times.Skip(toks, one) > one {
			v, end = 1, one
		}
	}
	if end == i {
		return 0, i
	}
	total := 0.0
	for range maxTimes {
		times, tend := l.Numbers.Times.Longest(toks, end)
		if tend == end || v < 1 {
			break
		}
		v, end = v*times, tend
		k := l.Numbers.And.Skip(toks, end)
		more, mend := l.below100(toks, k)
		if mend == k || more < 1 || more >= times {
			continue
		}
		if next, nend := l.Numbers.Times.Longest(toks, mend); nend > mend && next < times { // two thousand five hundred
			total, v, end = total+v, more, mend
			continue
		}
		v, end = v+more, mend
	}
	v += total
	if p := l.Numbers.Point.Skip(toks, end); p > end && v == math.Trunc(v) {
		if d, dend := l.decimals(toks, p); dend > p {
			return v + d, dend
		}
	}
	return v, end
}

// maxDecimals bounds the figures after a point.
const maxDecimals = 6

// decimals reads the figures after "point": "two five", "75".
func (l *Language) decimals(toks []Token, i int) (v float64, end int) {
	text := ""
	for end = i; len(text) < maxDecimals; end++ {
		w := at(toks, end)
		if IsDigits(w) && strings.Trim(w, "0123456789") == "" {
			text += w
			continue
		}
		if l.Times.Zero.Skip(toks, end) == end+1 { // "point oh five"
			text += "0"
			continue
		}
		d, dend := l.small.Longest(toks, end)
		if dend != end+1 || d > 9 && text != "" || d != math.Trunc(d) {
			break
		}
		text += strconv.Itoa(int(d))
	}
	v, err := strconv.ParseFloat("0."+text+"0", 64)
	if err != nil || text == "" {
		return 0, i
	}
	return v, end
}

// digits reads "2", "1.5", "3/4" and "1 1/2".
func (l *Language) digits(toks []Token, i int) (v float64, end int) {
	v, ok := plainNumber(at(toks, i))
	if !ok {
		return 0, i
	}
	end = i + 1
	if s := at(toks, end); v == math.Trunc(v) && IsDigits(s) && strings.Contains(s, "/") {
		if f, ok := plainNumber(s); ok && f < 1 {
			return v + f, end + 1
		}
	}
	return v, end
}

func plainNumber(s string) (float64, bool) {
	if a, b, ok := strings.Cut(s, "/"); ok {
		x, xok := plainNumber(a)
		y, yok := plainNumber(b)
		return x / y, xok && yok && y > 0
	}
	if len(s) > 12 {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// fraction reads "a half" and "3/4".
func (l *Language) fraction(toks []Token, i int) (v float64, end int) {
	if v, end = l.fractions.Longest(toks, i); end > i {
		return v, end
	}
	if s := at(toks, i); IsDigits(s) && strings.Contains(s, "/") {
		if f, ok := plainNumber(s); ok && f < 1 {
			return f, i + 1
		}
	}
	return 0, i
}

// numbers reads an amount: a number, "two and a half", "half a", "a".
func (l *Language) numbers(toks []Token, i int) []Reading {
	var rs []Reading
	if f, end := l.fractions.Longest(toks, i); end > i {
		l.Numbers.Of.Each(toks, end, func(oend int, _ bool) { rs = append(rs, Reading{End: oend, Value: f}) })
		rs = append(rs, Reading{End: end, Value: f})
	}
	if v, end := l.Cardinal(toks, i); end > i {
		rs = append(rs, l.andHalf(toks, end, v, 1)...)
	}
	if end := l.Numbers.One.Skip(toks, i); end > i {
		rs = append(rs, Reading{End: end, Value: 1.0})
	}
	return rs
}

// andHalf reads what may follow a number of a sign, as in "two and a half", and that nothing does.
func (l *Language) andHalf(toks []Token, end int, v, sign float64) (rs []Reading) {
	if a := l.Numbers.And.Skip(toks, end); a > end {
		if f, fend := l.fraction(toks, a); fend > a {
			rs = append(rs, Reading{End: fend, Value: sign * (v + f)})
		}
	}
	return append(rs, Reading{End: end, Value: sign * v})
}

// whole reads a number without a fraction.
func (l *Language) whole(toks []Token, i int) []Reading {
	sign := 1
	if end := l.Numbers.Minus.Skip(toks, i); end > i {
		sign, i = -1, end
	}
	v, end := l.Cardinal(toks, i)
	if end == i || v != math.Trunc(v) || v > 1e9 {
		return nil
	}
	rs := []Reading{{End: end, Value: sign * int(v)}}
	for k := i + 1; k < end; k++ { // "between a hundred and nineteen"
		if l.Numbers.And.Skip(toks, k) > k {
			if v, end := l.Cardinal(toks[:k], i); end == k {
				rs = append(rs, Reading{End: end, Value: sign * int(v)})
			}
		}
	}
	return rs
}

// temperatures reads a whole or decimal number, "nineteen and a half", "three fifty" and "minus five".
func (l *Language) temperatures(toks []Token, i int) []Reading {
	sign := 1.0
	if end := l.Numbers.Minus.Skip(toks, i); end > i {
		sign, i = -1, end
	}
	v, end := l.Cardinal(toks, i)
	if end == i {
		return nil
	}
	rs := l.andHalf(toks, end, v, sign)
	if v, end := l.hundreds(toks, i); end > i {
		rs = append([]Reading{{End: end, Value: sign * v}}, rs...)
	}
	return rs
}

// warmths are temperatures that no clock shows in twelve hours: "to cool at twenty three", and not "at seven".
func (l *Language) warmths(toks []Token, i int) []Reading {
	return slices.DeleteFunc(l.temperatures(toks, i), func(r Reading) bool {
		v, _ := r.Value.(float64)
		return v <= noon
	})
}

// hundreds reads "three fifty" as 350.
func (l *Language) hundreds(toks []Token, i int) (v float64, end int) {
	v, end = l.small.Longest(toks, i)
	if end != i+1 || v < 1 || v > 9 {
		return 0, i
	}
	low, lend := l.below100(toks, end)
	if lend == end || low < 10 || low >= 100 {
		return 0, i
	}
	return 100*v + low, lend
}

// percents reads 0 to 100, with or without "percent".
func (l *Language) percents(toks []Token, i int) []Reading {
	v, end := l.Cardinal(toks, i)
	if end == i || v > 100 || v != math.Trunc(v) {
		return nil
	}
	if p := l.Percent.Skip(toks, end); p > end {
		return []Reading{{End: p, Value: int(v)}, {End: end, Value: int(v)}}
	}
	return []Reading{{End: end, Value: int(v)}}
}

// ordinals reads "third", "twenty first" and "3rd"; the last is -1.
func (l *Language) ordinals(toks []Token, i int) []Reading {
	if v, end := l.ordinal(toks, i); end > i {
		return []Reading{{End: end, Value: v}}
	}
	return nil
}

func (l *Language) ordinal(toks []Token, i int) (v, end int) {
	if v, end = l.Numbers.Ordinals.Longest(toks, i); end > i {
		return v, end
	}
	if s := at(toks, i); IsDigits(s) && l.Numbers.OrdinalMarks[at(toks, i+1)] {
		if n, err := strconv.Atoi(s); err == nil && n > 0 && n < 1000 {
			return n, i + 2
		}
	}
	if t, tend := l.small.Longest(toks, i); tend > i && t >= 20 && t < 100 && math.Mod(t, 10) == 0 {
		if o, oend := l.Numbers.Ordinals.Longest(toks, tend); oend > tend && o >= 1 && o <= 9 {
			return int(t) + o, oend
		}
	}
	return 0, i
}

// maxMonthDay is the last day of the longest month.
const maxMonthDay = 31

// monthDays reads a day without its month: "3", "third" is the next day 3.
func (l *Language) monthDays(toks []Token, i int) []Reading {
	n, end := l.ordinal(toks, i)
	if end == i && IsDigits(at(toks, i)) {
		n, _ = strconv.Atoi(at(toks, i))
		end = i + 1
	}
	if end == i || n < 1 || n > maxMonthDay {
		return nil
	}
	return []Reading{{End: end, Value: fmt.Sprintf("day %d", n)}}
}

// IsNumber reports whether a token is a number, or a part of one.
func (l *Language) IsNumber(t Token) bool {
	if t.Text == "" || t.Text[0] >= '0' && t.Text[0] <= '9' {
		return true
	}
	_, end := l.Cardinal([]Token{t}, 0)
	return end > 0
}

// Decimal writes v without loss: thirds are written as a quotient.
func Decimal(v float64) string {
	if t := v * 3; v != math.Trunc(v) && math.Abs(t-math.Round(t)) < 1e-9 {
		return fmt.Sprintf("(%d / 3)", int64(math.Round(t)))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
