package lang

import (
	"math"
	"strings"
)

// BareMinutes reads a number alone, which then means minutes: "the eggs need ten". The Value is
// seconds.
func (l *Language) BareMinutes(toks []Token, i int) []Reading {
	n, end := l.Cardinal(toks, i)
	if end == i || n < 1 || n > 600 || n != math.Trunc(n) {
		return nil
	}
	return []Reading{{End: end, Value: int(n) * 60}}
}

// noTime reads what is said like a time of day and is none: 25:00, 31.
func (l *Language) noTime(toks []Token, i int) []Reading {
	if len(l.TimesOfDay(toks, i)) > 0 {
		return nil
	}
	if s := at(toks, i); IsClock(s) || IsDigits(s) {
		return []Reading{{End: i + 1, Value: s}}
	}
	if n, end := l.Cardinal(toks, i); end > i && n > 24 {
		return []Reading{{End: end, Value: n}}
	}
	return nil
}

// lengthsSaid reads lengths that are not written like a time of day: an alarm for 25:00 is none for 25 minutes.
func (l *Language) lengthsSaid(toks []Token, i int) []Reading {
	if IsClock(at(toks, i)) {
		return nil
	}
	return l.Lengths(toks, i)
}

// metersSaid reads a height as people say it: "one meter eighty", "1 m 80". The value
// is meters.
func (l *Language) metersSaid(toks []Token, i int) []Reading {
	n, end := l.Cardinal(toks, i)
	if one := l.Numbers.One.Skip(toks, i); end == i && one > i { // "a metre seventy"
		n, end = 1, one
	}
	unit := l.Numbers.Meter.Skip(toks, end)
	if end == i || unit == end || n < 1 || n > 2 || n != math.Trunc(n) {
		return nil
	}
	c, cend := l.Cardinal(toks, unit)
	if cend == unit || c < 10 || c > 99 || c != math.Trunc(c) {
		return nil
	}
	return []Reading{{End: cend, Value: math.Round(100*n+c) / 100}}
}

// feetSaid reads feet and inches: "5 foot 11", "six feet two inches". The value is
// feet.
func (l *Language) feetSaid(toks []Token, i int) []Reading {
	n, end := l.Cardinal(toks, i)
	unit := l.Numbers.Foot.Skip(toks, end)
	if end == i || unit == end || n != math.Trunc(n) {
		return nil
	}
	in, iend := l.Cardinal(toks, l.Numbers.And.Skip(toks, unit))
	if iend <= unit || in >= 12 {
		return nil
	}
	value := math.Round((n+in/12)*1e4) / 1e4
	rs := []Reading{{End: iend, Value: value}}
	if k := l.Numbers.Inch.Skip(toks, iend); k > iend {
		rs = append([]Reading{{End: k, Value: value}}, rs...)
	}
	return rs
}

// spelled reads a word; the value is its letters.
func spelled(toks []Token, i int) []Reading {
	word := at(toks, i)
	if word == "" || IsDigits(word) {
		return nil
	}
	return []Reading{{End: i + 1, Value: strings.Join(strings.Split(strings.ToUpper(word), ""), ", ")}}
}

// asWords reads what read does, as its words.
func asWords(read reader) reader {
	return func(toks []Token, i int) []Reading {
		rs := read(toks, i)
		for k := range rs {
			rs[k].Value = Join(toks[i:rs[k].End])
		}
		return rs
	}
}
