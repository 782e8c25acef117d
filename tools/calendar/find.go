package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/language"
	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

func (c *calendar) list(ctx context.Context, a struct {
	Day      when.Span   `json:"day" about:"2027-05-03, or words: tomorrow, friday, next week, this weekend"`
	Time     *when.Clock `json:"time" about:"a time of day, such as 19:30"`
	End      *when.Clock `json:"end" about:"of the hours that time begins; 23:59 for after a time"`
	Part     string      `json:"part" enum:"morning,noon,lunchtime,afternoon,evening,night"`
	Calendar string      `json:"calendar" max:"100" about:"name of the calendar, only if the person named one"`
}) (tools.Result, error) {
	now := c.wall()
	w := windowOf(a.Day, a.Time, a.Part, now).until(a.End)
	all, but, err := c.events(ctx, when.Resolve(w.from, c.loc), when.Resolve(w.to, c.loc), a.Calendar)
	if err != nil {
		return tools.Result{}, err
	}
	about := w.args(c.wall())
	if len(all) == 0 {
		return behind(result(c.book.Say("calendar.empty", about), nil), but), nil
	}
	about["events"] = c.several(all, func(e appointment) bool {
		return w.days || !e.AllDay && e.Start.Before(when.Resolve(when.Date(w.from), c.loc))
	})
	return behind(result(c.book.Say("calendar.shown", about), all), but), nil
}

// several are events as the answers say them, with their days where that is asked for.
func (c *calendar) several(all []appointment, dated func(appointment) bool) []phrase.Args {
	var list []phrase.Args
	for _, e := range all {
		list = append(list, c.args(e, dated(e)))
	}
	return list
}

// args are an event as the answers say it: "dentist at 3 PM", "Emma's birthday all day".
func (c *calendar) args(e appointment, dated bool) phrase.Args {
	var until any // the last of several days
	if last := when.Float(e.End, c.loc).Add(-time.Hour); e.AllDay && e.End.Sub(e.Start) > 25*time.Hour {
		until = when.Date(last)
	}
	return phrase.Args{
		"until": until, "title": e.Title, "place": e.Location, "time": when.Float(e.Start, c.loc), "today": c.wall(),
		"whole": e.AllDay, "dated": dated,
	}
}

// ahead are the periods that are searched for the next appointment, in days.
var ahead = [...]int{7, 60, 366}

func (c *calendar) next(ctx context.Context, a struct {
	Title    string `json:"title" max:"100" about:"what the appointment is called, or words of it"`
	Calendar string `json:"calendar" max:"100" about:"name of the calendar, only if the person named one"`
}) (tools.Result, error) {
	found, but, err := c.upcoming(ctx, a.Title, a.Calendar)
	if err != nil {
		return tools.Result{}, err
	}
	key, about := "calendar.nothing", phrase.Args{}
	switch {
	case len(found) > 0:
		found, key, about = found[:1], "calendar.next", c.args(found[0], true)
		if a.Title != "" {
			key = "calendar.next_called"
		}
	case a.Title != "":
		key = "calendar.nothing_like"
	}
	return behind(result(c.book.Say(key, about), found), but), nil
}

// upcoming lists events that have not begun yet and are called like title. It looks only as
// far ahead as it takes to find one. but is as of events.
func (c *calendar) upcoming(ctx context.Context, title, name string) (found []appointment, but string, err error) {
	now := c.now()
	for _, days := range ahead {
		var all []appointment
		if all, but, err = c.events(ctx, now, now.AddDate(0, 0, days), name); err != nil {
			return nil, "", err
		}
		all = slices.DeleteFunc(all, func(e appointment) bool {
			return e.Start.Before(now) && !(e.AllDay && e.End.Sub(e.Start) <= 25*time.Hour)
		})
		if found = match(all, title); len(found) > 0 {
			break
		}
	}
	return found, but, nil
}

// words are those of the languages: small ones of a request do not describe an appointment, and tails hang on to one
// that does ("Zahnarzttermin").
var words = language.Words("calendar.txt")

// plain is text in lower case, its words separated by single spaces.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" \t,.!?;:'’\"()-/", r)
	}), " ")
}

// match lists the events that title may mean: those called exactly so, or else those that
// have all its words. An empty title means all.
func match(all []appointment, title string) []appointment {
	said := plain(title)
	describing := slices.DeleteFunc(strings.Fields(said), func(w string) bool {
		return slices.Contains(words["small"], w)
	})
	if len(describing) == 0 && said != "" {
		describing = strings.Fields(said)
		if !slices.ContainsFunc(all, func(e appointment) bool { return holds(e, describing) }) {
			describing = nil // "the appointment"
		}
	}
	var exact, some []appointment
	for _, e := range all {
		switch {
		case said != "" && plain(e.Title) == said:
			exact = append(exact, e)
		case holds(e, describing):
			some = append(some, e)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return some
}

// holds reports whether a title has all the words, possibly with other endings: "dentist" is
// in "Dentist's", and "birthdays" finds "birthday".
func holds(e appointment, describing []string) bool {
	in := strings.Fields(plain(e.Title))
	for _, w := range describing {
		for _, tail := range words["tail"] {
			if short := strings.TrimSuffix(w, tail); short != "" {
				w = short
			}
		}
		stem := w[:max(len(w)-1, min(len(w), 4))]
		if !slices.ContainsFunc(in, func(i string) bool { return i == w || len(w) > 3 && strings.HasPrefix(i, stem) }) {
			return false
		}
	}
	return true
}

// which finds the one appointment that somebody means. If there is none, or it is not clear
// which, it returns the answer to the person instead.
func (c *calendar) which(ctx context.Context, m meant, deed string) (*appointment, *tools.Result, error) {
	var found []appointment
	var but string
	var err error
	title, day, next := m.Title, m.Day, m.Next
	begins := m.begins(c.loc)
	if next {
		title, day = "", ""
	}
	switch {
	case !next && title == "" && day == "" && m.Time == nil && m.Part == "":
		r := result(c.book.Say("calendar.which", phrase.Args{"deed": deed}), nil)
		return nil, &r, nil
	case day == "":
		found, but, err = c.upcoming(ctx, title, "")
	default:
		w := windowOf(day, nil, "", c.wall())
		found, but, err = c.events(ctx, when.Resolve(w.from, c.loc), when.Resolve(w.to, c.loc), "")
		found = match(found, title)
	}
	if err != nil {
		return nil, nil, err
	}
	if next {
		found = found[:min(len(found), 1)]
	}
	found = slices.DeleteFunc(found, func(e appointment) bool { return !begins(e) })
	if day == "" && title == "" {
		found = found[:min(len(found), 1)] // the next one at that time
	}
	if len(found) == 0 {
		r := behind(result(c.book.Say("calendar.none_such"), nil), but)
		return nil, &r, nil
	}
	for _, e := range found[1:] {
		if e.entry != found[0].entry {
			events := c.several(found, func(appointment) bool { return true })
			r := result(c.book.Say("calendar.several", phrase.Args{"events": events, "deed": deed}), found)
			return nil, &r, nil
		}
	}
	if found[0].entry.uid == "" {
		return nil, nil, c.failure(fmt.Errorf("%w: event without a UID", errPartly))
	}
	return &found[0], nil, nil
}

// meant describes an appointment that somebody speaks of.
type meant struct {
	Title string      `json:"title" max:"100" about:"what the appointment is called, or words of it"`
	Day   when.Span   `json:"day" about:"the day on which it is, if that was named"`
	Time  *when.Clock `json:"time" about:"when it begins, such as 19:30, if that was named"`
	Part  string      `json:"part" enum:"morning,noon,lunchtime,afternoon,evening,night"`
	Next  bool        `json:"next" about:"the next appointment, whatever it is called"`
}

// begins says which events begin at the time, or in the part of the day, of m: all, if it has none.
func (m meant) begins(loc *time.Location) func(appointment) bool {
	from, to, parted := when.Part(m.Part)
	return func(e appointment) bool {
		at := when.Float(e.Start, loc)
		return (m.Time == nil || !e.AllDay && m.Time.Fits(at)) &&
			(!parted || !e.AllDay && at.Hour() >= from && at.Hour() < to)
	}
}
