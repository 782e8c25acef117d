package calendar

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-ical"

	"hearthd/tools/when"
)

// stamp is a time as calendars write it: what a clock in zone shows, or a whole day.
type stamp struct {
	wall time.Time // floating
	zone *time.Location
	date bool
	// floating: no zone was named, so zone is that of the home.
	floating bool
}

func (s stamp) instant() time.Time { return when.Resolve(s.wall, s.zone) }

// in is what a clock in another zone shows at that instant. A whole day is the same day
// everywhere.
func (s stamp) in(zone *time.Location) time.Time {
	if s.date {
		return s.wall
	}
	return when.Float(s.instant(), zone)
}

// stamps reads a property that holds times. Days, and times without a zone, are in the
// zone of the home.
func stamps(p *ical.Prop, home *time.Location) ([]stamp, error) {
	zone := home
	if id := p.Params.Get(ical.ParamTimezoneID); id != "" {
		var err error
		if zone, err = zoneOf(id, home); err != nil {
			return nil, err
		}
	}
	var all []stamp
	for _, value := range strings.Split(p.Value, ",") {
		value, _, _ = strings.Cut(value, "/") // a period: its start
		s := stamp{zone: zone, floating: p.Params.Get(ical.ParamTimezoneID) == ""}
		var err error
		switch {
		case len(value) == len("20060102"):
			s.date, s.zone = true, home
			s.wall, err = time.Parse("20060102", value)
		case strings.HasSuffix(value, "Z"):
			s.zone, s.floating = time.UTC, false
			s.wall, err = time.Parse("20060102T150405Z", value)
		default:
			s.wall, err = time.Parse("20060102T150405", value)
		}
		if err != nil || s.wall.Year() < 1 {
			return nil, fmt.Errorf("%s is no time: %.40q", p.Name, value)
		}
		all = append(all, s)
	}
	return all, nil
}

// errAbsent says that a component lacks a property.
var errAbsent = errors.New("it has no start")

// one reads a property with a single time. The error matches errAbsent if there is none.
func one(c *ical.Component, name string, home *time.Location) (stamp, error) {
	p := c.Props.Get(name)
	if p == nil {
		return stamp{}, errAbsent
	}
	all, err := stamps(p, home)
	if err != nil {
		return stamp{}, err
	}
	return all[0], nil
}

// zoneOf finds the zone for an id: an IANA name, one with a prefix
// ("/mozilla.org/20050126_1/Europe/Berlin"), or a name of Windows.
func zoneOf(id string, home *time.Location) (*time.Location, error) {
	switch {
	case id == home.String():
		return home, nil // spares reading a file for each event
	case len(id) > 100:
		return nil, fmt.Errorf("time zone %.40q… is not known", id)
	}
	for line := range strings.Lines(windowsZones) {
		if windows, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); id == windows {
			id = name
			break
		}
	}
	parts := strings.Split(strings.Trim(id, "/"), "/")
	for from := range parts {
		name := strings.Join(parts[from:], "/")
		if name == "" || name == "Local" {
			continue
		}
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	return nil, fmt.Errorf("time zone %q is not known", id)
}

// windowsZones has the names that Outlook and Exchange write, after Unicode's CLDR
// (windowsZones.xml), for the territory 001: each with a tab and its IANA name in a line.
//
//go:embed windows_zones.txt
var windowsZones string
