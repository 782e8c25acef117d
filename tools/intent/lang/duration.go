package lang

import (
	"math"
	"strings"
)

// Lengths reads "ten minutes", "an hour and a half", "two and a half
// minutes", "1h 30m" and the like: parts of falling units, each with or without
// "and". Every part ends a reading; the longest comes first. Values are whole
// seconds between 1 and longestDuration.
func (l *Language) Lengths(toks []Token, i int) []Reading {
	var rs []Reading
	total, last := 0.0, math.Inf(1)
	for {
		v, unit, end := l.durationPart(toks, i)
		if end == i || unit >= last {
			break
		}
		total += v
		last = unit
		if s := math.Round(total); s >= 1 && s <= longestDuration {
			rs = append([]Reading{{End: end, Value: int(s)}}, rs...)
		}
		i = l.Numbers.And.Skip(toks, end)
		v, end = l.minutesAlone(toks, i)
		short := unit >= 60 && unit <= 3600 && v >= 2 && v < 60        // "a twenty minute one" is one timer
		if end > i && end >= l.Durations.Each.Skip(toks, i) && short { // "an hour thirty", not "ten minutes and one for"
			rs = append([]Reading{{End: end, Value: int(math.Round(total + v*unit/60))}}, rs...)
		}
	}
	return rs
}

// minutesAlone reads the number behind "12 minutes", in words or two digits, or one at the
// end: "5 minutes 2 eggs" are two eggs.
func (l *Language) minutesAlone(toks []Token, i int) (v float64, end int) {
	if n := len(at(toks, i)); (n == 2 || n == 1 && i+1 == len(toks)) && IsDigits(at(toks, i)) {
		return l.digits(toks, i)
	}
	return l.below100(toks, i)
}

// moreDurations reads an additional duration: "five more minutes", "another quarter of an hour".
func (l *Language) moreDurations(toks []Token, i int) []Reading {
	if k := l.Durations.More.Skip(toks, i); k > i {
		if u, end := l.Durations.Units.Longest(toks, k); end > k {
			rs := []Reading{{End: end, Value: int(u)}}
			if f, fend := l.fraction(toks, l.Numbers.And.Skip(toks, end)); fend > end { // "another minute and a half"
				rs = append(rs, Reading{End: fend, Value: int((1 + f) * u)})
			}
			return rs
		}
		return l.Lengths(toks, k)
	}
	var rs []Reading
	for _, r := range l.Lengths(toks, i) {
		if end := l.Durations.More.Skip(toks, r.End); end > r.End { // "five minutes more"
			rs = append(rs, Reading{End: end, Value: r.Value})
		}
		for k := i + 1; k < r.End; k++ {
			if l.Durations.More.Skip(toks, k) > k {
				rs = append(rs, r)
				break
			}
		}
	}
	return rs
}

// durationPart reads one amount and its unit, with the fraction that may follow: "an hour and a
// half". Without one end is i.
func (l *Language) durationPart(toks []Token, i int) (seconds, unit float64, end int) {
	if v, end := l.Durations.Phrases.Longest(toks, i); end > i {
		return v, v, end
	}
	if a, b, ok := strings.Cut(at(toks, i), ":"); ok { // "1:30": minutes, or hours if that is said
		x, xok := plainNumber(a)
		y, yok := plainNumber(b)
		u, end := l.Durations.Units.Longest(toks, i+1)
		if end == i+1 || u != 3600 {
			u = 60
		}
		if xok && yok {
			return x*u + y*u/60, u, end
		}
	}
	for _, n := range l.numbers(toks, i) {
		k := l.Durations.More.Skip(toks, n.End) // "five more minutes"
		u, end := l.Durations.Units.Longest(toks, k)
		if end == k {
			continue
		}
		v := n.Value.(float64)
		if a := l.Numbers.And.Skip(toks, end); a > end {
			f, fend := l.fraction(toks, a)
			if fend > a && l.Durations.Units.Skip(toks, l.Numbers.Of.Skip(toks, fend)) == l.Numbers.Of.Skip(toks, fend) {
				return (v + f) * u, u, fend
			}
		}
		return v * u, u, end
	}
	return 0, 0, i
}
