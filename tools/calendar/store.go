package calendar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"
)

const (
	maxEvents  = 2000 // in one window
	maxRepeats = 5000 // repeating entries that are kept while looking, about 2 KB each
	maxSkipped = 20   // skipped entries that are reported
	// expandLimit bounds the time for expanding repetitions.
	expandLimit = 3 * time.Second
)

// Errors of a store.
var (
	errGone    = errors.New("it no longer exists")
	errChanged = errors.New("somebody else has changed it meanwhile")
	errNowhere = errors.New("there is no such calendar")
	errPartly  = errors.New("a part of it cannot be read")
)

// store holds the entries of one or more calendars.
type store interface {
	// calendars lists the names of the calendars that are used.
	calendars(ctx context.Context) ([]string, error)
	// near lists the entries that may take place between from and to, and says which calendars could not be read, and
	// what was skipped. It fails where none could be read.
	near(ctx context.Context, from, to time.Time) (all []*entry, unread, skipped []string, err error)
	// create stores a new entry in a calendar, whose name it returns; the empty name is the
	// calendar for new entries.
	create(ctx context.Context, calendar string, e *entry) (string, error)
	// change stores the present events of an entry that near returned.
	change(ctx context.Context, e *entry) error
	remove(ctx context.Context, e *entry) error
}

// collection gathers the events of an iCalendar stream by their UIDs.
type collection struct {
	home     *time.Location
	from, to time.Time
	calendar string
	entries  []*entry
	byUID    map[string]*entry
	skipped  []string
	n        [2]int // entries that happen once, and that repeat
}

func (c *collection) skip(what string, why error) {
	if len(c.skipped) < maxSkipped {
		c.skipped = append(c.skipped, fmt.Sprintf("%s in the calendar %s: %v", what, c.calendar, why))
	}
}

// read collects the entries that may take place in the window. The others are not kept, so
// a calendar of any length needs little memory.
func (c *collection) read(r io.Reader, place, tag string) error {
	if c.byUID == nil {
		c.byUID = make(map[string]*entry)
	}
	in := newReader(r)
	var others []*ical.Component
	var mine []*entry
	seen := 0
	for {
		part, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if part.Name != ical.CompEvent {
			if place != "" && part.err == nil {
				others = append(others, part.Component)
			}
			continue
		}
		seen++
		what := fmt.Sprintf("event %.60q", text(part.Component, ical.PropSummary))
		if part.err != nil {
			c.skip(what, part.err)
			continue
		}
		wanted, repeats := c.wants(part.Component)
		if !wanted && place == "" { // on a server the whole resource is kept
			continue
		}
		uid := text(part.Component, ical.PropUID)
		e := c.byUID[place+"\n"+uid]
		if e == nil {
			kind, limit := 0, maxEvents
			if repeats {
				kind, limit = 1, maxRepeats
			}
			if c.n[kind]++; c.n[kind] > limit {
				c.skip(what, fmt.Errorf("there are more than %d in that time", limit))
				continue
			}
			e = &entry{uid: uid, calendar: c.calendar, place: place, tag: tag}
			c.byUID[place+"\n"+uid], c.entries, mine = e, append(c.entries, e), append(mine, e)
		}
		e.events = append(e.events, part.Component)
		e.parts++
	}
	for _, e := range mine {
		e.others = others
		if place != "" && e.parts != seen {
			e.parts = 0
		}
	}
	return nil
}

// wants reports whether an event may take place in the window, judged without the other
// events of its UID, and whether it repeats.
func (c *collection) wants(e *ical.Component) (wanted, repeats bool) {
	if e.Props.Get(ical.PropRecurrenceID) != nil || e.Props.Get(ical.PropRecurrenceDates) != nil {
		return true, true
	}
	if rule := e.Props.Get(ical.PropRecurrenceRule); rule != nil {
		_, until, ok := strings.Cut(strings.ToUpper(rule.Value), "UNTIL=")
		if ok && len(until) >= len("20060102") {
			last, err := time.Parse("20060102", until[:len("20060102")])
			return err != nil || last.After(c.from.Add(-maxLength-2*day)), true
		}
		return true, true
	}
	start, length, err := span(e, c.home)
	if err != nil {
		return true, false // the mistake is reported when it is expanded
	}
	at := start.instant()
	return at.Before(c.to.Add(day)) && at.Add(length).After(c.from.Add(-day)), false
}

// rules is 1 if some of the entry repeats by a rule, else 0.
func (e *entry) rules() int {
	if slices.ContainsFunc(e.events, func(c *ical.Component) bool { return c.Props.Get(ical.PropRecurrenceRule) != nil }) {
		return 1
	}
	return 0
}

// events lists every time in the window at which an entry takes place, the earliest first,
// and says which calendars could not be read, and what was skipped.
func events(ctx context.Context, s store, from, to time.Time, home *time.Location) (
	all []appointment, unread, skipped []string, err error,
) {
	entries, unread, skipped, err := s.near(ctx, from, to)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, expandLimit)
	defer cancel()
	// Those without rules first, which are cheap.
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.rules(), b.rules()) })
	for _, e := range entries {
		found, err := e.expand(from, to, home)
		if err == nil && ctx.Err() != nil {
			err = fmt.Errorf("expanding the repetitions takes too long: %w", ctx.Err())
		}
		if err != nil {
			if len(skipped) < maxSkipped {
				what := text(e.events[0], ical.PropSummary)
				skipped = append(skipped, fmt.Sprintf("event %.60q in the calendar %s: %v", what, e.calendar, err))
			}
			continue
		}
		all = append(all, found...)
		if len(all) > maxEvents {
			all = all[:maxEvents]
			break
		}
	}
	slices.SortStableFunc(all, func(a, b appointment) int { return a.Start.Compare(b.Start) })
	return all, unread, skipped, nil
}
