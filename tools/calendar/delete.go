package calendar

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emersion/go-ical"

	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/when"
)

type deleteArguments struct {
	meant
	Series bool `json:"series" about:"all times of one that repeats"`
}

// mayDelete is the question before an appointment is deleted. It repeats the words of the
// request, because looking the appointment up would take too long.
func (c *calendar) mayDelete(args json.RawMessage) string {
	var a deleteArguments
	if json.Unmarshal(args, &a) != nil || a.meant == (meant{}) {
		return "" // first the tool asks which one
	}
	what := "your next appointment"
	if !a.Next {
		what = "the appointment"
		if title := fetch.Line(a.Title, maxTitle); title != "" {
			what = title
			if !slices.Contains([]string{"the", "my", "our"}, strings.ToLower(strings.Fields(title)[0])) {
				what = "the " + title
			}
		}
		if clock, err := when.ParseTime(a.Time); err == nil && a.Time != "" {
			what += " at " + when.SayTime(clock.On(when.Date(c.wall()), workday), c.h24)
		}
		if d, err := when.ParseDay(a.Day, c.wall()); err == nil && a.Day != "" {
			what += " " + when.SayDay(d.Date, c.wall())
		}
	}
	if a.Series {
		what += " for good"
	}
	return fmt.Sprintf("Should I delete %s from the calendar?", what)
}

func (c *calendar) remove(ctx context.Context, a deleteArguments) (tools.Result, error) {
	ev, answer, err := c.which(ctx, a.meant, "delete")
	if err != nil {
		return tools.Result{}, err
	}
	if answer != nil {
		return *answer, nil
	}
	said := c.say(*ev, true)
	whole := !ev.Repeats || a.Series
	if !whole {
		ev.leaveOut()
		whole = len(ev.entry.events) == 0 // the rest of the series is not in this calendar
	}
	if whole {
		if err := c.store.remove(ctx, ev.entry); err != nil {
			return tools.Result{}, failure(err)
		}
		return result(fmt.Sprintf("I deleted %s.", said), []Event{*ev}), nil
	}
	for _, part := range ev.entry.events {
		if part.Props.Get(ical.PropRecurrenceID) == nil {
			c.touch(part)
		}
	}
	if err := c.store.change(ctx, ev.entry); err != nil {
		return tools.Result{}, failure(err)
	}
	return result(fmt.Sprintf("I deleted %s. Its other times stay.", said), []Event{*ev}), nil
}

// leaveOut takes this one time out of a repeating event.
func (ev *Event) leaveOut() {
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
