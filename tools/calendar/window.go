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
	end      bool   // and about the one at which it ends
}

// args are a window as the answers say it.
func (w window) args(now time.Time) phrase.Args {
	return phrase.Args{
		"span": w.span, "time": w.from, "today": now, "days": when.DaysBetween(when.Date(now), when.Date(w.from)),
		"part": w.part, "exact": w.exact, "until": w.to, "end": w.end,
		"open": w.end && !w.to.Add(time.Minute).Before(when.Date(w.from).AddDate(0, 0, 1)),
	}
}

// windowOf is a day, or several days, and of one day a part, or the hour that begins at a time. Weeks begin on Monday.
func windowOf(name when.Span, at *when.Clock, part string, now time.Time) window {
	if (name == "" || name == when.Now) && at == nil && part == "" {
		today := when.Date(now)
		return window{from: now, to: today.AddDate(0, 0, 7), days: true, span: "soon"}
	}
	from, to, several := name.Days(now)
	if several {
		return window{from: from, to: to, days: true, span: strings.TrimPrefix(string(name), "this ")}
	}
	if name == when.Tonight && at == nil {
		part = cmp.Or(part, "evening")
	}
	return window{from: from, to: to}.narrow(at, part)
}

// narrow makes of a day a part of it, or the hour that begins at a time, if one is given.
func (w window) narrow(at *when.Clock, part string) window {
	first := w.from
	switch begins, ends, ok := when.Part(part); {
	case at != nil:
		w.from, w.exact = at.On(first, workday), true
		w.to = w.from.Add(time.Hour)
	case ok:
		w.from, w.to = first.Add(time.Duration(begins)*time.Hour), first.Add(time.Duration(ends)*time.Hour)
		w.part = part
	}
	return w
}

// until makes an hour one of several, which end when a clock shows end, if that is given.
func (w window) until(end *when.Clock) window {
	if end != nil && w.exact {
		w.to, w.end = end.On(when.Date(w.from), w.from.Hour()), true
	}
	return w
}

// workday is the earliest hour that a time without am or pm means: "at 7" is in the evening,
// "at 9" in the morning.
const workday = 8
