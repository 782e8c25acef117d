package when

import (
	"fmt"
	"time"
)

// SayTime writes a time of day so that espeak-ng and flite both read it well: "3:20 PM", but
// "3 PM", because espeak-ng reads out the zeros of "3:00 PM".
func SayTime(t time.Time, hour24 bool) string {
	switch {
	case hour24:
		return t.Format("15:04")
	case t.Minute() == 0:
		return t.Format("3 PM")
	}
	return t.Format("3:04 PM")
}

// SayDate is "May 3rd".
func SayDate(t time.Time) string { return fmt.Sprintf("%s %s", t.Month(), Ordinal(t.Day())) }

// SayDay is what a floating day is called on the floating day today: "today", "tomorrow",
// "on Friday", "on May 3rd", "on May 3rd 2028".
func SayDay(t, today time.Time) string {
	switch n := DaysBetween(today, t); {
	case n == 0:
		return "today"
	case n == 1:
		return "tomorrow"
	case n > 1 && n < 7:
		return "on " + t.Weekday().String()
	case t.Year() == today.Year() || n > 0 && n < 180:
		return "on " + SayDate(t)
	}
	return fmt.Sprintf("on %s %d", SayDate(t), t.Year())
}

// Ordinal is "1st", "22nd", "13th".
func Ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}
