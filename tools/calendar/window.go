package calendar

import (
	"cmp"
	"strings"
	"time"

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

// parts are the hours of each part of the day.
var parts = map[string]struct{ from, to int }{
	"morning": {0, 12}, "noon": {11, 14}, "lunchtime": {11, 14},
	"afternoon": {12, 18}, "evening": {17, 24}, "night": {19, 24},
}

// windowOf is a day, or several days, and of one day a part, or the hour that begins at a time. Weeks begin on Monday.
func windowOf(name when.Span, at *when.Clock, part string, now time.Time) window {
	today := when.Date(now)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	month := today.AddDate(0, 0, 1-today.Day())
	w := window{days: true, span: strings.TrimPrefix(string(name), "this ")}
	switch name {
	case "", when.Now:
		if at != nil || part != "" {
			return window{from: today, to: today.AddDate(0, 0, 1)}.narrow(at, part)
		}
		w.from, w.to, w.span = now, today.AddDate(0, 0, 7), "soon"
	case when.ThisWeek:
		w.from, w.to = today, monday.AddDate(0, 0, 7)
	case when.NextWeek:
		w.from, w.to = monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14)
	case when.ThisWeekend:
		w.from, w.to = monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 7)
		if today.After(w.from) {
			w.from = today
		}
	case when.NextWeekend:
		w.from, w.to = monday.AddDate(0, 0, 12), monday.AddDate(0, 0, 14)
	case when.ThisMonth:
		w.from, w.to = today, month.AddDate(0, 1, 0)
	case when.NextMonth:
		w.from, w.to = month.AddDate(0, 1, 0), month.AddDate(0, 2, 0)
	case when.Tonight:
		if at == nil {
			part = cmp.Or(part, "evening")
		}
		return window{from: today, to: today.AddDate(0, 0, 1)}.narrow(at, part)
	default:
		day := when.Day(name).On(today)
		return window{from: day, to: day.AddDate(0, 0, 1)}.narrow(at, part)
	}
	return w
}

// narrow makes of a day a part of it, or the hour that begins at a time, if one is given.
func (w window) narrow(at *when.Clock, part string) window {
	first := w.from
	switch hours, ok := parts[part]; {
	case at != nil:
		w.from, w.exact = at.On(first, workday), true
		w.to = w.from.Add(time.Hour)
	case ok:
		w.from, w.to = first.Add(time.Duration(hours.from)*time.Hour), first.Add(time.Duration(hours.to)*time.Hour)
		w.part = part
	}
	return w
}

// workday is the earliest hour that a time without am or pm means: "at 7" is in the evening,
// "at 9" in the morning.
const workday = 8
