package lang

import "slices"

// Moment is a day, a time of day, or both. As an argument it fills day and time.
type Moment struct{ Day, time string }

func (t Moment) Args() map[string]any {
	args := map[string]any{}
	if t.Day != "" {
		args["day"] = t.Day
	}
	if t.time != "" {
		args["time"] = t.time
	}
	return args
}

// heard is a moment while its parts come in, in any order.
type heard struct {
	Moment
	part string // the time at which the part of the day that was named usually is
}

// night is when the part of the day begins that has small hours in it.
const night = "19:00"

// done is the moment that was named: a part of the day says which half an hour
// belongs to, or stands for its usual time.
func (h heard) done() Moment {
	t := h.Moment
	if h.part == "" {
		return t
	}
	if t.time == "" {
		t.time = h.part
	} else if f, _ := (&Language{}).plainTime([]Token{{Text: t.time}}, 0); f.hour >= 1 && f.hour <= 12 && !f.sure {
		t.time = f.half(h.part < "12:00" || h.part >= night && f.small())
	}
	return t
}

// Moments reads "tomorrow at six", "at half past five tomorrow morning", "on
// friday" and "tonight", the longest first. An hour alone is only a time behind a
// word such as "at" or beside a day.
func (l *Language) Moments(toks []Token, i int) []Reading {
	best := map[int]Moment{}
	l.addMoments(toks, i, heard{}, best)
	var rs []Reading
	for end, t := range best {
		rs = append(rs, Reading{End: end, Value: t})
	}
	slices.SortFunc(rs, func(a, b Reading) int { return b.End - a.End })
	return rs
}

// Timed reads a moment that has a time of day.
func (l *Language) Timed(toks []Token, i int) []Reading {
	return slices.DeleteFunc(l.Moments(toks, i), func(r Reading) bool {
		t, _ := r.Value.(Moment)
		return t.time == ""
	})
}

func (l *Language) addMoments(toks []Token, i int, h heard, best map[int]Moment) {
	next := func(end int, h heard) {
		if _, known := best[end]; !known {
			best[end] = h.done()
		}
		l.addMoments(toks, end, h, best)
	}
	if h.time == "" {
		for _, r := range l.TimesOfDay(toks, i) {
			if bare := r.End == i+1 && l.Times.Named.Skip(toks, i) == i; bare && h.Day == "" && h.part == "" && !IsClock(toks[i].Text) {
				continue
			}
			n := h
			n.time, _ = r.Value.(string)
			next(r.End, n)
		}
	}
	if h.Day == "" {
		for _, r := range l.dates(toks, i) {
			n := h
			n.Day, _ = r.Value.(string)
			next(r.End, n)
		}
	}
	if h.part == "" {
		l.Times.Parts.Each(toks, i, func(end int, usual string) {
			n := h
			n.part = usual
			next(end, n)
		})
	}
}

// IsClock reports whether s is written as a time: 7:30.
func IsClock(s string) bool { return len(s) > 3 && s[len(s)-3] == ':' }
