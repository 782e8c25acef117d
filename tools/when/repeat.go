package when

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Repeat is how often something repeats: an RRULE of RFC 5545. Empty: it happens once.
type Repeat string

// ErrRepeat says that a text describes no repetition.
var ErrRepeat = errors.New("not a repetition")

// byDay are the days of the week as RFC 5545 writes them, Sunday first.
var byDay = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

const (
	onDays   = "FREQ=WEEKLY;BYDAY="
	workdays = "MO,TU,WE,TH,FR"
	weekend  = "SA,SU"
)

// rules and fixed are the repetitions that have a name, without the s of a plural. Those in
// rules may have an interval.
var rules, fixed = map[string]Repeat{
	"daily": "FREQ=DAILY", "day": "FREQ=DAILY", "morning": "FREQ=DAILY", "evening": "FREQ=DAILY",
	"night": "FREQ=DAILY", "afternoon": "FREQ=DAILY", "noon": "FREQ=DAILY",
	"weekly": "FREQ=WEEKLY", "week": "FREQ=WEEKLY",
	"monthly": "FREQ=MONTHLY", "month": "FREQ=MONTHLY",
	"yearly": "FREQ=YEARLY", "year": "FREQ=YEARLY", "annually": "FREQ=YEARLY",
}, map[string]Repeat{
	"weekday": onDays + workdays, "workday": onDays + workdays,
	"working day": onDays + workdays, "work day": onDays + workdays,
	"monday to friday": onDays + workdays, "monday through friday": onDays + workdays,
	"weekend": onDays + weekend,
}

// halfDays may follow the names of days, and do not change when something repeats.
var halfDays = []string{"morning", "mornings", "evening", "evenings", "night", "nights"}

// ParseRepeat reads "daily", "every day", "weekdays", "every monday and friday",
// "every other week", "monthly"; "" and "once" are no repetition. The error
// matches ErrRepeat.
func ParseRepeat(text string) (Repeat, error) {
	w := tokens(text)
	if w == nil {
		return "", notRepeat(text)
	}
	w = slices.DeleteFunc(w, func(s string) bool { return slices.Contains([]string{"and", "on", "at", "the", "a"}, s) })
	for i, s := range w {
		if slices.Contains([]string{"except", "but", "without"}, s) {
			return except(w[:i], w[i+1:])
		}
	}
	every := len(w) > 0 && slices.Contains([]string{"every", "each", "all"}, w[0])
	if every {
		w = w[1:]
	}
	interval := Repeat("")
	if len(w) > 1 && slices.Contains([]string{"other", "second", "two", "2"}, w[0]) {
		interval, w = ";INTERVAL=2", w[1:]
	}
	name := strings.TrimSuffix(strings.Join(w, " "), "s")
	if slices.Contains([]string{"", "once", "never", "none", "no"}, name) && !every && interval == "" {
		return "", nil
	}
	if r, ok := rules[name]; ok {
		return r + interval, nil
	}
	if r, ok := fixed[name]; ok {
		return r, nil
	}
	var days []string
	for _, s := range w {
		if slices.Contains(halfDays, s) && len(days) > 0 {
			continue
		}
		d, ok := readWeekday(s)
		if !ok {
			return "", notRepeat(text)
		}
		days = append(days, byDay[d])
	}
	if len(days) == 0 {
		return "", notRepeat(text)
	}
	return "FREQ=WEEKLY" + interval + ";BYDAY=" + Repeat(strings.Join(days, ",")), nil
}

func notRepeat(text string) error { return fmt.Errorf("%w: %.60q", ErrRepeat, text) }

// except is all days that all names, without those that but names.
func except(all, but []string) (Repeat, error) {
	whole, err := ParseRepeat(strings.Join(all, " "))
	if err != nil {
		return "", err
	}
	days := byDay
	if rule, ok := strings.CutPrefix(string(whole), onDays); ok {
		days = strings.Split(rule, ",")
	} else if whole != "FREQ=DAILY" {
		return "", notRepeat(strings.Join(all, " "))
	}
	without, err := ParseRepeat(strings.Join(but, " "))
	gone, ok := strings.CutPrefix(string(without), onDays)
	if err != nil || !ok {
		return "", notRepeat(strings.Join(but, " "))
	}
	excepted := func(d string) bool { return slices.Contains(strings.Split(gone, ","), d) }
	left := slices.DeleteFunc(slices.Clone(days), excepted)
	if len(left) == 0 {
		return "", fmt.Errorf("%w: no day is left", ErrRepeat)
	}
	return Repeat(onDays + strings.Join(left, ",")), nil
}

// Next is the first floating time after after of something that repeats by r from start on.
// The start itself counts only if it fits the rule. False: there is no such time, or r is no
// rule.
func (r Repeat) Next(start, after time.Time) (time.Time, bool) {
	o, err := rrule.StrToROption(string(r))
	if err != nil {
		return time.Time{}, false
	}
	o.Interval = max(o.Interval, 1) // 0: the rule has none
	o.Dtstart = Skip(o, start, after)
	rule, err := rrule.NewRRule(*o)
	if err != nil {
		return time.Time{}, false
	}
	next := rule.After(after, false)
	return next, !next.IsZero()
}

// Skip moves the start of a rule towards a later time by whole steps of the rule, so that the
// library, which walks from the start, need not walk the years between. A rule that counts its
// times cannot be moved.
func Skip(o *rrule.ROption, start, towards time.Time) time.Time {
	step := o.Interval // days
	switch {
	case o.Count > 0 || !start.Before(towards):
		return start
	case o.Freq == rrule.MONTHLY && start.Day() <= 28:
		months := (towards.Year()-start.Year())*12 + int(towards.Month()-start.Month())
		return start.AddDate(0, max(0, months/o.Interval-1)*o.Interval, 0)
	case o.Freq == rrule.WEEKLY:
		step *= 7
	case o.Freq != rrule.DAILY:
		return start // a month or a year is one step, and there are few
	}
	return start.AddDate(0, 0, max(0, DaysBetween(start, towards)/step-1)*step)
}

// Parts are the unit of r (day, week, month or year), the days of the week, if it names any, and
// whether every other one is left out. No unit: it happens once.
func (r Repeat) Parts() (unit string, days []time.Weekday, other bool) {
	freq, rest, _ := strings.Cut(strings.TrimPrefix(string(r), "FREQ="), ";")
	if _, list, ok := strings.Cut(rest, "BYDAY="); ok {
		for d := range strings.SplitSeq(list, ",") {
			days = append(days, time.Weekday(slices.Index(byDay, d)))
		}
	}
	units := map[string]string{"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
	return units[freq], days, strings.HasPrefix(rest, "INTERVAL=2")
}
