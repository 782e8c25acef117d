package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/tools/fetch"
	"hearthd/tools/when"
)

const (
	maxTimes  = 1000                 // of one event in one window
	maxLength = 366 * 24 * time.Hour // of a repeating event
	maxRule   = 1000                 // bytes of an RRULE
	maxDaily  = 24                   // times a day of one rule
	maxTitle  = 100                  // runes
	maxExcept = 5000                 // dates that one event leaves out or adds
)

// entry is everything with one UID in one calendar: the event (the master), and, if it
// repeats, the events that replace single times of it.
type entry struct {
	uid      string
	calendar string    // name
	place    string    // path of the resource on a server
	tag      string    // its version there, or its fingerprint in a file
	from, to time.Time // the window in which it was found in a file
	events   []*ical.Component
	parts    int               // events that were read; 0: not all could be, so it cannot be changed
	others   []*ical.Component // the rest of the resource, such as time zones
}

// appointment is one appointment at one of its times.
type appointment struct {
	Title    string    `json:"title"`
	Location string    `json:"location,omitempty"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	AllDay   bool      `json:"all_day,omitempty"`
	Calendar string    `json:"calendar"`
	Repeats  bool      `json:"repeats,omitempty"`

	entry *entry
	id    stamp // of a repeating event: when this time of it was before anybody moved it
}

// expand lists the times of e that touch the window between from and to.
func (e *entry) expand(from, to time.Time, home *time.Location) (found []appointment, err error) {
	defer func() { // rules that strangers wrote run through a library
		if p := recover(); p != nil {
			found, err = nil, fmt.Errorf("read repetition: panic: %v", p)
		}
	}()
	var master *ical.Component
	replaced := make(map[time.Time]bool)
	var own []appointment
	for _, c := range e.events {
		if c.Props.Get(ical.PropRecurrenceID) == nil {
			master = c
		}
	}
	zone := home
	if master != nil {
		s, err := one(master, ical.PropDateTimeStart, home)
		if err != nil {
			return nil, err
		}
		if !s.date {
			zone = s.zone
		}
	}
	for _, c := range e.events {
		if c.Props.Get(ical.PropRecurrenceID) == nil {
			continue // the master, or an older copy of it
		}
		id, err := one(c, ical.PropRecurrenceID, home)
		if err != nil {
			return nil, err
		}
		replaced[id.in(zone)] = true
		if cancelled(c) {
			continue
		}
		start, length, err := span(c, home)
		if err != nil {
			return nil, err
		}
		ev := e.event(c, start, length)
		ev.id, ev.Repeats = id, true
		own = append(own, ev)
	}
	if master != nil && !cancelled(master) {
		times, err := e.times(master, zone, replaced, from, to, home)
		if err != nil {
			return nil, err
		}
		own = append(own, times...)
	}
	for _, ev := range own {
		if touches(ev, from, to) {
			found = append(found, ev)
		}
	}
	return found, nil
}

func cancelled(c *ical.Component) bool {
	return strings.EqualFold(text(c, ical.PropStatus), "CANCELLED")
}

func touches(ev appointment, from, to time.Time) bool {
	return ev.Start.Before(to) && (ev.End.After(from) || !ev.Start.Before(from))
}

// component is the event of the entry that describes ev: its replacement, or else the master.
func (ev *appointment) component() *ical.Component {
	var master *ical.Component
	for _, c := range ev.entry.events {
		if c.Props.Get(ical.PropRecurrenceID) == nil {
			master = c
			continue
		}
		if id, err := one(c, ical.PropRecurrenceID, ev.id.zone); err == nil && id.instant().Equal(ev.id.instant()) {
			return c
		}
	}
	return master
}

// span is when c takes place and for how long; a whole day counts in days.
func span(c *ical.Component, home *time.Location) (stamp, time.Duration, error) {
	start, err := one(c, ical.PropDateTimeStart, home)
	if err != nil {
		return start, 0, err
	}
	end, err := one(c, ical.PropDateTimeEnd, home)
	switch {
	case err == nil && start.date:
		return start, max(end.wall.Sub(start.wall), 24*time.Hour), nil
	case err == nil:
		return start, max(end.instant().Sub(start.instant()), 0), nil
	case !errors.Is(err, errAbsent):
		return start, 0, err
	}
	if p := c.Props.Get(ical.PropDuration); p != nil {
		d, err := p.Duration()
		if err != nil || d < 0 || d > 100*maxLength {
			return start, 0, fmt.Errorf("its duration cannot be read: %.40q", p.Value)
		}
		return start, d, nil
	}
	if start.date {
		return start, 24 * time.Hour, nil
	}
	return start, 0, nil
}

// event is c at one of its times.
func (e *entry) event(c *ical.Component, at stamp, length time.Duration) appointment {
	ev := appointment{
		Title: fetch.Line(text(c, ical.PropSummary), maxTitle), Location: fetch.Line(text(c, ical.PropLocation), maxTitle),
		Start: at.instant(), AllDay: at.date, Calendar: e.calendar, entry: e, id: at,
	}
	ev.End = ev.Start.Add(length)
	if at.date {
		ev.End = when.Resolve(at.wall.Add(length), at.zone)
	}
	return ev
}

// times lists the times of an event near a window, without those that are replaced.
func (e *entry) times(
	c *ical.Component, zone *time.Location, replaced map[time.Time]bool, from, to time.Time, home *time.Location,
) ([]appointment, error) {
	start, length, err := span(c, home)
	if err != nil {
		return nil, err
	}
	begin, end := when.Float(from, zone).Add(-min(length, maxLength)-day), when.Float(to, zone).Add(day)
	walls := []time.Time{start.wall}
	rule := c.Props.Get(ical.PropRecurrenceRule)
	if rule != nil {
		// The start is the first time, even if the rule does not include it.
		more, err := repeat(rule.Value, start, zone, begin, end)
		if err != nil {
			return nil, err
		}
		walls = append(walls, more...)
	}
	more, err := listed(c, ical.PropRecurrenceDates, zone, home)
	if err != nil {
		return nil, err
	}
	less, err := listed(c, ical.PropExceptionDates, zone, home)
	if err != nil {
		return nil, err
	}
	walls = append(walls, more...)
	slices.SortFunc(walls, time.Time.Compare)
	walls = slices.Compact(walls)
	without := make(map[time.Time]bool, len(less))
	for _, t := range less {
		without[t] = true
	}
	var all []appointment
	for _, w := range walls {
		if replaced[w] || without[w] || w.Before(begin) || w.After(end) {
			continue
		}
		ev := e.event(c, stamp{w, start.zone, start.date, start.floating}, length)
		ev.Repeats = rule != nil || len(more) > 0
		all = append(all, ev)
	}
	return all[:min(len(all), maxTimes)], nil
}

const day = 24 * time.Hour

// listed reads the dates of EXDATE or RDATE on the clock of a zone.
func listed(c *ical.Component, name string, zone, home *time.Location) ([]time.Time, error) {
	var all []time.Time
	for i := range c.Props[name] {
		list, err := stamps(&c.Props[name][i], home)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			all = append(all, s.in(zone))
		}
		if len(all) > maxExcept {
			return nil, fmt.Errorf("it has more than %d dates in %s", maxExcept, name)
		}
	}
	return all, nil
}
