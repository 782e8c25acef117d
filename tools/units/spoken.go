package units

import (
	"math"

	"hearthd/tools/phrase"
)

// fractions are the marks on measuring cups and spoons.
var fractions = []struct {
	value float64
	name  string
}{{1.0 / 8, "1/8"}, {1.0 / 4, "1/4"}, {1.0 / 3, "1/3"}, {1.0 / 2, "1/2"}, {2.0 / 3, "2/3"}, {3.0 / 4, "3/4"}}

const (
	// exactly is the relative error up to which a rounded amount counts as exact; it only
	// allows for the rounding of float64.
	exactly = 1e-6
	// wordsUpTo is the largest amount that is said in words.
	wordsUpTo = 12
	// least is the smallest amount that is said as a number.
	least = 0.001
)

// rounding is how an amount is rounded.
type rounding int

const (
	kitchen  rounding = iota
	coarse            // for amounts that depend on a density
	decimals          // between metric units: exact, if three decimals are enough
)

// spoken is an amount as the answers say it (units.amount), rounded; exact: the rounding changed nothing.
func spoken(v float64, u *unit, how rounding) (said phrase.Args, exact bool) {
	if !u.metric {
		if said, exact = amountOf(v, u); !exact && u.kind == length && u.size > inch && v >= 1 && v < wordsUpTo+1 {
			tenths := math.Round(v*10) / 10 // no cup is marked in miles, and a quarter of one is far
			return digits(tenths, u), near(tenths, v)
		}
		return said, exact
	}
	rounded := roundMetric(v, how)
	return digits(rounded, u), near(rounded, v)
}

// roundMetric rounds to what a kitchen scale or jug can show.
func roundMetric(v float64, how rounding) float64 {
	thousandths := math.Round(v * 1000)
	switch {
	case how == decimals && near(thousandths, v*1000):
		return thousandths / 1000
	case v < 1:
		return twoDigits(v)
	case v < 10:
		return math.Round(v*10) / 10
	case v >= 1000:
		return math.Round(v/10) * 10
	case v >= 100 && how == coarse:
		return math.Round(v/5) * 5
	}
	return math.Round(v)
}

// amountOf is an amount with a fraction of a measuring cup, if it is near one: "two and a half
// cups".
func amountOf(v float64, u *unit) (said phrase.Args, exact bool) {
	whole, rest := math.Floor(v), v-math.Floor(v)
	if v > 0 && v < least {
		return digits(v, u), false
	}
	if u.metric || v >= wordsUpTo+1 || near(v, math.Round(v)) {
		return plainAmount(v, u)
	}
	best := -1
	distance := math.Min(rest, 1-rest)
	if whole == 0 {
		distance = 1 - rest // zero is no amount
	}
	for i, f := range fractions {
		if whole > 0 && i == 0 {
			continue // nobody measures an eighth beyond a whole cup
		}
		if d := math.Abs(rest - f.value); d < distance {
			best, distance = i, d
		}
	}
	if whole == 0 && rest < 0.1 {
		said, _ = plainAmount(twoDigits(v), u)
		return said, near(twoDigits(v), v)
	}
	if best < 0 {
		said, _ = plainAmount(math.Round(v), u)
	} else {
		said = phrase.Args{"unit": u.one, "words": false, "whole": int(whole), "part": fractions[best].name}
	}
	return said, distance < exactly
}

// plainAmount is a number and its unit.
func plainAmount(v float64, u *unit) (said phrase.Args, exact bool) {
	if rounded := math.Round(v); near(rounded, v) && rounded <= wordsUpTo {
		return phrase.Args{"unit": u.one, "words": true, "whole": int(rounded)}, true
	}
	rounded := v
	if v >= wordsUpTo+1 && !u.metric {
		rounded = math.Round(v)
	}
	return digits(rounded, u), near(rounded, v)
}

func near(a, b float64) bool { return math.Abs(a-b) <= exactly*math.Max(1, math.Abs(b)) }

func twoDigits(v float64) float64 {
	if math.Abs(v) < least/10 {
		return v
	}
	scale := math.Pow(10, 1-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// digits is an amount as a number with at most three decimals; a small one has two significant
// digits.
func digits(v float64, u *unit) phrase.Args {
	rounded, less := math.Round(v*1000)/1000, v != 0 && math.Abs(v) < least
	switch {
	case less:
		rounded = least
	case v != 0 && math.Abs(v) < 10*least:
		rounded = twoDigits(v)
	}
	return phrase.Args{"unit": u.one, "words": false, "part": "", "number": rounded, "less": less}
}
