package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Day is a day that somebody named. Weekly: only the weekday was named, so if that day is
// over, the one a week later is meant.
type Day struct {
	Date   time.Time // floating, at midnight
	Weekly bool
}

// maxAhead bounds "in … weeks", in days.
const maxAhead = 100 * 366

// ParseDay reads the name of a day, as somebody says it on the floating day today:
// "tomorrow", "next friday", "in three days", "the third of may", "may 3rd 2028",
// "christmas", "2027-05-03". Without a year the next such day is meant, which may be today.
// The error matches ErrDay.
func ParseDay(text string, today time.Time) (Day, error) {
	today = Date(today)
	if t, err := time.Parse(time.DateOnly, strings.TrimSpace(text)); err == nil {
		return Day{Date: t}, nil
	}
	if d, ok := coded(strings.TrimSpace(text), today); ok {
		return d, nil
	}
	if d, ok := apart(text, today); ok {
		return d, nil
	}
	w := tokens(strings.ReplaceAll(text, ".", ""))
	for len(w) > 1 && slices.Contains([]string{"on", "the", "this", "coming", "for"}, w[0]) {
		w = w[1:]
	}
	if n := len(w); n > 1 && slices.Contains([]string{"morning", "afternoon", "evening", "night"}, w[n-1]) {
		w = w[:n-1]
	}
	for _, read := range []func([]string, time.Time) (Day, bool){near, weekday, ahead, holiday, dated} {
		if d, ok := read(w, today); ok {
			return d, nil
		}
	}
	return Day{}, fmt.Errorf("%w: %.60q", ErrDay, text)
}

// coded reads the forms in which tools/intent writes days: "+14", days from today; "05-03",
// the next third of May; "day 25", the next 25th.
func coded(text string, today time.Time) (Day, bool) {
	if n, err := strconv.Atoi(text); err == nil && text[0] == '+' && n <= maxAhead {
		return Day{Date: today.AddDate(0, 0, n)}, true
	}
	if d, ok := strings.CutPrefix(text, "day "); ok {
		return dated([]string{d}, today)
	}
	if t, err := time.Parse("2006-01-02", "2000-"+text); err == nil {
		return dated([]string{strings.ToLower(t.Month().String()), strconv.Itoa(t.Day())}, today)
	}
	return Day{}, false
}

// near reads the days around today.
func near(w []string, today time.Time) (Day, bool) {
	n, ok := map[string]int{
		"today": 0, "tonight": 0, "now": 0, "morning": 0, "afternoon": 0, "evening": 0,
		"tomorrow": 1, "day after tomorrow": 2, "yesterday": -1, "day before yesterday": -2,
	}[strings.Join(w, " ")]
	return Day{Date: today.AddDate(0, 0, n)}, ok
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// readWeekday reads "friday", "fri" and "fridays".
func readWeekday(s string) (time.Weekday, bool) {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "s"), "'")
	for i, name := range weekdays {
		if s == name || s == name[:3] || i == 3 && s == "wedne" || i == 4 && s == "thur" {
			return time.Weekday(i), true
		}
	}
	return 0, false
}

// weekday reads a day of the week: the next one, which may be today; with "next" the one in
// the week that begins next Monday; and with "last" the one before today.
func weekday(w []string, today time.Time) (Day, bool) {
	next, last := len(w) == 2 && w[0] == "next", len(w) == 2 && w[0] == "last"
	if next || last {
		w = w[1:]
	}
	if len(w) == 3 && w[1] == "next" && w[2] == "week" {
		next, w = true, w[:1]
	}
	if len(w) != 1 {
		return Day{}, false
	}
	d, ok := readWeekday(w[0])
	if w[0] == "weekend" {
		d, ok = time.Saturday, true
	}
	if !ok {
		return Day{}, false
	}
	if last {
		return Day{Date: today.AddDate(0, 0, -1-(int(today.Weekday()-d)+6)%7)}, true
	}
	if next {
		monday := today.AddDate(0, 0, 7-(int(today.Weekday())+6)%7)
		return Day{Date: monday.AddDate(0, 0, (int(d)+6)%7)}, true
	}
	return Day{Date: today.AddDate(0, 0, (int(d-today.Weekday())+7)%7), Weekly: true}, true
}

// apart reads "a week from today" and "two days before 12-25".
func apart(text string, today time.Time) (Day, bool) {
	if len(strings.Fields(text)) > maxWords {
		return Day{}, false
	}
	for _, side := range []struct {
		word string
		sign int
	}{{" from ", 1}, {" before ", -1}} {
		span, day, ok := strings.Cut(text, side.word)
		if !ok {
			continue
		}
		if from, err := ParseDay(day, today); err == nil {
			if d, ok := away(tokens(span), side.sign, from.Date); ok {
				return d, true
			}
		}
	}
	return Day{}, false
}

// ahead reads "in three days", "next week".
func ahead(w []string, today time.Time) (Day, bool) {
	switch s := strings.Join(w, " "); s {
	case "next week":
		return Day{Date: today.AddDate(0, 0, 7)}, true
	case "next month":
		return Day{Date: months(today, 1)}, true
	case "next year":
		return Day{Date: months(today, 12)}, true
	}
	if len(w) == 0 || w[0] != "in" {
		return Day{}, false
	}
	return away(w[1:], 1, today)
}

// away is the day a number of days, weeks, months or years after from, or, if sign is
// negative, before it.
func away(w []string, sign int, from time.Time) (Day, bool) {
	if len(w) < 2 {
		return Day{}, false
	}
	n, ok := Number(w[:len(w)-1])
	unit := strings.TrimSuffix(w[len(w)-1], "s")
	switch {
	case !ok || n > maxAhead:
		return Day{}, false
	case unit == "day":
		return Day{Date: from.AddDate(0, 0, sign*n)}, true
	case unit == "week" && n < maxAhead/7:
		return Day{Date: from.AddDate(0, 0, sign*7*n)}, true
	case unit == "month" && n < maxAhead/31:
		return Day{Date: months(from, sign*n)}, true
	case unit == "year" && n <= 100:
		return Day{Date: months(from, sign*12*n)}, true
	}
	return Day{}, false
}

// months is the same day n months later, or the last day of a month that is too short: a
// month after January 31st is in February.
func months(from time.Time, n int) time.Time {
	first := from.AddDate(0, n, 1-from.Day())
	return first.AddDate(0, 0, min(from.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// dated reads a day of a month: "third of may", "may 3 2028", "24th".
func dated(w []string, today time.Time) (Day, bool) {
	w = slices.DeleteFunc(slices.Clone(w), func(s string) bool { return s == "of" || s == "the" })
	year, fixed := 0, false
	if n := len(w); n > 2 && len(w[n-1]) == 4 {
		if y, err := strconv.Atoi(w[n-1]); err == nil && y >= 1000 {
			year, fixed, w = y, true, w[:n-1]
		}
	}
	if d, ok := ordinal(w); ok && !fixed {
		for m := range 12 {
			if t, ok := onDay(today.Year(), int(today.Month())+m, d); ok && !t.Before(today) {
				return Day{Date: t}, true
			}
		}
	}
	if len(w) < 2 {
		return Day{}, false
	}
	month, ok := readMonth(w[0])
	rest := w[1:]
	if !ok {
		month, ok = readMonth(w[len(w)-1])
		rest = w[:len(w)-1]
	}
	d, okd := ordinal(rest)
	if !ok || !okd {
		return Day{}, false
	}
	if fixed {
		t, ok := onDay(year, month, d)
		return Day{Date: t}, ok
	}
	for y := range 9 { // the 29th of February may be that far
		if t, ok := onDay(today.Year()+y, month, d); ok && !t.Before(today) {
			return Day{Date: t}, true
		}
	}
	return Day{}, false
}

// onDay is a date; false: the month has no such day. Month 13 is January of the next year.
func onDay(year, month, d int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d
}

func readMonth(s string) (int, bool) {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if s == name || s == name[:3] || m == time.September && s == "sept" {
			return int(m), true
		}
	}
	return 0, false
}

// feasts are holidays on a fixed date, as month and day.
var feasts = map[string][2]int{
	"christmas": {12, 25}, "christmas day": {12, 25}, "christmas eve": {12, 24}, "boxing day": {12, 26},
	"new year": {1, 1}, "new years": {1, 1}, "new years day": {1, 1}, "new years eve": {12, 31}, "halloween": {10, 31},
	"valentines day": {2, 14}, "valentines": {2, 14}, "st patricks day": {3, 17}, "saint patricks day": {3, 17},
	"independence day": {7, 4}, "fourth of july": {7, 4}, "may day": {5, 1}, "epiphany": {1, 6}, "april fools": {4, 1},
	"april fools day": {4, 1}, "groundhog day": {2, 2},
}

// fromEaster are holidays that move with Easter Sunday, in days after it.
var fromEaster = map[string]int{
	"easter": 0, "easter sunday": 0, "easter monday": 1, "good friday": -2, "ash wednesday": -46, "palm sunday": -7,
	"ascension day": 39, "ascension": 39, "pentecost": 49, "whit sunday": 49, "whit monday": 50,
}

// holiday reads the name of a holiday, of which it takes the next one.
func holiday(w []string, today time.Time) (Day, bool) {
	name := strings.ReplaceAll(strings.Join(w, " "), "'", "")
	fixed := func(y int) (time.Time, bool) {
		if f, ok := feasts[name]; ok {
			return onDay(y, f[0], f[1])
		}
		if n, ok := fromEaster[name]; ok {
			return easter(y).AddDate(0, 0, n), true
		}
		if name == "thanksgiving" { // in the USA: the fourth Thursday of November
			first := time.Date(y, time.November, 1, 0, 0, 0, 0, time.UTC)
			return first.AddDate(0, 0, (int(time.Thursday-first.Weekday())+7)%7+21), true
		}
		return time.Time{}, false
	}
	for y := range 2 {
		if t, ok := fixed(today.Year() + y); ok && !t.Before(today) {
			return Day{Date: t}, true
		}
	}
	return Day{}, false
}

// easter is Easter Sunday of a year by the anonymous Gregorian computus (Meeus,
// Astronomical Algorithms, chapter 8).
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(y, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
