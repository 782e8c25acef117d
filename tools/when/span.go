package when

import (
	"slices"
	"time"
)

// Span is a day or several.
type Span string

// The spans that are no Day, or more than its one.
const (
	Now         Span = "now"
	Tonight     Span = "tonight"
	ThisWeek    Span = "this week"
	NextWeek    Span = "next week"
	ThisWeekend Span = "this weekend"
	NextWeekend Span = "next weekend"
	ThisMonth   Span = "this month"
	NextMonth   Span = "next month"
)

// UnmarshalText takes one of these, or a Day. The error matches ErrDay.
func (s *Span) UnmarshalText(text []byte) error {
	*s = Span(text)
	if _, day := s.Day(); !day {
		return nil
	}
	return new(Day).UnmarshalText(text)
}

// Day is s as a day. It is not ok for what is none: now, tonight, and whole weeks and months.
func (s Span) Day() (day Day, ok bool) {
	return Day(s), s != "" && !slices.Contains([]Span{Now, Tonight, ThisWeek, ThisMonth}, s)
}

// Days are the floating days of s, from midnight to midnight, as said at now: of a period that has begun those that are
// left. several: it is more than one day. Weeks begin on Monday.
func (s Span) Days(now time.Time) (from, to time.Time, several bool) {
	today := Date(now)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := today.AddDate(0, 0, 1-today.Day())
	switch s {
	case "", Now, Tonight:
		return today, today.AddDate(0, 0, 1), false
	case ThisWeek:
		return today, monday.AddDate(0, 0, 7), true
	case NextWeek:
		return monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14), true
	case ThisWeekend:
		return later(today, monday.AddDate(0, 0, 5)), monday.AddDate(0, 0, 7), true
	case NextWeekend:
		return monday.AddDate(0, 0, 12), monday.AddDate(0, 0, 14), true
	case ThisMonth:
		return today, month.AddDate(0, 1, 0), true
	case NextMonth:
		return month.AddDate(0, 1, 0), month.AddDate(0, 2, 0), true
	}
	day := Day(s).On(today)
	return day, day.AddDate(0, 0, 1), false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// parts are the hours of each part of a day.
var parts = map[string]struct{ from, to int }{
	"morning": {0, 12}, "noon": {11, 14}, "lunchtime": {11, 14},
	"afternoon": {12, 18}, "evening": {17, 24}, "night": {19, 24},
}

// Part gives the hours of a part of the day. It is not ok for what is none.
func Part(name string) (from, to int, ok bool) {
	p, ok := parts[name]
	return p.from, p.to, ok
}
