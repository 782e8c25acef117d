package intent

import "math"

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
			rs = append([]reading{{end, int(s)}}, rs...)
		}
		i = m.lang.and.skip(toks, end)
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
	for _, n := range m.numbers(toks, i) {
		u, end := l.units.longest(toks, n.end)
		if end == n.end {
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
