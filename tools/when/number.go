package when

import (
	"slices"
	"strconv"
	"strings"
)

var cardinals = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
}

var ordinals = []string{
	"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
	"twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
	"twentieth",
}

var decades = map[string]int{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// Number reads a number from 0 to 9999 in digits, or to 99 in words.
func Number(w []string) (int, bool) {
	switch len(w) {
	case 1:
		if n, err := strconv.Atoi(w[0]); err == nil {
			return n, n >= 0 && n <= 9999
		}
		if w[0] == "a" || w[0] == "an" {
			return 1, true
		}
		if i := slices.Index(cardinals, w[0]); i >= 0 {
			return i, true
		}
		n, ok := decades[w[0]]
		return n, ok
	case 2:
		tens, ok := decades[w[0]]
		ones, ok1 := Number(w[1:])
		return tens + ones, ok && ok1 && ones > 0 && ones < 10
	}
	return 0, false
}

// ordinal reads "3rd", "third" and "twenty third", and "3", as a day of a month.
func ordinal(w []string) (int, bool) {
	if len(w) == 2 {
		tens, ok := decades[w[0]]
		ones, ok1 := ordinal(w[1:])
		return tens + ones, ok && ok1 && ones < 10 && tens <= 30
	}
	if len(w) != 1 {
		return 0, false
	}
	if w[0] == "thirtieth" {
		return 30, true
	}
	if i := slices.Index(ordinals, w[0]); i > 0 {
		return i, true
	}
	text := w[0]
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		text = strings.TrimSuffix(text, ending)
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= 31
}
