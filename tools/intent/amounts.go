package intent

import (
	"math"
	"strings"
	"time"

	"hearthd/tools"
)

// timerLengths reads the length by which a timer is named that has no label: "the ten
// minute timer". The value is that name.
func (l *language) timerLengths(toks []token, i int) []reading {
	rs := l.durations(toks, i)
	for k := range rs {
		s, _ := rs[k].value.(int)
		rs[k].value = strings.ReplaceAll(tools.Duration(time.Duration(s)*time.Second), " and ", " ")
	}
	return rs
}

// bareMinutes reads a number alone, which is then minutes: "the eggs need ten". The
// value is seconds.
func (l *language) bareMinutes(toks []token, i int) []reading {
	n, end := l.cardinal(toks, i)
	if end == i || n < 1 || n > 600 || n != math.Trunc(n) {
		return nil
	}
	return []reading{{end: end, value: int(n) * 60}}
}

// noTime reads what is said as a time of day and is none: 25:00, 31.
func (l *language) noTime(toks []token, i int) []reading {
	if len(l.times(toks, i)) > 0 {
		return nil
	}
	if s := at(toks, i); isClock(s) || isDigits(s) {
		return []reading{{end: i + 1, value: s}}
	}
	if n, end := l.cardinal(toks, i); end > i && n > 24 {
		return []reading{{end: end, value: n}}
	}
	return nil
}

// momentWords reads a moment as its words.
func (l *language) momentWords(toks []token, i int) []reading {
	rs := l.moments(toks, i)
	for k := range rs {
		rs[k].value = join(toks[i:rs[k].end])
	}
	return rs
}

// metersSaid reads a height as people say it: "one meter eighty", "1 m 80". The value
// is meters.
func (l *language) metersSaid(toks []token, i int) []reading {
	n, end := l.cardinal(toks, i)
	if one := l.Numbers.One.skip(toks, i); end == i && one > i { // "a metre seventy"
		n, end = 1, one
	}
	unit := l.Numbers.Meter.skip(toks, end)
	if end == i || unit == end || n < 1 || n > 2 || n != math.Trunc(n) {
		return nil
	}
	c, cend := l.cardinal(toks, unit)
	if cend == unit || c < 10 || c > 99 || c != math.Trunc(c) {
		return nil
	}
	return []reading{{end: cend, value: math.Round(100*n+c) / 100}}
}

// feetSaid reads feet and inches: "5 foot 11", "six feet two inches". The value is
// feet.
func (l *language) feetSaid(toks []token, i int) []reading {
	n, end := l.cardinal(toks, i)
	unit := l.Numbers.Foot.skip(toks, end)
	if end == i || unit == end || n != math.Trunc(n) {
		return nil
	}
	in, iend := l.cardinal(toks, l.Numbers.And.skip(toks, unit))
	if iend <= unit || in >= 12 {
		return nil
	}
	value := math.Round((n+in/12)*1e4) / 1e4
	rs := []reading{{end: iend, value: value}}
	if k := l.Numbers.Inch.skip(toks, iend); k > iend {
		rs = append([]reading{{end: k, value: value}}, rs...)
	}
	return rs
}

// dateWords reads a day as its words.
func (l *language) dateWords(toks []token, i int) []reading {
	rs := l.dates(toks, i)
	for k := range rs {
		rs[k].value = join(toks[i:rs[k].end])
	}
	return rs
}
