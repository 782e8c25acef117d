package calendar

import (
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// window is a period of floating time.
type window struct {
	from, to time.Time
	days     bool   // several days, so the day of each event is told
	span     string // what several days are called: soon, week, next week, and so on
	part     string // of a day: morning, noon, lunchtime, afternoon, evening or night
	exact    bool   // it is asked about the time at which it begins
}

// args are a window as the answers say it.
func (w window) args(now time.Time) phrase.Args {
	return phrase.Args{
		"span": w.span, "time": w.from, "today": now, "days": when.DaysBetween(when.Date(now), when.Date(w.from)),
		"part": w.part, "exact": w.exact,
	}
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
	w := window{days: true, span: strings.TrimPrefix(name, "this ")}
	switch name {
	case "":
		w.from, w.to, w.span = now, today.AddDate(0, 0, 7), "soon"
		if at != "" {
			w = window{from: today, to: today.AddDate(0, 0, 1)}
		}
	case "week", "this week":
		w.from, w.to = today, monday.AddDate(0, 0, 7)
	case "next week":
		w.from, w.to = monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14)
	case "weekend", "this weekend":
		w.from, w.to = monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 7)
		if today.After(w.from) {
			w.from = today
		}
	case "next weekend":
		w.from, w.to = monday.AddDate(0, 0, 12), monday.AddDate(0, 0, 14)
	case "month", "this month":
		w.from, w.to = today, month.AddDate(0, 1, 0)
	case "next month":
		w.from, w.to = month.AddDate(0, 1, 0), month.AddDate(0, 2, 0)
	default:
		d, err := when.ParseDay(name, today)
		if err != nil {
			return w, &tools.ArgumentError{Reason: err.Error()}
		}
		w = window{from: d.Date, to: d.Date.AddDate(0, 0, 1)}
		if name == "tonight" && at == "" {
			at = name
		}
	}
	if at == "" || w.days {
		return w, nil
	}
	return w.narrow(at)
}

// narrow makes of a day a part of it, or the hour that begins at a time.
func (w window) narrow(at string) (window, error) {
	first := w.from
	if from, to, ok := partOf(at); ok {
		w.from, w.to = first.Add(time.Duration(from)*time.Hour), first.Add(time.Duration(to)*time.Hour)
		if w.part = strings.ToLower(at); w.part == "tonight" {
			w.part = "evening"
		}
		return w, nil
	}
	clock, err := when.ParseTime(at)
	if err != nil {
		return w, &tools.ArgumentError{Reason: err.Error()}
	}
	w.from, w.exact = clock.On(first, workday), true
	w.to = w.from.Add(time.Hour)
	return w, nil
}

// workday is the earliest hour that a time without am or pm means: "at 7" is in the evening,
// "at 9" in the morning.
const workday = 8
