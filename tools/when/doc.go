// Package when is days, times of day and repetitions, each as a tool's argument has it: a Clock "19:30", a Day
// "next friday" or "2027-05-03", a Repeat "FREQ=DAILY". There is one way to write each, in no language; whoever
// understands people (tools/intent) writes it, and tools are given the Go value.
//
// Days and times on a wall clock are floating: a time.Time in UTC with the fields that the
// clock shows. Resolve turns one into an instant, by the rules of RFC 5545 for the hours
// that daylight saving skips or repeats. The package runs no goroutine and imports nothing
// of hearthd.
package when

import "time"

// Float is what a clock in loc shows at t, as a floating time.
func Float(t time.Time, loc *time.Location) time.Time {
	l := t.In(loc)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// Resolve is the instant at which a clock in loc shows the floating time f. A skipped time is
// read with the offset from before, so that 02:30 becomes 03:30, and a time that occurs twice
// is the first of the two (RFC 5545, 3.3.5).
func Resolve(f time.Time, loc *time.Location) time.Time {
	offset := func(t time.Time) time.Duration {
		_, s := t.In(loc).Zone()
		return time.Duration(s) * time.Second
	}
	before, after := offset(f.Add(-day)), offset(f.Add(day))
	first, second := f.Add(-before), f.Add(-after)
	if offset(first) != before && offset(second) == after {
		return second.In(loc)
	}
	return first.In(loc)
}

const day = 24 * time.Hour

// Date is the day of a floating time.
func Date(f time.Time) time.Time {
	return time.Date(f.Year(), f.Month(), f.Day(), 0, 0, 0, 0, time.UTC)
}

// DaysBetween counts the nights from one floating day to another.
func DaysBetween(from, to time.Time) int { return int(Date(to).Sub(Date(from)) / day) }
