package lang

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/when"
)

// TimesOfDay reads a time of day: "half past seven", "7:30 p.m.", "a quarter to
// eight", "nineteen thirty", "noon". Values are of the type when.Clock.
func (l *Language) TimesOfDay(toks []Token, i int) []Reading {
	i = l.Times.Before.Skip(toks, i)
	if v, end := l.Times.Named.Longest(toks, i); end > i {
		return []Reading{{End: end, Value: v}}
	}
	var rs []Reading
	for _, read := range []func([]Token, int) (when.Clock, int){l.relativeTime, l.plainTime, l.inHundreds, l.hour} {
		c, end := read(toks, i)
		if end == i {
			continue
		}
		end = l.Times.Oclock.Skip(toks, end)
		if am := l.Times.Am.Skip(toks, end); am > end {
			rs = append(rs, Reading{End: am, Value: c.In(true)})
		} else if pm := l.Times.Pm.Skip(toks, end); pm > end {
			rs = append(rs, Reading{End: pm, Value: c.In(false)})
		} else if night := l.Times.Night.Skip(toks, end); night > end {
			rs = append(rs, Reading{End: night, Value: c.In(small(c))})
		}
		rs = append(rs, Reading{End: end, Value: c})
	}
	return rs
}

// small reports whether c is behind midnight when it is said of the night.
func small(c when.Clock) bool { return c.Hour == 12 || c.Hour < 5 }

// shown is a time of day whose half is known if sure.
func shown(hour, minute int, sure bool) when.Clock {
	return when.Clock{Hour: hour, Minute: minute, Open: !sure && hour >= 1 && hour <= 12}
}

// relativeTime reads "half past seven" and "ten minutes to eight".
func (l *Language) relativeTime(toks []Token, i int) (when.Clock, int) {
	if v, end := l.Times.Half.Longest(toks, i); end > i {
		if f, fend := l.namedHour(toks, end); fend > end {
			return shift(f, int(v)), fend
		}
	}
	v, end := l.Times.Minutes.Longest(toks, i)
	if end == i {
		if v, end = l.Cardinal(toks, i); end == i || v < 1 || v > 59 || v != math.Trunc(v) {
			return when.Clock{}, i
		}
		if u, uend := l.Durations.Units.Longest(toks, end); uend > end && u == 60 {
			end = uend
		}
	}
	k := l.Times.Past.Skip(toks, end)
	if k == end {
		if k = l.Times.To.Skip(toks, end); k == end {
			return when.Clock{}, i
		}
		v = -v
	}
	half, hend := l.Times.Half.Longest(toks, k) // "five to half seven"
	f, fend := l.namedHour(toks, hend)
	if fend == hend || math.Abs(v+half) >= 60 {
		return when.Clock{}, i
	}
	return shift(f, int(v+half)), fend
}

// minutesSaid reads how a clock stands to an hour that is not said: "quarter past", "twenty to".
func (l *Language) minutesSaid(toks []Token, i int) (rs []Reading) {
	for n := 1; n < len(toks)-i+1 && n <= maxNameParts; n++ { // with an hour behind it, it is a time
		hour := Token{Text: "12"}
		c, end := l.relativeTime(append(slices.Clone(toks[i:i+n]), hour), 0)
		if end == n+1 {
			rs = append(rs, Reading{End: i + n, Value: c.Minute})
		}
	}
	return rs
}

// shift moves the hands of a whole hour by minutes, less than an hour.
func shift(c when.Clock, minutes int) when.Clock {
	c.Minute = minutes
	if minutes < 0 {
		c.Minute += 60
		if c.Hour--; c.Hour == 0 && c.Open {
			c.Hour = 12
		}
		c.Hour = (c.Hour + 24) % 24
	}
	return c
}

// namedHour reads a whole hour, noon or midnight.
func (l *Language) namedHour(toks []Token, i int) (when.Clock, int) {
	if c, end := l.Times.Named.Longest(toks, i); end > i {
		return c, end
	}
	return l.hour(toks, i)
}

// hour reads a whole hour.
func (l *Language) hour(toks []Token, i int) (when.Clock, int) {
	n, end := l.upTo99(toks, i)
	if end == i || n > 23 {
		return when.Clock{}, i
	}
	return shown(n, 0, at(toks, i)[0] == '0' && len(at(toks, i)) == 2), end
}

// upTo99 reads a number below a hundred, in words or in one or two figures.
func (l *Language) upTo99(toks []Token, i int) (n, end int) {
	if s := at(toks, i); IsDigits(s) {
		n, err := strconv.Atoi(s)
		if err != nil || len(s) > 2 {
			return 0, i
		}
		return n, i + 1
	}
	v, end := l.below100(toks, i)
	if v >= 100 || v != math.Trunc(v) {
		return 0, i
	}
	return int(v), end
}

// plainTime reads "7:30", "730", "7.30", "seven thirty", "seven oh five", "19 Uhr 30" and "seven and a half".
func (l *Language) plainTime(toks []Token, i int) (when.Clock, int) {
	s := at(toks, i)
	for _, mark := range []string{":", "."} {
		if h, m, ok := strings.Cut(s, mark); ok && len(m) == 2 {
			return face(h, m, i)
		}
	}
	if IsDigits(s) && (len(s) == 3 || len(s) == 4) {
		return face(s[:len(s)-2], s[len(s)-2:], i)
	}
	c, end := l.hour(toks, i)
	if end == i {
		return c, i
	}
	k := l.Numbers.And.Skip(toks, end)
	if half, hend := l.fractions.Longest(toks, k); k > end && hend > k && l.Durations.Units.Skip(toks, hend) == hend {
		c.Minute = int(half * 60)
		return c, hend
	}
	k = l.Times.Zero.Skip(toks, end)
	m, mend := l.upTo99(toks, k)
	fits := (k > end) == (m < 10)
	if o := l.Times.Oclock.Skip(toks, end); mend == k && o > end {
		k, fits = o, true
		m, mend = l.upTo99(toks, o)
	}
	if mend == k || m > 59 || !fits {
		return when.Clock{}, i
	}
	c.Minute = m
	return c, mend
}

// inHundreds reads "eight hundred", which is a time only with am or pm behind it, or from ten on with "hours".
func (l *Language) inHundreds(toks []Token, i int) (when.Clock, int) {
	n, end := l.Cardinal(toks, i)
	hour, minute := int(n)/100, int(n)%100
	half := l.Times.Am.Skip(toks, end) > end || l.Times.Pm.Skip(toks, end) > end
	marked := half || hour >= 10 && l.Times.Oclock.Skip(toks, end) > end
	if end < i+2 || !marked || n != math.Trunc(n) || hour < 1 || hour > 23 || minute > 59 {
		return when.Clock{}, i
	}
	return shown(hour, minute, true), end
}

// face is a time in figures.
func face(h, m string, i int) (when.Clock, int) {
	hour, herr := strconv.Atoi(h)
	minute, merr := strconv.Atoi(m)
	if herr != nil || merr != nil || hour > 23 || minute > 59 || hour < 0 || minute < 0 {
		return when.Clock{}, i
	}
	return shown(hour, minute, len(h) == 2 && h[0] == '0'), i + 1
}
