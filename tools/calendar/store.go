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
	maxEvents  = 2000 // that a window may have
	maxRepeats = 5000 // that repeat and are looked at, at about 2 KB
	maxSkipped = 20   // that are named
	// expandLimit bounds the work for the repetitions in one window.
	expandLimit = 3 * time.Second
)

// Errors of a store.
var (
	errGone    = errors.New("it is not there any more")
	errChanged = errors.New("somebody else has changed it meanwhile")
	errNowhere = errors.New("there is no such calendar")
	errPartly  = errors.New("a part of it cannot be read")
)

// store keeps entries.
type store interface {
	// calendars gives the names of those that are looked at.
	calendars(ctx context.Context) ([]string, error)
	// near gives the entries that may have a time between from and to, and what was
	// skipped.
	near(ctx context.Context, from, to time.Time) ([]*entry, []string, error)
	// create keeps a new entry in a calendar; the empty name is the one that new
	// ones go to. It gives the name.
	create(ctx context.Context, calendar string, e *entry) (string, error)
	// change replaces an entry that near gave, with what its events are now.
	change(ctx context.Context, e *entry) error
	remove(ctx context.Context, e *entry) error
}

// collection gathers the events of a stream by their UIDs.
type collection struct {
	home     *time.Location
	from, to time.Time
	calendar string
	entries  []*entry
	byUID    map[string]*entry
	skipped  []string
	n        [2]int // entries that come once, and that repeat
}

func (c *collection) skip(what string, why error) {
	if len(c.skipped) < maxSkipped {
		c.skipped = append(c.skipped, fmt.Sprintf("%s in the calendar %s: %v", what, c.calendar, why))
	}
}

// read takes what may have a time in the window. The rest is not kept, so that a
// calendar of any length needs little memory.
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
		if !wanted && place == "" { // a resource is kept whole
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

// wants reports whether an event may have a time in the window, as far as that
// shows without the others of its UID, and whether it repeats.
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
		return true, false // named when it is expanded
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

// events gives all times of the entries in the window, the earliest first, and
// what was skipped beside what the store has skipped.
func events(ctx context.Context, s store, from, to time.Time, home *time.Location) ([]Event, []string, error) {
	entries, skipped, err := s.near(ctx, from, to)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, expandLimit)
	defer cancel()
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.rules(), b.rules()) }) // what is cheap first
	var all []Event
	for _, e := range entries {
		found, err := e.expand(from, to, home)
		if err == nil && ctx.Err() != nil {
			err = errors.New("its calendar takes too long")
		}
		if err != nil {
			if len(skipped) < maxSkipped {
				skipped = append(skipped, fmt.Sprintf("event %.60q in the calendar %s: %v", text(e.events[0], ical.PropSummary), e.calendar, err))
			}
			continue
		}
		all = append(all, found...)
		if len(all) > maxEvents {
			all = all[:maxEvents]
			break
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.Start.Compare(b.Start) })
	return all, skipped, nil
}
