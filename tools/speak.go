package tools

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The words from zero to nineteen, and the tens.
var (
	small = [...]string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	}
	tens = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
)

// Words says a number from 0 to 99 in words, and any other in digits, which
// every synthesiser reads.
func Words(n int) string {
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n < len(small):
		return small[n]
	case n%10 == 0:
		return tens[n/10]
	}
	return tens[n/10] + "-" + small[n%10]
}

// Thousands puts commas into a positive decimal number: "12,500.5". Without them flite reads
// 1250 as a year.
func Thousands(number string) string {
	whole, _, _ := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		number = number[:at] + "," + number[at:]
	}
	return number
}

// Count says how many of something: "one item", "three items".
func Count(n int, one, many string) string {
	if n == 1 {
		return Words(n) + " " + one
	}
	return Words(n) + " " + many
}

// Duration says d to the second, or to the minute from an hour on: "six minutes
// and twenty seconds".
func Duration(d time.Duration) string {
	if d >= time.Hour {
		d = d.Round(time.Minute)
	} else {
		d = d.Round(time.Second)
	}
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / unit.length); n > 0 {
			parts = append(parts, Count(n, unit.name, unit.name+"s"))
		}
		d %= unit.length
	}
	if len(parts) == 0 {
		return "no time"
	}
	return Join(parts)
}

// maxSpoken is how many entries a listener is told; nobody remembers more.
const maxSpoken = 10

// Join says a list: "milk, eggs and bread". Beyond ten entries it says how many
// more there are.
func Join(items []string) string { return JoinUpTo(items, maxSpoken) }

// JoinUpTo is Join with another number of entries.
func JoinUpTo(items []string, most int) string {
	if len(items) > most+1 {
		items = append(slices.Clone(items[:most]), Words(len(items)-most)+" more")
	}
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// Sentence begins text with a capital letter.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
