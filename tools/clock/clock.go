// Package clock holds the tools that tell time and reckon with days: time_now,
// date_today, date_tell, days_until, time_after, time_until and week_number. It runs
// no goroutine and imports language, tools, tools/phrase and tools/when only.
package clock

import (
	"context"
	"errors"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// Options says how a household reads its clock.
type Options struct {
	Location *time.Location
	Book     *phrase.Book     // what is said; nil: in English
	now      func() time.Time // nil: time.Now
}

// wallTime is how a time without a zone is written in data.
const wallTime = "2006-01-02T15:04:05"

type clock struct{ Options }

type dayArguments struct {
	Day when.Day `json:"day" need:"yes" about:"2027-05-03, or words: friday, the third of may, christmas"`
}

// New makes the tools.
func New(o Options) ([]tools.Tool, error) {
	if o.Location == nil {
		return nil, errors.New("make clock: a location is needed")
	}
	if o.Book == nil {
		o.Book = phrase.English()
	}
	if o.now == nil {
		o.now = time.Now
	}
	c := clock{o}
	return []tools.Tool{
		tools.Query("time_now", "Tells the time of day, here or in another place.", c.time),
		tools.Query("date_today", "Tells today's date and day of the week.", c.date),
		tools.Query("date_tell", "Tells which date and day of the week a day is.", c.tell),
		tools.Query("days_until", "Counts the days until a day, from today or from another day.", c.until),
		tools.Query("time_after",
			"Tells what time it is a while from now, or was a while ago, or after another time.", c.after),
		tools.Query("time_until", "Tells how long it is until a time of day.", c.timeUntil),
		tools.Query("week_number", "Tells the number of the week, as ISO 8601 counts.", c.week),
	}, nil
}

// here is what a clock in the home shows now.
func (c clock) here() time.Time { return when.Float(c.now(), c.Location) }

func (c clock) time(_ context.Context, a struct {
	Place string      `json:"place" max:"60" about:"city, country or zone; leave out for here"`
	Time  *when.Clock `json:"time" about:"what a clock in from shows then; leave out for now"`
	From  string      `json:"from" max:"60" about:"where it is that time, or with whose clocks those of place are compared, as place"`
	Zone  bool        `json:"zone" about:"also tell how far the clocks are apart"`
}) (tools.Result, error) {
	at, named, known := c.zone(a.Place)
	if !known {
		return c.noZone(a.Place), nil
	}
	from, other, known := c.zone(a.From)
	if !known {
		return c.noZone(a.From), nil
	}
	now := c.now()
	if a.Time != nil {
		now = when.Resolve(a.Time.On(when.Float(now, from), morning), from)
	}
	here, there := when.Float(now, from), when.Float(now, at)
	args := phrase.Args{
		"time": now.In(at), "place": named, "from": other, "other_day": when.DaysBetween(here, there) != 0,
		"then": a.Time != nil, "ahead": there.After(here), "apart": there.Sub(here).Abs(),
	}
	key := "clock.there"
	switch {
	case a.Zone:
		key = "clock.zone"
	case named == "" && a.Time == nil:
		key = "clock.now"
	}
	return tools.Result{Text: c.Book.Say(key, args), Data: now.In(at).Format(time.RFC3339)}, nil
}

// morning is the earliest hour that a time without am or pm means.
const morning = 7

func (c clock) noZone(place string) tools.Result {
	return tools.Result{Text: c.Book.Say("clock.no_zone", phrase.Args{"place": strings.Join(strings.Fields(place), " ")})}
}

// zone is the time zone of a place, and the place as it is spelled; without one that of the home.
func (c clock) zone(place string) (*time.Location, string, bool) {
	if strings.TrimSpace(place) == "" {
		return c.Location, "", true
	}
	return zoneOf(place)
}

func (c clock) date(_ context.Context, a struct {
	Year bool `json:"year" about:"the year is asked for too"`
}) (tools.Result, error) {
	now := c.here()
	text := c.Book.Say("clock.today", phrase.Args{"time": now, "year": a.Year})
	return tools.Result{Text: text, Data: now.Format(time.DateOnly)}, nil
}

// today is the day here.
func (c clock) today() time.Time { return when.Date(c.here()) }

func (c clock) tell(_ context.Context, a dayArguments) (tools.Result, error) {
	today := c.today()
	day := a.Day.On(today)
	text := c.Book.Say("clock.weekday", phrase.Args{"time": day, "today": today, "past": day.Before(today)})
	return tools.Result{Text: text, Data: day.Format(time.DateOnly)}, nil
}

func (c clock) until(_ context.Context, a struct {
	dayArguments
	From when.Day `json:"from" about:"day to count from; leave out for today"`
}) (tools.Result, error) {
	today := c.today()
	day, from := a.Day.On(today), today
	if a.From != "" {
		if from = a.From.On(today); day.Before(from) {
			day, from = c.inOrder(a.Day, day, from)
		}
	}
	n := when.DaysBetween(from, day)
	key, days := "clock.days_until", n
	switch {
	case a.From != "":
		key = "clock.days_between"
	case n == 0:
		key = "clock.is_today"
	case n == 1:
		key = "clock.is_tomorrow"
	case n == -1:
		key = "clock.was_yesterday"
	case n < 0:
		key, days = "clock.days_ago", -n
	}
	text := c.Book.Say(key, phrase.Args{"days": days, "from": from, "time": day, "today": today})
	return tools.Result{Text: text, Data: map[string]any{"day": day.Format(time.DateOnly), "days": n}}, nil
}

func (c clock) after(_ context.Context, a struct {
	Seconds int         `json:"duration_s" need:"yes" min:"-31536000" max:"31536000" about:"seconds; negative: ago"`
	From    *when.Clock `json:"from" about:"time of day to count from, such as 19:30; leave out for now"`
}) (tools.Result, error) {
	now, from := c.here(), c.now()
	if a.From != nil {
		from = when.Resolve(a.From.After(now), c.Location)
	}
	// Computed with instants, so that a change to daylight saving in between is right.
	then := when.Float(from.Add(time.Duration(a.Seconds)*time.Second), c.Location)
	text := c.Book.Say("clock.after", phrase.Args{
		"time": then, "today": now, "other_day": when.DaysBetween(now, then) != 0, "past": a.Seconds < 0 && a.From == nil,
	})
	return tools.Result{Text: text, Data: then.Format(wallTime)}, nil
}

// inOrder is for a day, named so, that lies before from. If the name fits every year, the
// next such day after from is meant; otherwise the two days are exchanged.
func (c clock) inOrder(name when.Day, day, from time.Time) (last, first time.Time) {
	if !name.On(c.today().AddDate(0, 0, 1)).Equal(day) { // such as today
		return from, day
	}
	next := name.On(from)
	if next.Before(from) {
		return from, day
	}
	return next, from
}

func (c clock) timeUntil(_ context.Context, a struct {
	Time when.Clock `json:"time" need:"yes" about:"24 hours, such as 19:30, or words, with am or pm where that is known"`
}) (tools.Result, error) {
	then := a.Time.After(c.here())
	left := when.Resolve(then, c.Location).Sub(c.now()).Round(time.Second) // with instants, as in after
	text := c.Book.Say("clock.until", phrase.Args{"left": left, "time": then})
	return tools.Result{Text: text, Data: map[string]any{"time": then.Format(wallTime), "seconds": left.Seconds()}}, nil
}

func (c clock) week(_ context.Context, a struct {
	Day when.Day `json:"day" about:"2027-05-03, or words: friday, the third of may, christmas"`
}) (tools.Result, error) {
	today := c.today()
	day := today
	if a.Day != "" {
		day = a.Day.On(today)
	}
	year, week := day.ISOWeek()
	key := "clock.week"
	if !day.Equal(today) {
		key = "clock.week_of"
	}
	text := c.Book.Say(key, phrase.Args{"time": day, "today": today, "week": week})
	return tools.Result{Text: text, Data: map[string]int{"year": year, "week": week}}, nil
}
