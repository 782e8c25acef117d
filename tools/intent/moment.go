package intent

import "slices"

// moment is a day, a time of day, or both. As an argument it fills day and time.
type moment struct{ day, time string }

func (t moment) args() map[string]any {
	args := map[string]any{}
	if t.day != "" {
		args["day"] = t.day
	}
	if t.time != "" {
		args["time"] = t.time
	}
	return args
}

// heard is a moment while its parts come in, in any order.
type heard struct {
	moment
	part string // the time at which the part of the day that was named usually is
}

// night is when the part of the day begins that has small hours in it.
const night = "19:00"

// done is the moment that was named: a part of the day says which half an hour
// belongs to, or stands for its usual time.
func (h heard) done() moment {
	t := h.moment
	if h.part == "" {
		return t
	}
	if t.time == "" {
		t.time = h.part
	} else if f, _ := (&language{}).plainTime([]token{{text: t.time}}, 0); f.hour >= 1 && f.hour <= 12 && !f.sure {
		t.time = f.half(h.part < "12:00" || h.part >= night && f.small())
	}
	return t
}

// moments reads "tomorrow at six", "at half past five tomorrow morning", "on
// friday" and "tonight", the longest first. An hour alone is only a time behind a
// word such as "at" or beside a day.
func (l *language) moments(toks []token, i int) []reading {
	best := map[int]moment{}
	l.addMoments(toks, i, heard{}, best)
	var rs []reading
	for end, t := range best {
		rs = append(rs, reading{end: end, value: t})
	}
	slices.SortFunc(rs, func(a, b reading) int { return b.end - a.end })
	return rs
}

// timed reads a moment that has a time of day.
func (l *language) timed(toks []token, i int) []reading {
	return slices.DeleteFunc(l.moments(toks, i), func(r reading) bool {
		t, _ := r.value.(moment)
		return t.time == ""
	})
}

func (l *language) addMoments(toks []token, i int, h heard, best map[int]moment) {
	next := func(end int, h heard) {
		if _, known := best[end]; !known {
			best[end] = h.done()
		}
		l.addMoments(toks, end, h, best)
	}
	if h.time == "" {
		for _, r := range l.times(toks, i) {
			if bare := r.end == i+1 && l.Times.Named.skip(toks, i) == i; bare && h.day == "" && h.part == "" && !isClock(toks[i].text) {
				continue
			}
			n := h
			n.time, _ = r.value.(string)
			next(r.end, n)
		}
	}
	if h.day == "" {
		for _, r := range l.dates(toks, i) {
			n := h
			n.day, _ = r.value.(string)
			next(r.end, n)
		}
	}
	if h.part == "" {
		l.Times.Parts.each(toks, i, func(end int, usual string) {
			n := h
			n.part = usual
			next(end, n)
		})
	}
}

// isClock reports whether s is written as a time: 7:30.
func isClock(s string) bool { return len(s) > 3 && s[len(s)-3] == ':' }
