package intent

import (
	"math"
	"strings"
)

// durations reads "ten minutes", "an hour and a half", "two and a half
// minutes", "1h 30m" and the like: parts of falling units, each with or without
// "and". Every part ends a reading; the longest comes first. Values are whole
// seconds between 1 and longestDuration.
func (m *Matcher) durations(toks []token, i int) []reading {
	var rs []reading
	total, last := 0.0, math.Inf(1)
	for {
		v, unit, end := m.durationPart(toks, i)
		if end == i || unit >= last {
			break
		}
		total += v
		last = unit
		if s := math.Round(total); s >= 1 && s <= longestDuration {
			rs = append([]reading{{end: end, value: int(s)}}, rs...)
		}
		i = m.lang.and.skip(toks, end)
		if v, end := m.lang.minutesAlone(toks, i); end > i && end >= m.lang.each.skip(toks, i) && unit >= 60 && unit <= 3600 && v >= 1 && v < 60 { // "an hour thirty", and not "ten minutes and one for"
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
func (m *Matcher) moreDurations(toks []token, i int) []reading {
	if k := m.lang.more.skip(toks, i); k > i {
		if u, end := m.lang.units.longest(toks, k); end > k {
			rs := []reading{{end: end, value: int(u)}}
			if f, fend := m.lang.fraction(toks, m.lang.and.skip(toks, end)); fend > end { // "another minute and a half"
				rs = append(rs, reading{end: fend, value: int((1 + f) * u)})
			}
			return rs
		}
		return m.durations(toks, k)
	}
	var rs []reading
	for _, r := range m.durations(toks, i) {
		if end := m.lang.more.skip(toks, r.end); end > r.end { // "five minutes more"
			rs = append(rs, reading{end: end, value: r.value})
		}
		for k := i + 1; k < r.end; k++ {
			if m.lang.more.skip(toks, k) > k {
				rs = append(rs, r)
				break
			}
		}
	}
	return rs
}

// durationPart reads one amount and its unit, with the fraction that may
// follow: "an hour and a half". Without one end is i.
func (m *Matcher) durationPart(toks []token, i int) (seconds, unit float64, end int) {
	l := m.lang
	if v, end := l.durations.longest(toks, i); end > i {
		return v, v, end
	}
	if a, b, ok := strings.Cut(at(toks, i), ":"); ok { // "1:30": minutes, or hours if that is said
		x, xok := plainNumber(a)
		y, yok := plainNumber(b)
		u, end := l.units.longest(toks, i+1)
		if end == i+1 || u != 3600 {
			u = 60
		}
		if xok && yok {
			return x*u + y*u/60, u, end
		}
	}
	for _, n := range m.numbers(toks, i) {
		k := l.more.skip(toks, n.end) // "five more minutes"
		u, end := l.units.longest(toks, k)
		if end == k {
			continue
		}
		v := n.value.(float64)
		if a := l.and.skip(toks, end); a > end {
			f, fend := l.fraction(toks, a)
			if fend > a && l.units.skip(toks, l.of.skip(toks, fend)) == l.of.skip(toks, fend) {
				return (v + f) * u, u, fend
			}
		}
		return v * u, u, end
	}
	return 0, 0, i
}
