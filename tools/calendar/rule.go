package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/teambition/rrule-go"

	"hearthd/tools/when"
)

// cycle is the number of years after which the Gregorian calendar repeats, including weekdays.
const cycle = 400

// repeat lists the floating times of a rule between begin and end.
//
// The library walks on from the start, and, where a rule matches nothing, as far as the
// year 9999: a second of work for "every 30th of February". So everything is moved by whole
// cycles to just before that year.
func repeat(text string, start stamp, zone *time.Location, begin, end time.Time) ([]time.Time, error) {
	o, err := ruleOf(text, start, zone)
	if err != nil {
		return nil, err
	}
	if end.Year() >= 9999-cycle || start.wall.Year() < 1800 {
		return nil, errors.New("its years are out of range")
	}
	shift := (9999 - end.Year()) / cycle * cycle
	moved := func(t time.Time) time.Time { return t.AddDate(shift, 0, 0) }
	o.Dtstart = moved(when.Skip(o, start.wall, begin))
	if o.Until.IsZero() || o.Until.After(end) {
		o.Until = end
	}
	o.Until = moved(o.Until)
	rule, err := rrule.NewRRule(*o)
	if err != nil {
		return nil, fmt.Errorf("read its rule: %w", err)
	}
	var walls []time.Time
	next := rule.Iterator()
	for t, ok := next(); ok; t, ok = next() {
		if w := t.AddDate(-shift, 0, 0); !w.Before(begin) {
			walls = append(walls, w)
		}
		if len(walls) >= maxTimes {
			break
		}
	}
	return walls, nil
}

// ruleOf reads a rule, and refuses one that no appointment has.
func ruleOf(text string, start stamp, zone *time.Location) (*rrule.ROption, error) {
	if len(text) > maxRule {
		return nil, fmt.Errorf("its rule is longer than %d bytes", maxRule)
	}
	// UNTIL is in UTC, or of the same kind as the start (RFC 5545, 3.3.10).
	var parts []string
	var until time.Time
	for _, part := range strings.Split(strings.ToUpper(text), ";") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "UNTIL":
			p := ical.Prop{Name: name, Value: value}
			s, err := stamps(&p, zone)
			if err != nil {
				return nil, err
			}
			until = s[0].in(zone)
			if s[0].date && !start.date {
				until = until.Add(day - time.Second)
			}
		case "":
		case "BYEASTER":
			return nil, errors.New("its rule goes by Easter")
		default:
			parts = append(parts, part)
		}
	}
	o, err := rrule.StrToROption(strings.Join(parts, ";"))
	if err != nil {
		return nil, fmt.Errorf("read its rule: %w", err)
	}
	if !strings.Contains(strings.ToUpper(text), "INTERVAL=") {
		o.Interval = 1
	}
	daily := max(1, len(o.Byhour)) * max(1, len(o.Byminute)) * max(1, len(o.Bysecond))
	switch {
	case o.Freq > rrule.DAILY:
		return nil, errors.New("it repeats within the day")
	case o.Interval < 1 || o.Interval > 10_000 || o.Count < 0:
		return nil, errors.New("its rule is not valid")
	case daily > maxDaily:
		return nil, fmt.Errorf("it comes more than %d times a day", maxDaily)
	}
	o.Until = until
	return o, nil
}
