package when

import (
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Clock is a time of day, written as 19:30. Open: it was not said whether it is am or pm; Hour is then 1 to 12, and
// it is written as 07:30?.
type Clock struct {
	Hour, Minute int
	Open         bool
}

// ErrTime and ErrDay say that a text names no time of day, or no day.
var (
	ErrTime = errors.New("not a time of day")
	ErrDay  = errors.New("not a day")
)

func (c Clock) String() string {
	open := ""
	if c.Open {
		open = "?"
	}
	return fmt.Sprintf("%02d:%02d%s", c.Hour, c.Minute, open)
}

// MarshalText writes c as String does.
func (c Clock) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// clockForm is what a Clock looks like. Whole minutes may have their seconds.
var clockForm = regexp.MustCompile(`^(([01]\d|2[0-3]):[0-5]\d(:00)?|(0[1-9]|1[0-2]):[0-5]\d\?)$`)

// UnmarshalText reads what String writes. The error matches ErrTime.
func (c *Clock) UnmarshalText(text []byte) error {
	if !clockForm.Match(text) {
		return fmt.Errorf("%w: %.40q", ErrTime, text)
	}
	figures := func(s []byte) int { return int(s[0]-'0')*10 + int(s[1]-'0') }
	*c = Clock{figures(text[:2]), figures(text[3:5]), text[len(text)-1] == '?'}
	return nil
}

// In is c in a half of the day, unless that is known.
func (c Clock) In(am bool) Clock {
	switch {
	case am && c.Hour == 12:
		c.Hour = 0
	case !am && c.Hour < 12:
		c.Hour += 12
	}
	c.Open = false
	return c
}

// Minutes are those since midnight.
func (c Clock) Minutes() int { return 60*c.Hour + c.Minute }

// Fits reports whether a clock that shows c may show the floating time f.
func (c Clock) Fits(f time.Time) bool {
	return f.Minute() == c.Minute && (f.Hour() == c.Hour || c.Open && f.Hour()%12 == c.Hour%12)
}

// On is the floating time of c on a day. If it is open, it is the one in the twelve hours that
// begin at from.
func (c Clock) On(date time.Time, from int) time.Time {
	h := c.Hour
	if c.Open {
		h %= 12
		for h < from {
			h += 12
		}
	}
	return Date(date).Add(time.Duration(h)*time.Hour + time.Duration(c.Minute)*time.Minute)
}

// First is the first floating time after now at which a clock shows c on a day, or without one on
// today or tomorrow. If c is open, it is the one in the twelve hours that begin at from, or on a day
// the other one, if that has passed. What is over on a day that does not come again stays so.
func (c Clock) First(d Day, now time.Time, from int) time.Time {
	if d == "" {
		if f := c.On(now, from); f.After(now) {
			return f
		}
		return c.On(now.AddDate(0, 0, 1), from)
	}
	f := c.On(d.On(now), from)
	if other := c.After(now); c.Open && !f.After(now) && Date(other).Equal(Date(f)) {
		f = other // "today at five", said at nine
	}
	if d.Weekly() && !f.After(now) {
		f = f.AddDate(0, 0, 7)
	}
	return f
}

// After is the first floating time after now at which a clock shows c, in either half of the
// day if that is open.
func (c Clock) After(now time.Time) time.Time {
	h := c.Hour
	step := day
	if c.Open {
		h, step = h%12, day/2
	}
	t := Date(now).Add(time.Duration(h)*time.Hour + time.Duration(c.Minute)*time.Minute)
	for !t.After(now) {
		t = t.Add(step)
	}
	return t
}
