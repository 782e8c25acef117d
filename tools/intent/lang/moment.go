package lang

import (
	"slices"

	"hearthd/tools/when"
)

// Moment is a day, a time of day, or both. As an argument it fills day and time.
type Moment struct {
	Day   when.Day
	time  when.Clock
	timed bool // it has a time
}

func (t Moment) Args() map[string]any {
	args := map[string]any{}
	if t.Day != "" {
		args["day"] = t.Day
	}
	if t.timed {
		args["time"] = t.time
	}
	return args
}

// SharingHalf is t with the half of the day of next, which was said behind it, if that makes it the earlier one: "at one and
// two in the morning".
func (t Moment) SharingHalf(next Moment) Moment {
	at, then := t.time.In(next.time.Hour < noon), next.time
	if t.time.Open && next.timed && !then.Open && at.Minutes() < then.Minutes() {
		t.time = at
	}
	return t
}

// heard is a moment while its parts come in, in any order.
type heard struct {
	Moment
	part   when.Clock // the time at which the part of the day that was named usually is
	parted bool       // one was named
	today  bool       // and it is of today
}

const (
	noon  = 12
	night = 19 // when the part of the day begins that has small hours in it
)

// done is the moment that was named: a part of the day says which half an hour
// belongs to, or stands for its usual time.
func (h heard) done() Moment {
	t := h.Moment
	switch {
	case h.parted && !t.timed:
		t.time, t.timed = h.part, true
		if h.today && t.Day == "" {
			t.Day = "today" // at nine in the evening "tonight" is not tomorrow, though its usual time is over
		}
	case h.parted && t.time.Open:
		t.time = t.time.In(h.part.Hour < noon || h.part.Hour >= night && small(t.time))
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
		return !t.timed
	})
}

func (l *Language) addMoments(toks []Token, i int, h heard, best map[int]Moment) {
	next := func(end int, h heard) {
		if _, known := best[end]; !known {
			best[end] = h.done()
		}
		l.addMoments(toks, end, h, best)
	}
	if !h.timed {
		for _, r := range l.TimesOfDay(toks, i) {
			bare := r.End == i+1 && l.Times.Named.Skip(toks, i) == i && !IsClock(toks[i].Text)
			if bare && h.Day == "" && !h.parted {
				continue
			}
			n := h
			n.time, n.timed = r.Value.(when.Clock)
			next(r.End, n)
		}
	}
	if h.Day == "" {
		for _, r := range l.dates(toks, i) {
			n := h
			n.Day, _ = r.Value.(when.Day)
			next(r.End, n)
		}
	}
	if !h.parted {
		l.Times.Parts.Each(toks, i, func(end int, usual when.Clock) {
			n := h
			n.part, n.parted, n.today = usual, true, l.Times.Today.Skip(toks, i) == end
			next(end, n)
		})
	}
}

// IsClock reports whether s is written as a time: 7:30.
func IsClock(s string) bool { return len(s) > 3 && s[len(s)-3] == ':' }
