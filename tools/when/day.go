package when

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Day is a day as somebody names it, seen from today:
//
//	today, tomorrow, yesterday, +14, -2        days from today
//	friday, next friday, last friday           the next one, which may be today; that of the week
//	                                           which begins next Monday; the one before today
//	2027-05-03, 05-03, day 25                  a date; without a year, or a month too, the next one
//	easter, easter -2, mother's day            a holiday without a date, of which it is the next one
//	tuesday 3 06, friday -1 12                 the third Tuesday of June, the last Friday of December
//	2018 easter, 2030 12-25                    the one of that year
//	this weekend, next weekend                 their Saturday
//	next week, next month, next year           the same day then
//	14 days from friday, 2 months before 12-25
type Day string

// UnmarshalText takes one of these. The error matches ErrDay.
func (d *Day) UnmarshalText(text []byte) error {
	*d = Day(text)
	if _, ok := d.on(time.Unix(0, 0).UTC()); !ok && *d != "" {
		return fmt.Errorf("%w: %.60q", ErrDay, text)
	}
	return nil
}

// On is the date of d, floating and at midnight, as said on the floating day today.
func (d Day) On(today time.Time) time.Time {
	date, _ := d.on(Date(today))
	return date
}

// Weekly reports whether d names a day of the week alone, so that the one a week later is meant if that day is over.
func (d Day) Weekly() bool { return slices.Contains(weekdays, string(d)) || d == "this weekend" }

// Yearly reports whether d names a day of every year, which may be that of a certain one.
func (d Day) Yearly() bool {
	_, feast := feasts[string(d)]
	_, err := time.Parse("01-02", string(d))
	return feast || err == nil || strings.HasPrefix(string(d), "easter")
}

// maxAhead bounds how far a day is from another, in days, and maxDay the text of one.
const (
	maxAhead = 100 * 366
	maxDay   = 60
)

// on is the date of d. It is not ok for what is none.
func (d Day) on(today time.Time) (date time.Time, ok bool) {
	s := string(d)
	if len(s) > maxDay {
		return today, false
	}
	if n, ok := map[string]int{"today": 0, "tomorrow": 1, "yesterday": -1, "next week": 7}[s]; ok {
		return today.AddDate(0, 0, n), true
	}
	if n, err := strconv.Atoi(s); err == nil && (s[0] == '+' || s[0] == '-') && n >= -maxAhead && n <= maxAhead {
		return today.AddDate(0, 0, n), true
	}
	if n, ok := map[string]int{"next month": 1, "next year": 12}[s]; ok {
		return months(today, n), true
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, true
	}
	for _, read := range []func(string, time.Time) (time.Time, bool){weekday, dated, holiday, counted, apart, inYear} {
		if date, ok := read(s, today); ok {
			return date, true
		}
	}
	return time.Time{}, false
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// weekday reads a day of the week, and a weekend.
func weekday(s string, today time.Time) (time.Time, bool) {
	which, name, two := strings.Cut(s, " ")
	switch {
	case !two:
		name = s
	case name == "weekend" && which != "last":
		name = "saturday"
	case which == "this":
		return today, false
	}
	d := slices.Index(weekdays, name)
	switch {
	case d < 0:
		return today, false
	case two && which == "last":
		return today.AddDate(0, 0, -1-(int(today.Weekday())-d+6)%7), true
	case two && which == "next":
		monday := today.AddDate(0, 0, 7-(int(today.Weekday())+6)%7)
		return monday.AddDate(0, 0, (d+6)%7), true
	}
	return today.AddDate(0, 0, (d-int(today.Weekday())+7)%7), !two || which == "this"
}

// span is what lies between two days, such as 14 days from friday.
var span = regexp.MustCompile(`^(\d{1,5}) (days|months) (from|before) (.+)$`)

// apart reads a day that is some days or months from another.
func apart(s string, today time.Time) (time.Time, bool) {
	m := span.FindStringSubmatch(s)
	if m == nil {
		return today, false
	}
	n, err := strconv.Atoi(m[1])
	from, ok := Day(m[4]).on(today)
	if m[3] == "before" {
		n = -n
	}
	if m[2] == "months" {
		return months(from, n), ok && err == nil && n >= -maxAhead/30 && n <= maxAhead/30
	}
	return from.AddDate(0, 0, n), ok && err == nil && n >= -maxAhead && n <= maxAhead
}

// months is the same day n months later, or the last day of a month that is too short: a
// month after January 31st is in February.
func months(from time.Time, n int) time.Time {
	first := from.AddDate(0, n, 1-from.Day())
	return first.AddDate(0, 0, min(from.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// dated reads a date without a year: the next one, which may be today.
func dated(s string, today time.Time) (time.Time, bool) {
	if text, ok := strings.CutPrefix(s, "day "); ok {
		d, err := strconv.Atoi(text)
		for m := range 12 {
			if t, ok := onDay(today.Year(), int(today.Month())+m, d); ok && err == nil && !t.Before(today) {
				return t, true
			}
		}
		return today, false
	}
	leap, err := time.Parse(time.DateOnly, "2000-"+s)
	for y := range 9 { // the 29th of February may be that far
		if t, ok := onDay(today.Year()+y, int(leap.Month()), leap.Day()); ok && err == nil && !t.Before(today) {
			return t, true
		}
	}
	return today, false
}

// onDay is a date; false: the month has no such day. Month 13 is January of the next year.
func onDay(year, month, d int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	return t, d > 0 && t.Day() == d
}

// feasts are the days that are a certain Sunday or Thursday of a month.
var feasts = map[string]string{
	"thanksgiving": "thursday 4 11", "mother's day": "sunday 2 05", "father's day": "sunday 3 06",
}

// counted reads the third Tuesday of a month, or its last one: "tuesday 3 06", "friday -1 12".
func counted(s string, today time.Time) (time.Time, bool) {
	words := strings.Fields(cmp.Or(feasts[s], s))
	if len(words) != 3 {
		return today, false
	}
	day := slices.Index(weekdays, words[0])
	nth, err := strconv.Atoi(words[1])
	month, wrong := strconv.Atoi(words[2])
	if day < 0 || err != nil || wrong != nil || nth == 0 || nth < -1 || nth > 5 || month < 1 || month > 12 {
		return today, false
	}
	for y := range 9 { // few months have a fifth one
		first := time.Date(today.Year()+y, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		days := (day-int(first.Weekday())+7)%7 + 7*(nth-1)
		if nth < 0 {
			first = first.AddDate(0, 1, -1)
			days = -(int(first.Weekday()) - day + 7) % 7
		}
		t := first.AddDate(0, 0, days)
		if int(t.Month()) == month && !t.Before(today) {
			return t, true
		}
	}
	return today, false
}

// inYear reads a day of a certain year: "2018 easter".
func inYear(s string, today time.Time) (time.Time, bool) {
	year, day, two := strings.Cut(s, " ")
	first, err := time.Parse("2006", year)
	if err != nil || !two {
		return today, false
	}
	return Day(day).on(first)
}

// holiday reads one that hangs on Easter: the next one.
func holiday(s string, today time.Time) (time.Time, bool) {
	after := 0
	rest, easterly := strings.CutPrefix(s, "easter")
	if easterly && rest != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(rest, " "))
		if err != nil || rest[0] != ' ' || n < -100 || n > 100 {
			return today, false
		}
		after = n
	}
	for y := range 2 {
		t := easter(today.Year()+y).AddDate(0, 0, after)
		if easterly && !t.Before(today) {
			return t, true
		}
	}
	return today, false
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
