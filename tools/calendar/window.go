package calendar

import (
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/when"
)

// window is a period of floating time, and its name as it follows "You have two appointments".
type window struct {
	from, to time.Time
	label    string
	days     bool // several days, so the day of each event is told
}

// partOf is the hours of a part of the day.
func partOf(name string) (from, to int, ok bool) {
	switch strings.ToLower(name) {
	case "morning":
		return 0, 12, true
	case "noon", "lunchtime":
		return 11, 14, true
	case "afternoon":
		return 12, 18, true
	case "evening", "tonight":
		return 17, 24, true
	case "night":
		return 19, 24, true
	}
	return 0, 0, false
}

// windowOf reads a day, or several days, and a part of the day. Weeks begin on Monday.
func windowOf(name, at string, now time.Time) (window, error) {
	today := when.Date(now)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := today.AddDate(0, 0, 1-today.Day())
	name = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "the ")
	w := window{days: true, label: name}
	switch name {
	case "":
		w.from, w.to, w.label = now, today.AddDate(0, 0, 7), "in the next seven days"
		if at != "" {
			w.from, w.to, w.label, w.days = today, today.AddDate(0, 0, 1), "today", false
		}
	case "week", "this week":
		w.from, w.to, w.label = today, monday.AddDate(0, 0, 7), "this week"
	case "next week":
		w.from, w.to = monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14)
	case "weekend", "this weekend":
		w.from, w.to, w.label = monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 7), "this weekend"
		if today.After(w.from) {
			w.from = today
		}
	case "next weekend":
		w.from, w.to = monday.AddDate(0, 0, 12), monday.AddDate(0, 0, 14)
	case "month", "this month":
		w.from, w.to, w.label = today, month.AddDate(0, 1, 0), "this month"
	case "next month":
		w.from, w.to = month.AddDate(0, 1, 0), month.AddDate(0, 2, 0)
	default:
		d, err := when.ParseDay(name, today)
		if err != nil {
			return w, &tools.ArgumentError{Reason: err.Error()}
		}
		w = window{from: d.Date, to: d.Date.AddDate(0, 0, 1), label: when.SayDay(d.Date, today)}
		if when.DaysBetween(today, d.Date) == -1 {
			w.label = "yesterday"
		}
		if name == "tonight" && at == "" {
			at = name
		}
	}
	if at == "" || w.days {
		return w, nil
	}
	return w.part(at, today)
}

// part narrows a day to a part of it, or to the hour that begins at a time.
func (w window) part(at string, today time.Time) (window, error) {
	first := w.from
	if from, to, ok := partOf(at); ok {
		w.from, w.to = first.Add(time.Duration(from)*time.Hour), first.Add(time.Duration(to)*time.Hour)
		switch said := strings.ToLower(at); {
		case said == "tonight", said == "evening" && first.Equal(today):
			w.label = "this evening"
		case first.Equal(today):
			w.label = "this " + said
		default:
			w.label += " " + said
		}
		return w, nil
	}
	clock, err := when.ParseTime(at)
	if err != nil {
		return w, &tools.ArgumentError{Reason: err.Error()}
	}
	w.from = clock.On(first, workday)
	w.to = w.from.Add(time.Hour)
	return w, nil
}

// workday is the earliest hour that a time without am or pm means: "at 7" is in the evening,
// "at 9" in the morning.
const workday = 8
