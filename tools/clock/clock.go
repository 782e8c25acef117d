// Package clock holds the tools that tell time and reckon with days: time_now,
// date_today, date_tell, days_until, time_after, time_until and week_number. It runs
// no goroutine and imports llm, tools and tools/when only.
package clock

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/when"
)

// Options says how a household reads its clock.
type Options struct {
	Location *time.Location
	Hour24   bool             // "15:20" instead of "3:20 PM"
	Now      func() time.Time // nil: time.Now
}

// wallTime is how a time without a zone is written in data.
const wallTime = "2006-01-02T15:04:05"

type clock struct{ Options }

type dayArguments struct {
	Day string `json:"day" need:"yes" max:"60" about:"such as friday, the third of may, christmas, 2027-05-03"`
}

// New makes the tools.
func New(o Options) ([]tools.Tool, error) {
	if o.Location == nil {
		return nil, errors.New("make clock: a location is needed")
	}
	if o.Now == nil {
		o.Now = time.Now
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
func (c clock) here() time.Time { return when.Float(c.Now(), c.Location) }

func (c clock) time(_ context.Context, a struct {
	Place string `json:"place" max:"60" about:"city or country; leave out for here"`
}) (tools.Result, error) {
	now := c.Now().In(c.Location)
	if strings.TrimSpace(a.Place) == "" {
		return tools.Result{Text: "It's " + when.SayTime(now, c.Hour24) + ".", Data: now.Format(time.RFC3339)}, nil
	}
	zone, name, ok := zoneOf(a.Place)
	if !ok {
		place := strings.Join(strings.Fields(a.Place), " ")
		return tools.Result{Text: fmt.Sprintf("I don't know the time zone of %s.", place)}, nil
	}
	there := now.In(zone)
	day := ""
	if when.DaysBetween(when.Float(now, c.Location), when.Float(there, zone)) != 0 {
		day = " on " + there.Weekday().String()
	}
	text := fmt.Sprintf("It's %s%s in %s.", when.SayTime(there, c.Hour24), day, name)
	return tools.Result{Text: text, Data: there.Format(time.RFC3339)}, nil
}

func (c clock) date(context.Context, struct{}) (tools.Result, error) {
	now := c.here()
	text := fmt.Sprintf("Today is %s, %s.", now.Weekday(), when.SayDate(now))
	return tools.Result{Text: text, Data: now.Format(time.DateOnly)}, nil
}

// day reads the day that is asked for.
func (c clock) day(text string) (day, today time.Time, err error) {
	today = when.Date(c.here())
	d, err := when.ParseDay(text, today)
	if err != nil {
		return today, today, &tools.ArgumentError{Reason: "day: " + err.Error()}
	}
	return d.Date, today, nil
}

// dated is "May 3rd", with its year when that is not the present one.
func dated(day, today time.Time) string {
	if day.Year() == today.Year() {
		return when.SayDate(day)
	}
	return fmt.Sprintf("%s %d", when.SayDate(day), day.Year())
}

func (c clock) tell(_ context.Context, a dayArguments) (tools.Result, error) {
	day, today, err := c.day(a.Day)
	if err != nil {
		return tools.Result{}, err
	}
	is := "is"
	if day.Before(today) {
		is = "was"
	}
	text := fmt.Sprintf("%s %s a %s.", dated(day, today), is, day.Weekday())
	return tools.Result{Text: text, Data: day.Format(time.DateOnly)}, nil
}

func (c clock) until(_ context.Context, a struct {
	dayArguments
	From string `json:"from" max:"60" about:"day to count from; leave out for today"`
}) (tools.Result, error) {
	day, today, err := c.day(a.Day)
	if err != nil {
		return tools.Result{}, err
	}
	from := today
	if a.From != "" {
		if from, _, err = c.day(a.From); err != nil {
			return tools.Result{}, err
		}
		if day.Before(from) {
			if day, from, err = c.inOrder(a.Day, day, from); err != nil {
				return tools.Result{}, err
			}
		}
	}
	n := when.DaysBetween(from, day)
	count := tools.Sentence(tools.Count(n, "day", "days"))
	var text string
	switch {
	case a.From != "":
		text = fmt.Sprintf("%s from %s to %s.", count, dated(from, today), dated(day, today))
	case n == 0:
		text = "That is today."
	case n == 1:
		text = "That is tomorrow."
	case n == -1:
		text = "That was yesterday."
	case n < 0:
		text = fmt.Sprintf("That was %s ago, on %s.", tools.Count(-n, "day", "days"), dated(day, today))
	default:
		text = fmt.Sprintf("%s until %s, %s.", count, day.Weekday(), dated(day, today))
	}
	return tools.Result{Text: text, Data: map[string]any{"day": day.Format(time.DateOnly), "days": n}}, nil
}

func (c clock) after(_ context.Context, a struct {
	Seconds int    `json:"duration_s" need:"yes" min:"-31536000" max:"31536000" about:"seconds; negative: ago"`
	From    string `json:"from" max:"60" about:"time of day to count from; leave out for now"`
}) (tools.Result, error) {
	now, from := c.here(), c.Now()
	if a.From != "" {
		clock, err := when.ParseTime(a.From)
		if err != nil {
			return tools.Result{}, &tools.ArgumentError{Reason: "from: " + err.Error()}
		}
		from = when.Resolve(clock.After(now), c.Location)
	}
	// Computed with instants, so that a change to daylight saving in between is right.
	then := when.Float(from.Add(time.Duration(a.Seconds)*time.Second), c.Location)
	day := ""
	if when.DaysBetween(now, then) != 0 {
		day = " " + when.SayDay(then, now)
	}
	verb := "It will be"
	if a.Seconds < 0 && a.From == "" {
		verb = "It was"
	}
	text := fmt.Sprintf("%s %s%s.", verb, when.SayTime(then, c.Hour24), day)
	return tools.Result{Text: text, Data: then.Format(wallTime)}, nil
}

// inOrder is for a day, named by text, that lies before from. If the name fits every year, the
// next such day after from is meant; otherwise the two days change places.
func (c clock) inOrder(text string, day, from time.Time) (last, first time.Time, err error) {
	tomorrow, err := when.ParseDay(text, when.Date(c.here()).AddDate(0, 0, 1))
	if err != nil || !tomorrow.Date.Equal(day) { // such as today
		return from, day, err
	}
	next, err := when.ParseDay(text, from)
	if err != nil || next.Date.Before(from) {
		return from, day, err
	}
	return next.Date, from, nil
}

func (c clock) timeUntil(_ context.Context, a struct {
	Time string `json:"time" need:"yes" max:"60" about:"such as 18:00, half past six, noon"`
}) (tools.Result, error) {
	clock, err := when.ParseTime(a.Time)
	if err != nil {
		return tools.Result{}, &tools.ArgumentError{Reason: "time: " + err.Error()}
	}
	then := clock.After(c.here())
	left := when.Resolve(then, c.Location).Sub(c.Now()).Round(time.Second) // with instants, as in after
	text := fmt.Sprintf("%s until %s.", tools.Sentence(tools.Duration(left)), when.SayTime(then, c.Hour24))
	return tools.Result{Text: text, Data: map[string]any{"time": then.Format(wallTime), "seconds": left.Seconds()}}, nil
}

func (c clock) week(_ context.Context, a struct {
	Day string `json:"day" max:"60" about:"such as friday, the third of may, christmas, 2027-05-03"`
}) (tools.Result, error) {
	today := when.Date(c.here())
	day := today
	if a.Day != "" {
		var err error
		if day, today, err = c.day(a.Day); err != nil {
			return tools.Result{}, err
		}
	}
	year, week := day.ISOWeek()
	text := fmt.Sprintf("It is week %d.", week)
	if !day.Equal(today) {
		text = fmt.Sprintf("%s is in week %d.", dated(day, today), week)
	}
	return tools.Result{Text: text, Data: map[string]int{"year": year, "week": week}}, nil
}
