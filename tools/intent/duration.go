package intent

import (
	"math"
	"strings"
)

// durations reads "ten minutes", "an hour and a half", "two and a half
// minutes", "1h 30m" and the like: parts of falling units, each with or without
// "and". Every part ends a reading; the longest comes first. Values are whole
// seconds between 1 and longestDuration.
func (l *language) durations(toks []token, i int) []reading {
	var rs []reading
	total, last := 0.0, math.Inf(1)
	for {
		v, unit, end := l.durationPart(toks, i)
		if end == i || unit >= last {
			break
		}
		total += v
		last = unit
		if s := math.Round(total); s >= 1 && s <= longestDuration {
			rs = append([]reading{{end: end, value: int(s)}}, rs...)
		}
		i = l.Numbers.And.skip(toks, end)
		if v, end := l.minutesAlone(toks, i); end > i && end >= l.Durations.Each.skip(toks, i) && unit >= 60 && unit <= 3600 && v >= 1 && v < 60 { // "an hour thirty", and not "ten minutes and one for"
			rs = append([]reading{{end: end, value: int(math.Round(total + v*unit/60))}}, rs...)
		}
	}
	return rs
}

// minutesAlone reads the number behind "12 minutes", in words or two digits, or one at the
// end: "5 minutes 2 eggs" are two eggs.
func (l *language) minutesAlone(toks []token, i int) (v float64, end int) {
	if n := len(at(toks, i)); (n == 2 || n == 1 && i+1 == len(toks)) && isDigits(at(toks, i)) {
		return l.digits(toks, i)
	}
	return l.below100(toks, i)
}

// moreDurations reads a duration that says that it is more: "five more minutes",
// "another quarter of an hour".
func (l *language) moreDurations(toks []token, i int) []reading {
	if k := l.Durations.More.skip(toks, i); k > i {
		if u, end := l.Durations.Units.longest(toks, k); end > k {
			rs := []reading{{end: end, value: int(u)}}
			if f, fend := l.fraction(toks, l.Numbers.And.skip(toks, end)); fend > end { // "another minute and a half"
				rs = append(rs, reading{end: fend, value: int((1 + f) * u)})
			}
			return rs
		}
		return l.durations(toks, k)
	}
	var rs []reading
	for _, r := range l.durations(toks, i) {
		if end := l.Durations.More.skip(toks, r.end); end > r.end { // "five minutes more"
			rs = append(rs, reading{end: end, value: r.value})
		}
		for k := i + 1; k < r.end; k++ {
			if l.Durations.More.skip(toks, k) > k {
				rs = append(rs, r)
				break
			}
		}
	}
	return rs
}

// durationPart reads one amount and its unit, with the fraction that may
// follow: "an hour and a half". Without one end is i.
func (l *language) durationPart(toks []token, i int) (seconds, unit float64, end int) {
	if v, end := l.Durations.Phrases.longest(toks, i); end > i {
		return v, v, end
	}
	if a, b, ok := strings.Cut(at(toks, i), ":"); ok { // "1:30": minutes, or hours if that is said
		x, xok := plainNumber(a)
		y, yok := plainNumber(b)
		u, end := l.Durations.Units.longest(toks, i+1)
		if end == i+1 || u != 3600 {
			u = 60
		}
		if xok && yok {
			return x*u + y*u/60, u, end
		}
	}
	for _, n := range l.numbers(toks, i) {
		k := l.Durations.More.skip(toks, n.end) // "five more minutes"
		u, end := l.Durations.Units.longest(toks, k)
		if end == k {
			continue
		}
		v := n.value.(float64)
		if a := l.Numbers.And.skip(toks, end); a > end {
			f, fend := l.fraction(toks, a)
			if fend > a && l.Durations.Units.skip(toks, l.Numbers.Of.skip(toks, fend)) == l.Numbers.Of.skip(toks, fend) {
				return (v + f) * u, u, fend
			}
		}
		return v * u, u, end
	}
	return 0, 0, i
}
