package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/tools/fetch"
	"hearthd/tools/when"
)

// assistant is a Home Assistant, whose errors have sentences for people.
type assistant interface {
	// Called gives the names of the entities of a domain, by their IDs.
	Called(domain string) (map[string][]string, error)
	// Shown gives the state and the attributes of one.
	Shown(id string) (state string, attributes map[string]any)
	// Read decodes what the REST API has at a path.
	Read(ctx context.Context, path string, query url.Values, into any) error
	// Tell gives a command that has no answer.
	Tell(ctx context.Context, command string, data map[string]any) error
}

// houseStore is the calendars of a Home Assistant, calendar.*. It tells every time of an event that repeats by itself,
// so an entry has a component for each, with its recurrence ID there in propThere.
type houseStore struct {
	there   assistant
	allowed []string // names; empty: all
	usual   string   // name of the calendar for new events
	home    *time.Location
}

const propThere = "X-HEARTHD-RECURRENCE"

// told is an event as Home Assistant tells it.
type told struct {
	UID         string
	Recurrence  string `json:"recurrence_id"`
	Rule        string `json:"rrule"`
	Start, End  point
	Summary     string
	Location    string
	Description string
}

// point is one of the two.
type point struct{ Date, DateTime string }

// kept is one of them.
type kept struct{ id, name string }

// look lists the allowed calendars.
func (s *houseStore) look() (list []kept, err error) {
	all, err := s.there.Called("calendar")
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		called := func(name string) bool { return calls(all[id], name) }
		if (len(s.allowed) == 0 || slices.ContainsFunc(s.allowed, called)) && len(list) < maxCalendars {
			list = append(list, kept{id, fetch.Line(all[id][0], maxTitle)})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("list calendars: %w", errNowhere)
	}
	return list, nil
}

func calls(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func (s *houseStore) calendars(context.Context) (names []string, err error) {
	list, err := s.look()
	for _, k := range list {
		names = append(names, k.name)
	}
	return names, err
}

// near asks each calendar.
func (s *houseStore) near(ctx context.Context, from, to time.Time) (all []*entry, unread, skipped []string, err error) {
	list, err := s.look()
	if err != nil {
		return nil, nil, nil, err
	}
	var errs []error
	query := url.Values{"start": {from.Format(time.RFC3339)}, "end": {to.Format(time.RFC3339)}}
	for _, k := range list {
		var events []told
		if err := s.there.Read(ctx, "api/calendars/"+k.id, query, &events); err != nil {
			errs, unread = append(errs, err), append(unread, k.name)
			skipped = append(skipped, fmt.Sprintf("calendar %s: %v", k.name, err))
			continue
		}
		byUID := map[string]*entry{}
		for _, ev := range events[:min(len(events), maxEvents)] {
			c, err := s.component(ev)
			if err != nil {
				skipped = append(skipped, fmt.Sprintf("event %.60q in the calendar %s: %v", ev.Summary, k.name, err))
				continue
			}
			e := byUID[ev.UID]
			if e == nil || ev.UID == "" {
				e = &entry{uid: ev.UID, calendar: k.name, place: k.id}
				byUID[ev.UID], all = e, append(all, e)
			}
			e.events, e.others = append(e.events, c), append(e.others, c)
		}
	}
	if len(errs) == len(list) {
		return nil, nil, nil, errors.Join(errs...)
	}
	return all, unread, skipped[:min(len(skipped), maxSkipped)], nil
}

// component is an event at one of its times.
func (s *houseStore) component(ev told) (*ical.Component, error) {
	start, err := s.stamp(ev.Start)
	end, err2 := s.stamp(ev.End)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	c := newEvent(ev.Summary, ev.Location, "")
	c.Props.Set(stampProp(ical.PropDateTimeStart, start))
	c.Props.Set(stampProp(ical.PropDateTimeEnd, end))
	c.Props.SetText(ical.PropDescription, ev.Description)
	if ev.Recurrence != "" {
		c.Props.Set(stampProp(ical.PropRecurrenceID, start))
		c.Props.SetText(propThere, ev.Recurrence)
	}
	return c, nil
}

// stamp reads a time as Home Assistant writes it: a day, or a time with its zone.
func (s *houseStore) stamp(p point) (stamp, error) {
	if t, err := time.Parse(time.DateOnly, p.Date); err == nil {
		return stamp{wall: t, zone: s.home, date: true}, nil
	}
	t, err := time.Parse(time.RFC3339, p.DateTime)
	if err != nil {
		return stamp{}, fmt.Errorf("its time cannot be read: %.40q", p.DateTime)
	}
	return stamp{wall: when.Float(t, s.home), zone: s.home}, nil
}

// create stores an event in the calendar of a name, or else in the first that takes any.
func (s *houseStore) create(ctx context.Context, name string, e *entry) (string, error) {
	list, err := s.look()
	if err != nil {
		return "", err
	}
	name = cmp.Or(name, s.usual)
	i := slices.IndexFunc(list, func(k kept) bool {
		if name != "" {
			return strings.EqualFold(k.name, name)
		}
		state, of := s.there.Shown(k.id)
		features, _ := of["supported_features"].(float64)
		return int(features)&1 != 0 && state != "unavailable"
	})
	if i < 0 {
		return "", errNowhere
	}
	row, err := s.row(e.events[0])
	if err != nil {
		return "", err
	}
	return list[i].name, s.there.Tell(ctx, "calendar/event/create", map[string]any{"entity_id": list[i].id, "event": row})
}

// row is an event as Home Assistant takes it.
func (s *houseStore) row(ev *ical.Component) (map[string]any, error) {
	start, length, err := span(ev, s.home)
	if err != nil {
		return nil, err
	}
	row := map[string]any{"summary": text(ev, ical.PropSummary)}
	if start.date {
		row["dtstart"], row["dtend"] = start.wall.Format(time.DateOnly), start.wall.Add(length).Format(time.DateOnly)
	} else {
		begin := start.instant().In(s.home)
		row["dtstart"], row["dtend"] = begin.Format(time.RFC3339), begin.Add(length).Format(time.RFC3339)
	}
	for key, name := range map[string]string{
		"location": ical.PropLocation, "description": ical.PropDescription, "rrule": ical.PropRecurrenceRule,
	} {
		if t := text(ev, name); t != "" {
			row[key] = t
		}
	}
	return row, nil
}

// there names an event there, at one of its times.
func (e *entry) there(c *ical.Component) map[string]any {
	row := map[string]any{"entity_id": e.place, "uid": e.uid}
	if id := text(c, propThere); id != "" {
		row["recurrence_id"] = id
	}
	return row
}

// change stores the times of e that were touched, and deletes those that were left out.
func (s *houseStore) change(ctx context.Context, e *entry) error {
	for _, c := range e.others {
		if !slices.Contains(e.events, c) {
			if err := s.there.Tell(ctx, "calendar/event/delete", e.there(c)); err != nil {
				return err
			}
		}
	}
	for _, c := range e.events {
		if c.Props.Get(ical.PropLastModified) == nil {
			continue
		}
		row, err := s.row(c)
		if err != nil {
			return err
		}
		told := e.there(c)
		told["event"] = row
		if err := s.there.Tell(ctx, "calendar/event/update", told); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes all of an event, or the only time of it that was found and left out.
func (s *houseStore) remove(ctx context.Context, e *entry) error {
	if len(e.events) == 0 {
		return s.change(ctx, e)
	}
	return s.there.Tell(ctx, "calendar/event/delete", map[string]any{"entity_id": e.place, "uid": e.uid})
}
