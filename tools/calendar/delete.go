package calendar

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/emersion/go-ical"

	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

type deleteArguments struct {
	meant
	Series bool `json:"series" about:"all times of one that repeats"`
}

// mayDelete is the question before an appointment is deleted. It repeats the words of the
// request, because looking the appointment up on a server would take too long.
func (c *calendar) mayDelete(args json.RawMessage) string {
	var a deleteArguments
	if json.Unmarshal(args, &a) != nil || a.meant == (meant{}) {
		return "" // first the tool asks which one
	}
	if _, here := c.store.(*fileStore); here {
		ctx, cancel := context.WithTimeout(context.Background(), callLimit)
		defer cancel()
		if _, answer, err := c.which(ctx, a.meant, "delete"); err == nil && answer != nil {
			return "" // there is none, or not only one, which the tool says
		}
	}
	title := fetch.Line(a.Title, maxTitle)
	first, _, _ := strings.Cut(strings.ToLower(title), " ")
	said := phrase.Args{
		"next": a.Next, "title": title, "series": a.Series, "at": nil, "on": nil, "today": c.wall(),
		"article": slices.Contains(strings.Fields(c.book.Part("calendar.articles")), first),
	}
	if a.Time != nil && !a.Next {
		said["at"] = a.Time.On(when.Date(c.wall()), workday)
	}
	if day, ok := a.Day.Day(); ok && !a.Next {
		said["on"] = day.On(c.wall())
	}
	return c.book.Say("calendar.really", said)
}

func (c *calendar) remove(ctx context.Context, a deleteArguments) (tools.Result, error) {
	ev, answer, err := c.which(ctx, a.meant, "delete")
	if err != nil {
		return tools.Result{}, err
	}
	if answer != nil {
		return *answer, nil
	}
	said := c.args(*ev, true)
	whole := !ev.Repeats || a.Series
	if !whole {
		ev.leaveOut()
		whole = len(ev.entry.events) == 0 // the rest of the series is not in this calendar
	}
	if said["rest"] = !whole; whole {
		if err := c.store.remove(ctx, ev.entry); err != nil {
			return tools.Result{}, c.failure(err)
		}
		return result(c.book.Say("calendar.deleted", said), []appointment{*ev}), nil
	}
	for _, part := range ev.entry.events {
		if part.Props.Get(ical.PropRecurrenceID) == nil {
			c.touch(part)
		}
	}
	if err := c.store.change(ctx, ev.entry); err != nil {
		return tools.Result{}, c.failure(err)
	}
	return result(c.book.Say("calendar.deleted", said), []appointment{*ev}), nil
}

// leaveOut takes this one time out of a repeating event.
func (ev *appointment) leaveOut() {
	own := ev.component()
	ev.entry.events = slices.DeleteFunc(ev.entry.events, func(c *ical.Component) bool {
		return c == own && c.Props.Get(ical.PropRecurrenceID) != nil
	})
	for _, c := range ev.entry.events {
		if c.Props.Get(ical.PropRecurrenceID) == nil {
			c.Props = maps.Clone(c.Props)
			dates := slices.Clone(c.Props[ical.PropExceptionDates])
			c.Props[ical.PropExceptionDates] = append(dates, *stampProp(ical.PropExceptionDates, ev.id))
		}
	}
}
