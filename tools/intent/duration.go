package intent

import "math"

// maxTimer is the longest timer, in seconds: one day.
const maxTimer = 24 * 60 * 60

// timeUnits gives the seconds of a unit by the words for it.
var timeUnits = map[string]float64{
	"hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600, "h": 3600,
	"minute": 60, "minutes": 60, "min": 60, "mins": 60, "m": 60,
	"second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1,
}

// durations reads "ten minutes", "an hour and a half", "two and a half
// minutes", "1h 30m" and the like: parts of falling units, each with or without
// "and". Every part ends a reading; the longest comes first. Values are whole
// seconds between 1 and maxTimer.
func durations(m *Matcher, toks []token, i int) []reading {
	var rs []reading
	total, last := 0.0, math.Inf(1)
	for {
		v, unit, end := durationPart(m, toks, i)
		if end == i || unit >= last {
			break
		}
		total += v
		last = unit
		if s := math.Round(total); s >= 1 && s <= maxTimer {
			rs = append([]reading{{end, int(s)}}, rs...)
		}
		if i = end; at(toks, i) == "and" {
			i++
		}
	}
	return rs
}

// durationPart reads one amount and its unit, with the fraction that may
// follow: "an hour and a half". Without one end is i.
func durationPart(m *Matcher, toks []token, i int) (seconds, unit float64, end int) {
	for _, n := range numbers(m, toks, i) {
		u, ok := timeUnits[at(toks, n.end)]
		if !ok {
			continue
		}
		v, end := n.value.(float64), n.end+1
		if at(toks, end) == "and" {
			f, fend := fraction(toks, end+1)
			if _, more := timeUnits[at(toks, fend)]; fend > end+1 && !more {
				return (v + f) * u, u, fend
			}
		}
		return v * u, u, end
	}
	return 0, 0, i
}
