package lang

import (
	"math"
	"slices"
)

// countdown is one of several timers: its length, and its name if that is said.
type countdown struct {
	seconds int
	label   string
}

func (c countdown) Args() map[string]any {
	args := map[string]any{"duration_s": c.seconds}
	if c.label != "" {
		args["label"] = c.label
	}
	return args
}

// countdowns are several timers. As an argument they fill duration_s, label and more.
type countdowns []countdown

func (c countdowns) Args() map[string]any {
	more := make([]map[string]any, 0, len(c)-1)
	for _, one := range c[1:] {
		more = append(more, one.Args())
	}
	args := c[0].Args()
	args["more"] = more
	return args
}

// maxCountdowns bounds the timers of one request.
const maxCountdowns = 5

// said is a countdown as it was said: n seconds, or n of a unit that is not said with it; the unit
// is then 0.
type said struct {
	n, unit float64 // unit in seconds
	label   string
	end     int
}

// countdowns reads two or more durations: "five and ten minutes", "one for six minutes
// and one for an hour", "rice for ten minutes and peas for four".
func (l *Language) countdowns(toks []Token, i int) (rs []Reading) {
	var all []said
	joined := false // by an "and", to the one before
	for len(all) < maxCountdowns {
		one, ok := l.countdown(toks, l.Durations.Each.Skip(toks, i))
		if !ok {
			break
		}
		all = append(all, one)
		counts := len(all) == 2 && all[0].unit == 0 && all[0].label == "" && !joined // "three five minute timers"
		if timers := inSeconds(all); len(timers) > 1 && !counts {
			rs = slices.Insert(rs, 0, Reading{End: one.end, Value: timers})
		}
		i = l.Joins.Skip(toks, one.end)
		joined = i > one.end || i < len(toks) && toks[i].Comma || l.Durations.Each.Skip(toks, i) > i
	}
	return rs
}

// inSeconds gives every number alone the unit of the next number that has one, or of the last, or
// minutes where one has a name and none a unit. It is nil where there is no unit.
func inSeconds(all []said) countdowns {
	next := 0.0
	for _, one := range slices.Backward(all) {
		if one.unit > 0 {
			next = one.unit
			break
		}
		if one.label != "" {
			next = 60
		}
	}
	if next == 0 {
		return nil
	}
	timers := make(countdowns, len(all))
	for k, one := range slices.Backward(all) {
		if one.unit > 0 {
			next = one.unit
		} else {
			one.n *= next
		}
		timers[k] = countdown{int(math.Round(one.n)), one.label}
	}
	return timers
}

// countdown reads one of several, with its name after it or in front of it.
func (l *Language) countdown(toks []Token, i int) (said, bool) {
	if one, ok := l.length(toks, i); ok {
		k, names := l.Durations.For.Skip(toks, one.end), "label"
		if k == one.end {
			names = "known_label" // "four minutes steak six minutes chips"
			if one.unit == 0 && len(l.Readers[names](toks, k)) > 0 {
				return said{}, false // "two eggs" says how many
			}
		}
		for _, r := range l.Readers[names](toks, l.SkipArticles(toks, k)) {
			if label, ok := r.Value.(string); ok && l.endsCountdown(toks, r.End) && r.End > one.end {
				one.label, one.end = label, r.End
			}
		}
		return one, true
	}
	i = l.SkipArticles(toks, i)
	for _, r := range l.Readers["label"](toks, i) {
		k := l.Durations.For.Skip(toks, r.End)
		one, ok := l.length(toks, k)
		label, named := r.Value.(string)
		// "Play radio four" is no timer, and "peas four" may be one.
		known := func() bool {
			labels := l.Readers["known_label"](toks, i)
			return slices.ContainsFunc(labels, func(known Reading) bool { return known.End == r.End })
		}
		if ok && named && (one.unit > 0 || k > r.End || known()) {
			one.label = label
			return one, true
		}
	}
	return said{}, false
}

// endsCountdown reports whether one of several may end at i.
func (l *Language) endsCountdown(toks []Token, i int) bool {
	if i == len(toks) || toks[i].Comma || l.Joins.Skip(toks, i) > i {
		return true
	}
	_, ok := l.length(toks, i)
	return ok
}

// length reads a duration, or a number alone.
func (l *Language) length(toks []Token, i int) (said, bool) {
	for _, r := range l.Lengths(toks, i) {
		// not "eight minutes and eleven" of "eleven minutes"
		if s, ok := r.Value.(int); ok && l.Durations.Units.Skip(toks, r.End) == r.End {
			_, unit, _ := l.durationPart(toks, i)
			return said{float64(s), unit, "", r.End}, true
		}
	}
	n, end := l.Cardinal(toks, i)
	return said{n, 0, "", end}, end > i && n > 0
}
