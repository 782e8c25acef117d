package when

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Repeat is how often something repeats: an RRULE of RFC 5545. Empty: it happens once.
type Repeat string

// Monthly is a day of every month.
const Monthly Repeat = "FREQ=MONTHLY"

// ErrRepeat says that a text is no Repeat.
var ErrRepeat = errors.New("not a repetition")

// byDay are the days of the week as RFC 5545 writes them, Sunday first.
var byDay = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// ruleForm is what a Repeat looks like: people ask for no more than that.
var ruleForm = regexp.MustCompile(`^FREQ=(DAILY|MONTHLY|YEARLY|WEEKLY)(;INTERVAL=2)?$|` +
	`^FREQ=WEEKLY(;INTERVAL=2)?;BYDAY=(SU|MO|TU|WE|TH|FR|SA)(,(SU|MO|TU|WE|TH|FR|SA))*$`)

// UnmarshalText takes a rule as people mean it, such as FREQ=WEEKLY;BYDAY=MO,FR or
// FREQ=DAILY;INTERVAL=2, or a word for none, such as "once". The error matches ErrRepeat.
func (r *Repeat) UnmarshalText(text []byte) error {
	switch s := string(text); {
	case slices.Contains([]string{"", "once", "never", "none", "no"}, s):
		*r = ""
	case ruleForm.MatchString(s):
		*r = Repeat(s)
	default:
		return fmt.Errorf("%w: %.60q", ErrRepeat, s)
	}
	return nil
}

// Weekly is a repetition on days of the week, each as RFC 5545 writes it.
func Weekly(days []string, other bool) Repeat {
	interval := ""
	if other {
		interval = ";INTERVAL=2"
	}
	return Repeat("FREQ=WEEKLY" + interval + ";BYDAY=" + strings.Join(days, ","))
}

// Except is r on all of its days but those. It is not ok if it names no days, or none is left.
func (r Repeat) Except(but []string) (left Repeat, ok bool) {
	list, ok := strings.CutPrefix(string(r), "FREQ=WEEKLY;BYDAY=")
	days := strings.Split(list, ",")
	if r == "FREQ=DAILY" {
		days, ok = byDay, true
	}
	days = slices.DeleteFunc(slices.Clone(days), func(d string) bool { return slices.Contains(but, d) })
	return Weekly(days, false), ok && len(days) > 0
}

// Next is the first floating time after after of something that repeats by r from start on.
// The start itself counts only if it fits the rule. False: there is no such time, or r is no rule.
func (r Repeat) Next(start, after time.Time) (time.Time, bool) {
	o, err := rrule.StrToROption(string(r.From(start)))
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

// First is the first time after after of something that begins on start or later: Next, but that nothing is left out
// before it. "Every other Wednesday", said on a Saturday, begins on the next one.
func (r Repeat) First(start, after time.Time) (time.Time, bool) {
	return Repeat(strings.Replace(string(r), ";INTERVAL=2", "", 1)).Next(start, after)
}

// shortest is the length of February, in days.
const shortest = 28

// From is r for something that starts then: a month that is too short for its day has it on the last one, where
// RFC 5545 would leave that month out.
func (r Repeat) From(start time.Time) Repeat {
	unit, _, _ := r.Parts()
	leap := unit == "year" && start.Month() == time.February
	if start.Day() <= shortest || unit != "month" && !leap {
		return r
	}
	r += ";BYMONTHDAY=28"
	for d := shortest + 1; d <= start.Day(); d++ {
		r += Repeat(fmt.Sprintf(",%d", d))
	}
	if leap {
		r += ";BYMONTH=2"
	}
	return r + ";BYSETPOS=-1" // the last of these that there is
}

// Skip moves the start of a rule towards a later time by whole steps of the rule, so that the
// library, which walks from the start, need not walk the years between. A rule that counts its
// times cannot be moved.
func Skip(o *rrule.ROption, start, towards time.Time) time.Time {
	step := o.Interval // days
	switch {
	case o.Count > 0 || !start.Before(towards):
		return start
	case o.Freq == rrule.MONTHLY && start.Day() <= shortest:
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
