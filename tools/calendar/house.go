package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
	// Do calls an action of one, and decodes what it responds with.
	Do(ctx context.Context, action, id string, data map[string]any, into any) error
	// Tell gives a command that has no answer.
	Tell(ctx context.Context, command string, data map[string]any) error
}

// houseStore is the calendars of a Home Assistant, calendar.*. It tells single times, without what identifies them, so
// they cannot be changed.
type houseStore struct {
	there   assistant
	allowed []string // names; empty: all
	usual   string   // name of the calendar for new events
	home    *time.Location
}

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

// near asks each calendar. One that does not answer is skipped, unless none does.
func (s *houseStore) near(ctx context.Context, from, to time.Time) (all []*entry, skipped []string, err error) {
	list, err := s.look()
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, k := range list {
		var out struct {
			Events []struct{ Start, End, Summary, Location string }
		}
		err := s.there.Do(ctx, "calendar.get_events", k.id, map[string]any{
			"start_date_time": from.Format(time.RFC3339), "end_date_time": to.Format(time.RFC3339),
		}, &out)
		if err != nil {
			errs = append(errs, err)
			skipped = append(skipped, fmt.Sprintf("calendar %s: %v", k.name, err))
			continue
		}
		for _, ev := range out.Events[:min(len(out.Events), maxEvents)] {
			start, err := s.stamp(ev.Start)
			end, err2 := s.stamp(ev.End)
			if err := errors.Join(err, err2); err != nil {
				skipped = append(skipped, fmt.Sprintf("event %.60q in the calendar %s: %v", ev.Summary, k.name, err))
				continue
			}
			c := fresh(ev.Summary, ev.Location, "")
			c.Props.Set(stampProp(ical.PropDateTimeStart, start))
			c.Props.Set(stampProp(ical.PropDateTimeEnd, end))
			all = append(all, &entry{calendar: k.name, events: []*ical.Component{c}})
		}
	}
	if len(errs) == len(list) {
		return nil, nil, errors.Join(errs...)
	}
	return all, skipped[:min(len(skipped), maxSkipped)], nil
}

// stamp reads a time as Home Assistant writes it: a day, or a time with its zone.
func (s *houseStore) stamp(text string) (stamp, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return stamp{wall: t, zone: s.home, date: true}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return stamp{}, fmt.Errorf("its time cannot be read: %.40q", text)
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
	ev := e.events[0]
	start, length, err := span(ev, s.home)
	if err != nil {
		return "", err
	}
	row := map[string]any{"summary": text(ev, ical.PropSummary)}
	if start.date {
		row["dtstart"], row["dtend"] = start.wall.Format(time.DateOnly), start.wall.Add(length).Format(time.DateOnly)
	} else {
		begin := start.instant().In(s.home)
		row["dtstart"], row["dtend"] = begin.Format(time.RFC3339), begin.Add(length).Format(time.RFC3339)
	}
	if where := text(ev, ical.PropLocation); where != "" {
		row["location"] = where
	}
	if rule := ev.Props.Get(ical.PropRecurrenceRule); rule != nil {
		row["rrule"] = rule.Value
	}
	return list[i].name, s.there.Tell(ctx, "calendar/event/create", map[string]any{"entity_id": list[i].id, "event": row})
}

func (s *houseStore) change(context.Context, *entry) error { return errPartly }

func (s *houseStore) remove(context.Context, *entry) error { return errPartly }
