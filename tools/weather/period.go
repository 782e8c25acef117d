package weather

import (
	"fmt"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// period is the part of a forecast that a question is about: now, hours of one day, or one or
// more whole days.
type period struct {
	f      *forecast
	name   string // "right now", "tomorrow", "on Friday", "this evening"
	now    *hour  // nil: not about now
	hours  []hour // of one day; of today only those that are left
	days   []day
	parted bool // the question is about a part of the day, which hours are
	book   *phrase.Book
}

// parts are the hours of each part of the day; the night goes on into the next day.
var parts = map[string]struct{ from, to int }{
	"morning": {6, 12}, "afternoon": {12, 18}, "evening": {18, 23}, "night": {21, 30},
}

// period finds the period that a day and a part of it mean.
func (f *forecast) period(book *phrase.Book, now time.Time, name when.Span, part string) (*period, error) {
	now = now.In(f.zone)
	if name == when.Tonight {
		name, part = "today", "night"
	}
	if (name == when.Now || name == "") && part != "" {
		name = "today"
	}
	p := &period{f: f, book: book}
	if p.named(now, name) {
		return p, nil
	}
	offset := when.DaysBetween(when.Float(now, f.zone), when.Day(name).On(when.Float(now, f.zone)))
	p.days = f.span(f.today(now)+offset, 1)
	if len(p.days) == 0 {
		say := book.Say("weather.too_far")
		if f.house {
			say = book.Say("weather.silent", phrase.Args{"place": ""})
		}
		return nil, &tools.Failure{
			Say:   say,
			Cause: fmt.Errorf("day %q is not in the forecast", name),
		}
	}
	p.name = book.Day(when.Float(p.days[0].Date, f.zone), when.Float(now, f.zone))
	from, to := p.days[0].Date, p.days[0].Date.AddDate(0, 0, 1)
	if bounds, ok := parts[part]; ok {
		from, to = from.Add(time.Duration(bounds.from)*time.Hour), from.Add(time.Duration(bounds.to)*time.Hour)
		p.parted = true
		p.name = book.Part("weather.part", phrase.Args{"when": p.name, "part": part, "near": offset == 0})
		if last := to.AddDate(0, 0, -1); offset == 0 && now.Before(last) { // the night that goes on
			from, to = from.AddDate(0, 0, -1), last
		}
	}
	if offset == 0 && to.After(now) && now.After(from) {
		from = hourOf(now)
	}
	p.hours = f.between(from, to)
	if n := len(p.hours); f.house && (n == 0 || p.hours[n-1].Time.Before(to.Add(-time.Hour))) {
		p.hours = nil // it tells the hours of a part of the time only
		if p.parted {
			p.days = nil
		}
	}
	return p, nil
}

// named makes it what a name means that is not one day (now, a weekend, a week), and says whether the name is one of
// them.
func (p *period) named(now time.Time, name when.Span) bool {
	today := p.f.today(now)
	monday := today + 7 - (int(now.Weekday())+6)%7 // the next one
	switch name {
	case "", when.Now:
		p.name, p.now = p.book.Part("weather.when_now"), &p.f.now
		p.days = p.f.span(today, 1)
		p.hours = p.f.between(now, hourOf(now).Add(12*time.Hour))
		return true
	case when.ThisWeekend:
		p.name = p.book.Part("weather.when_weekend")
		from := (int(time.Saturday) - int(now.Weekday()) + 7) % 7
		if now.Weekday() == time.Sunday {
			p.days = p.f.span(today, 1)
		} else {
			p.days = p.f.span(today+from, 2)
		}
		return true
	case when.ThisWeek:
		p.name = p.book.Part("weather.when_days")
		p.days = p.f.span(today+1, 7)
		return true
	case when.NextWeek:
		p.name = p.book.Part("weather.when_next_week")
		p.days = p.f.span(monday, 7)
		return true
	case when.NextWeekend:
		p.name = p.book.Part("weather.when_next_weekend")
		p.days = p.f.span(monday+5, 2)
		return true
	}
	return false
}

// today is the index of the day of now.
func (f *forecast) today(now time.Time) int {
	for i, d := range f.days {
		if d.Date.Format(time.DateOnly) == now.Format(time.DateOnly) {
			return i
		}
	}
	return 0
}

func (f *forecast) span(from, n int) []day {
	if from < 0 || from >= len(f.days) {
		return nil
	}
	return f.days[from:min(from+n, len(f.days))]
}

func (f *forecast) between(from, to time.Time) []hour {
	var list []hour
	from = hourOf(from)
	for _, h := range f.hours {
		if !h.Time.Before(from) && h.Time.Before(to) {
			list = append(list, h)
		}
	}
	return list
}

// hourOf is the full hour on the clock at t. Truncate would take that of UTC, which in India is
// at half past.
func hourOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, t.Location())
}
