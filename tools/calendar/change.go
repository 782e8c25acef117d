package calendar

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// usualLength is the length of an appointment if nobody says how long it takes.
const usualLength = time.Hour

func (c *calendar) add(ctx context.Context, a struct {
	Title    string      `json:"title" need:"yes" min:"1" max:"100"`
	Day      when.Day    `json:"day" about:"2027-05-03, or words: tomorrow, friday"`
	Time     *when.Clock `json:"time" about:"when it begins, such as 15:00; not given: the whole day"`
	Length   int         `json:"duration_s" min:"60" max:"2592000" about:"how long, in seconds"`
	End      *when.Clock `json:"end" about:"when it ends, such as 16:30, if that was said and not how long it takes"`
	Until    when.Day    `json:"until" about:"the last day of what takes several whole days, as day"`
	Location string      `json:"location" max:"100"`
	Repeat   when.Repeat `json:"repeat" about:"an RRULE such as FREQ=YEARLY or FREQ=WEEKLY;BYDAY=MO,FR, or words: weekly"`
	Calendar string      `json:"calendar" max:"100" about:"name of the calendar, only if the person named one"`
}) (tools.Result, error) {
	title := fetch.Line(a.Title, maxTitle)
	if title == "" {
		return tools.Result{}, &tools.ArgumentError{Reason: "the title is empty"}
	}
	if a.Day == "" && a.Time == nil && a.Repeat == "" {
		about := phrase.Args{"title": title}
		return tools.Result{Text: c.book.Say("calendar.when", about), Then: c.book.Lines("calendar.when_then", about)}, nil
	}
	start := c.start(a.Day, a.Time)
	if a.Repeat != "" && a.Day == "" {
		if next, ok := a.Repeat.First(start.wall, start.wall.Add(-time.Second)); ok {
			start.wall = next
		}
	}
	if a.Calendar != "" {
		var err error
		if a.Calendar, err = c.called(ctx, a.Calendar); err != nil {
			return tools.Result{}, err
		}
	}
	length, err := start.lasts(time.Duration(a.Length)*time.Second, a.End)
	if err != nil {
		return tools.Result{}, err
	}
	if a.Until != "" {
		if start.wall, length = days(a.Day, a.Until, start.wall, c.wall()); !start.date || length <= 0 || length > maxDays {
			return tools.Result{}, &tools.ArgumentError{Reason: "until is the last whole day, behind day and without a time"}
		}
	}
	ev := newEvent(title, fetch.Line(a.Location, maxTitle), a.Repeat.From(start.wall))
	put(ev, start, length)
	c.touch(ev)
	e := &entry{uid: text(ev, ical.PropUID), events: []*ical.Component{ev}}
	if e.calendar, err = c.store.create(ctx, a.Calendar, e); err != nil {
		return tools.Result{}, c.failure(err)
	}
	made := e.event(ev, start, length)
	made.Repeats = a.Repeat != ""
	said := c.args(made, true)
	said["repeat"] = c.book.Often(a.Repeat.Parts())
	r := result(c.book.Say("calendar.added", said), []appointment{made})
	r.Foreign = false // the words are those of whoever asked
	return r, nil
}

// lasts is how long an appointment takes that begins at s, by the length or the end that was said, if any.
func (s stamp) lasts(length time.Duration, end *when.Clock) (time.Duration, error) {
	switch length = cmp.Or(length, usualLength); {
	case s.date && end != nil:
		return 0, &tools.ArgumentError{Reason: "end is the end of what has a time"}
	case s.date:
		return max(length.Truncate(day), day), nil
	case end != nil:
		return end.After(s.wall).Sub(s.wall), nil
	}
	return length, nil
}

// maxDays bounds what takes several days.
const maxDays = 366 * day

// days are those from one named day to another. The 3rd of "from the 3rd to August 10th" is in that month, or the one
// before.
func days(from, until when.Day, first, today time.Time) (start time.Time, length time.Duration) {
	last := until.On(first)
	if n, alone := strings.CutPrefix(string(from), "day "); alone && !strings.HasPrefix(string(until), "day ") {
		last = until.On(today)
		if of, err := strconv.Atoi(n); err == nil {
			first = last.AddDate(0, 0, of-last.Day())
		}
		if first.After(last) {
			first = first.AddDate(0, -1, 0)
		}
	}
	return first, last.Sub(first) + day
}

// newEvent is a new event that has no time yet.
func newEvent(title, where string, repeat when.Repeat) *ical.Component {
	ev := ical.NewComponent(ical.CompEvent)
	ev.Props.SetText(ical.PropUID, strings.ToLower(rand.Text())+"@hearthd")
	ev.Props.SetText(ical.PropSummary, title)
	if where != "" {
		ev.Props.SetText(ical.PropLocation, where)
	}
	if repeat != "" {
		ev.Props.Set(&ical.Prop{Name: ical.PropRecurrenceRule, Value: string(repeat)})
	}
	return ev
}

// start is when something is. A day without a time is the whole day, and a time without a
// day is the next such time.
func (c *calendar) start(name when.Day, at *when.Clock) stamp {
	now := c.wall()
	s := stamp{wall: when.Date(now), zone: c.loc, date: at == nil}
	switch {
	case at == nil && name != "":
		s.wall = name.On(now)
	case at != nil:
		s.wall = at.First(cmp.Or(name, "today"), now, workday)
		if name == "" && !s.wall.After(now) {
			s.wall = at.First("tomorrow", now, workday)
		}
	}
	return s
}

// put writes start and length into an event. It refers to zones by their IANA names, which
// other programs know without a definition.
func put(ev *ical.Component, start stamp, length time.Duration) {
	ev.Props.Del(ical.PropDuration)
	ev.Props.Set(stampProp(ical.PropDateTimeStart, start))
	end := start
	if start.date {
		end.wall = start.wall.Add(max(length.Round(day), day)) // a day has 23 to 25 hours
	} else {
		end.wall = when.Float(start.instant().Add(length), start.zone)
	}
	ev.Props.Set(stampProp(ical.PropDateTimeEnd, end))
}

func stampProp(name string, s stamp) *ical.Prop {
	p := ical.NewProp(name)
	switch zone := s.zone.String(); {
	case s.date:
		p.Params.Set(ical.ParamValue, string(ical.ValueDate))
		p.Value = s.wall.Format("20060102")
	case s.floating || zone == "Local": // the name Local means nothing elsewhere
		p.Value = s.wall.Format("20060102T150405")
	case zone == "UTC":
		p.Value = s.wall.Format("20060102T150405Z")
	default:
		p.Params.Set(ical.ParamTimezoneID, zone)
		p.Value = s.wall.Format("20060102T150405")
	}
	return p
}

// touch marks an event as changed, for other programs (RFC 5545, 3.8.7).
func (c *calendar) touch(ev *ical.Component) {
	now := c.now().UTC().Format("20060102T150405Z")
	ev.Props.Set(&ical.Prop{Name: ical.PropDateTimeStamp, Params: ical.Params{}, Value: now})
	ev.Props.Set(&ical.Prop{Name: ical.PropLastModified, Params: ical.Params{}, Value: now})
	n := 0
	if p := ev.Props.Get(ical.PropSequence); p != nil {
		if i, err := p.Int(); err == nil && i >= 0 && i < 1<<30 {
			n = i + 1
		}
	}
	ev.Props.Set(&ical.Prop{Name: ical.PropSequence, Params: ical.Params{}, Value: fmt.Sprint(n)})
}

func (c *calendar) move(ctx context.Context, a struct {
	meant
	NewDay   when.Day    `json:"new_day" about:"as day"`
	NewTime  *when.Clock `json:"new_time" about:"as time"`
	NewTitle string      `json:"new_title" max:"100" about:"to rename it"`
	Length   int         `json:"duration_s" min:"60" max:"2592000" about:"how long, in seconds"`
}) (tools.Result, error) {
	if a.NewDay == "" && a.NewTime == nil && a.NewTitle == "" && a.Length == 0 {
		return tools.Result{Text: c.book.Say("calendar.move_when")}, nil
	}
	ev, answer, err := c.which(ctx, a.meant, "move")
	if err != nil {
		return tools.Result{}, err
	}
	if answer != nil {
		return *answer, nil
	}
	start, length := c.moved(*ev, a.NewDay, a.NewTime)
	if a.Length > 0 && !start.date {
		length = time.Duration(a.Length) * time.Second
	}
	part := ev.single()
	if a.NewDay != "" || a.NewTime != nil || a.Length > 0 {
		put(part, start, length)
	}
	if title := fetch.Line(a.NewTitle, maxTitle); title != "" {
		part.Props.SetText(ical.PropSummary, title)
	}
	c.touch(part)
	if err := c.store.change(ctx, ev.entry); err != nil {
		return tools.Result{}, c.failure(err)
	}
	now := ev.entry.event(part, start, length)
	now.Repeats = ev.Repeats
	if a.NewDay == "" && a.NewTime == nil {
		return result(c.book.Say("calendar.changed", c.args(now, true)), []appointment{now}), nil
	}
	return result(c.book.Say("calendar.moved", c.args(now, true)), []appointment{now}), nil
}

// moved is the time of an event after a move. What is not named stays as it is.
func (c *calendar) moved(ev appointment, newDay when.Day, newTime *when.Clock) (stamp, time.Duration) {
	at := stamp{wall: when.Float(ev.Start, c.loc), zone: c.loc, date: ev.AllDay}
	length := ev.End.Sub(ev.Start)
	if ev.AllDay {
		length = when.Float(ev.End, c.loc).Sub(at.wall)
	}
	if newDay != "" {
		at.wall = newDay.On(c.wall()).Add(at.wall.Sub(when.Date(at.wall)))
	}
	if newTime != nil {
		at.wall = newTime.On(when.Date(at.wall), workday)
		if at.date {
			at.date, length = false, usualLength
		}
	}
	return at, length
}

// single returns the component to change for this one time. For a repeating event that is a
// component of its own, which replaces only this time.
func (ev *appointment) single() *ical.Component {
	c := ev.component()
	if !ev.Repeats || c.Props.Get(ical.PropRecurrenceID) != nil {
		return c
	}
	own := ical.NewComponent(c.Name)
	own.Children = c.Children
	for name, props := range c.Props {
		own.Props[name] = slices.Clone(props)
	}
	repeats := []string{ical.PropRecurrenceRule, ical.PropRecurrenceDates, ical.PropExceptionDates}
	for _, name := range append(repeats, ical.PropDuration) {
		own.Props.Del(name)
	}
	own.Props.Set(stampProp(ical.PropRecurrenceID, ev.id))
	put(own, ev.id, ev.End.Sub(ev.Start))
	ev.entry.events = append(ev.entry.events, own)
	return own
}
