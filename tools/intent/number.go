package intent

import (
	"math"
	"strconv"
	"strings"
)

// Number words, as the index in their table.
var (
	ones = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens = strings.Fields("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
)

// reading is one way to read the tokens up to end.
type reading struct {
	end   int
	value any
}

func at(toks []token, i int) string {
	if i < len(toks) {
		return toks[i].text
	}
	return ""
}

func indexOf(table []string, w string, from int) int {
	for i := from; i < len(table); i++ {
		if table[i] == w {
			return i
		}
	}
	return -1
}

// below100 reads "seven", "twenty" or "twenty five". Without one end is i.
func below100(toks []token, i int) (v float64, end int) {
	if n := indexOf(ones, at(toks, i), 0); n >= 0 {
		return float64(n), i + 1
	}
	n := indexOf(tens, at(toks, i), 2)
	if n < 0 {
		return 0, i
	}
	if d := indexOf(ones[:10], at(toks, i+1), 1); d > 0 {
		return float64(10*n + d), i + 2
	}
	return float64(10 * n), i + 1
}

// cardinal reads a number below a million in words, or digits with an optional
// fraction. Without one end is i.
func cardinal(toks []token, i int) (v float64, end int) {
	if isDigits(at(toks, i)) {
		return digits(toks, i)
	}
	v, end = below100(toks, i)
	if end == i && at(toks, i) == "a" && (at(toks, i+1) == "hundred" || at(toks, i+1) == "thousand") {
		v, end = 1, i+1
	}
	if end == i {
		return 0, i
	}
	if at(toks, end) == "hundred" && v >= 1 && v < 20 {
		v, end = andMore(toks, v*100, end+1, 100)
	}
	if at(toks, end) == "thousand" && v >= 1 {
		v, end = andMore(toks, v*1000, end+1, 1000)
	}
	return v, end
}

// andMore adds the smaller number that may follow "hundred" or "thousand".
func andMore(toks []token, v float64, i int, limit float64) (float64, int) {
	j := i
	if at(toks, j) == "and" {
		j++
	}
	more, end := below100(toks, j)
	if limit > 100 && end > j && at(toks, end) == "hundred" && more < 10 {
		more, end = andMore(toks, more*100, end+1, 100)
	}
	if end == j || more < 1 {
		return v, i
	}
	return v + more, end
}

// digits reads "2", "1.5", "3/4" and "1 1/2".
func digits(toks []token, i int) (v float64, end int) {
	v, ok := plainNumber(at(toks, i))
	if !ok {
		return 0, i
	}
	end = i + 1
	if s := at(toks, end); v == math.Trunc(v) && isDigits(s) && strings.Contains(s, "/") {
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

// fractions are the parts that can follow "and", or stand alone.
var fractions = []struct {
	words string
	value float64
}{
	{"a half", 0.5}, {"one half", 0.5}, {"half", 0.5},
	{"a quarter", 0.25}, {"one quarter", 0.25}, {"quarter", 0.25},
	{"three quarters", 0.75}, {"three quarter", 0.75},
	{"a third", 1.0 / 3}, {"one third", 1.0 / 3}, {"two thirds", 2.0 / 3},
}

func fraction(toks []token, i int) (v float64, end int) {
	for _, f := range fractions {
		if ws := strings.Fields(f.words); hasWords(toks, i, ws) {
			return f.value, i + len(ws)
		}
	}
	return 0, i
}

// numbers reads an amount: a number, "two and a half", "half a", "a".
func numbers(_ *Matcher, toks []token, i int) []reading {
	var rs []reading
	if f, end := fraction(toks, i); end > i {
		for _, of := range []string{"of a", "of an", "a", "an", "of the"} {
			if ws := strings.Fields(of); hasWords(toks, end, ws) {
				rs = append(rs, reading{end + len(ws), f})
			}
		}
		rs = append(rs, reading{end, f})
	}
	if v, end := cardinal(toks, i); end > i {
		if at(toks, end) == "and" {
			if f, fend := fraction(toks, end+1); fend > end+1 {
				rs = append(rs, reading{fend, v + f})
			}
		}
		rs = append(rs, reading{end, v})
	}
	if w := at(toks, i); w == "a" || w == "an" {
		rs = append(rs, reading{i + 1, 1.0})
	}
	return rs
}

// temperatures reads a whole or decimal number, "three fifty" and "minus five".
func temperatures(_ *Matcher, toks []token, i int) []reading {
	sign := 1.0
	if w := at(toks, i); w == "minus" || w == "negative" {
		sign, i = -1, i+1
	}
	v, end := cardinal(toks, i)
	if end == i {
		return nil
	}
	rs := []reading{{end, sign * v}}
	if end == i+1 && !isDigits(at(toks, i)) && v >= 1 && v <= 9 {
		if low, lend := below100(toks, end); lend > end && low >= 10 {
			rs = append([]reading{{lend, sign * (100*v + low)}}, rs...)
		}
	}
	return rs
}

// percents reads 0 to 100, with or without "percent".
func percents(_ *Matcher, toks []token, i int) []reading {
	v, end := cardinal(toks, i)
	if end == i || v > 100 || v != math.Trunc(v) {
		return nil
	}
	if w := at(toks, end); w == "percent" || w == "per" && at(toks, end+1) == "cent" {
		if end++; w == "per" {
			end++
		}
	}
	return []reading{{end, int(v)}}
}
