package lang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// TimesOfDay reads a time of day: "half past seven", "7:30 p.m.", "a quarter to
// eight", "nineteen thirty", "noon". The value is "19:30" or "07:30" with two figures for
// the hour when the half of the day is known, or "10:00 am" and "12:15 pm" where two
// figures do not tell, and "7:30" or "10:00" when it was not said.
func (l *Language) TimesOfDay(toks []Token, i int) []Reading {
	i = l.Times.Before.Skip(toks, i)
	if v, end := l.Times.Named.Longest(toks, i); end > i {
		return []Reading{{End: end, Value: v}}
	}
	var rs []Reading
	for _, c := range []func([]Token, int) (clockFace, int){l.relativeTime, l.plainTime, l.fullHour} {
		face, end := c(toks, i)
		if end == i {
			continue
		}
		end = l.Times.Oclock.Skip(toks, end)
		if am := l.Times.Am.Skip(toks, end); am > end {
			rs = append(rs, Reading{End: am, Value: face.half(true)})
		} else if pm := l.Times.Pm.Skip(toks, end); pm > end {
			rs = append(rs, Reading{End: pm, Value: face.half(false)})
		} else if night := l.Times.Night.Skip(toks, end); night > end {
			rs = append(rs, Reading{End: night, Value: face.half(face.small())})
		}
		rs = append(rs, Reading{End: end, Value: face.String()})
	}
	return rs
}

// clockFace is what a clock shows.
type clockFace struct {
	hour, minute int
	sure         bool // the half of the day is known
}

func (c clockFace) half(am bool) string {
	switch {
	case am && c.hour == 12:
		c.hour = 0
	case !am && c.hour < 12:
		c.hour += 12
	}
	c.sure = true
	return c.String()
}

// small reports whether c is behind midnight when it is said of the night.
func (c clockFace) small() bool { return c.hour == 12 || c.hour < 5 }

func (c clockFace) String() string {
	if c.sure && c.hour >= 10 && c.hour <= 12 {
		return fmt.Sprintf("%d:%02d %s", c.hour, c.minute, []string{"am", "pm"}[c.hour/12])
	}
	if c.sure || c.hour > 12 || c.hour == 0 {
		return fmt.Sprintf("%02d:%02d", c.hour, c.minute)
	}
	return fmt.Sprintf("%d:%02d", c.hour, c.minute)
}

// relativeTime reads "half past seven" and "ten minutes to eight".
func (l *Language) relativeTime(toks []Token, i int) (clockFace, int) {
	if v, end := l.Times.Half.Longest(toks, i); end > i {
		if f, fend := l.namedHour(toks, end); fend > end {
			return f.shift(int(v)), fend
		}
	}
	v, end := l.Times.Minutes.Longest(toks, i)
	if end == i {
		if v, end = l.Cardinal(toks, i); end == i || v < 1 || v > 59 || v != math.Trunc(v) {
			return clockFace{}, i
		}
		if u, uend := l.Durations.Units.Longest(toks, end); uend > end && u == 60 {
			end = uend
		}
	}
	k := l.Times.Past.Skip(toks, end)
	if k == end {
		if k = l.Times.To.Skip(toks, end); k == end {
			return clockFace{}, i
		}
		v = -v
	}
	half, hend := l.Times.Half.Longest(toks, k) // "five to half seven"
	f, fend := l.namedHour(toks, hend)
	if fend == hend || math.Abs(v+half) >= 60 {
		return clockFace{}, i
	}
	return f.shift(int(v + half)), fend
}

// shift moves the hands by minutes, less than an hour.
func (c clockFace) shift(minutes int) clockFace {
	c.minute = minutes
	if minutes < 0 {
		c.minute += 60
		if c.hour--; c.hour == 0 && !c.sure {
			c.hour = 12
		}
		c.hour = (c.hour + 24) % 24
	}
	return c
}

// namedHour reads a whole hour, noon or midnight.
func (l *Language) namedHour(toks []Token, i int) (clockFace, int) {
	if v, end := l.Times.Named.Longest(toks, i); end > i {
		figures, _, _ := strings.Cut(v, " ")
		f, _ := l.plainTime([]Token{{Text: figures}}, 0)
		f.sure = true
		return f, end
	}
	return l.hour(toks, i)
}

// hour reads a whole hour.
func (l *Language) hour(toks []Token, i int) (clockFace, int) {
	v, end := l.below100(toks, i)
	s := at(toks, i)
	if IsDigits(s) {
		n, err := strconv.Atoi(s)
		if err != nil || len(s) > 2 {
			return clockFace{}, i
		}
		v, end = float64(n), i+1
	}
	if end == i || v > 23 || v != math.Trunc(v) {
		return clockFace{}, i
	}
	return clockFace{hour: int(v), sure: len(s) == 2 && s[0] == '0'}, end
}

func (l *Language) fullHour(toks []Token, i int) (clockFace, int) { return l.hour(toks, i) }

// plainTime reads "7:30", "730", "7.30", "seven thirty" and "seven oh five".
func (l *Language) plainTime(toks []Token, i int) (clockFace, int) {
	s := at(toks, i)
	for _, mark := range []string{":", "."} {
		if h, m, ok := strings.Cut(s, mark); ok && len(m) == 2 {
			return face(h, m, i)
		}
	}
	if IsDigits(s) && (len(s) == 3 || len(s) == 4) {
		return face(s[:len(s)-2], s[len(s)-2:], i)
	}
	f, end := l.hour(toks, i)
	if end == i {
		return f, i
	}
	k := l.Times.Zero.Skip(toks, end)
	v, mend := l.below100(toks, k)
	if d := at(toks, k); IsDigits(d) && len(d) == 2 {
		if n, err := strconv.Atoi(d); err == nil {
			v, mend = float64(n), k+1
		}
	}
	o := l.Times.Oclock.Skip(toks, end) // "19 Uhr 30", "seven o'clock thirty"
	if mend == k && o > end {
		if v, mend = l.below100(toks, o); mend > o {
			k = o
		} else if d := at(toks, o); IsDigits(d) && len(d) <= 2 {
			n, _ := strconv.Atoi(d)
			v, mend, k = float64(n), o+1, o
		}
	}
	if mend == k || v > 59 || v != math.Trunc(v) || (k > end && k != o) != (v < 10) && k != o {
		return clockFace{}, i
	}
	f.minute = int(v)
	return f, mend
}

// face is a time in figures.
func face(h, m string, i int) (clockFace, int) {
	hour, herr := strconv.Atoi(h)
	minute, merr := strconv.Atoi(m)
	if herr != nil || merr != nil || hour > 23 || minute > 59 || hour < 0 || minute < 0 {
		return clockFace{}, i
	}
	return clockFace{hour, minute, len(h) == 2 && h[0] == '0'}, i + 1
}
