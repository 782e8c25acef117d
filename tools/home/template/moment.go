package template

import (
	"time"

	"github.com/ncruces/go-strftime"
)

// isos are the forms of ISO 8601 that are read.
var isos = []string{
	time.RFC3339Nano, isoSpaced, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02",
}

// maxMoment bounds the text of a moment and of its format, in bytes.
const maxMoment = 100

// moment reads a time: a moment, seconds since 1970, or ISO 8601.
func (s *state) moment(v any) (time.Time, bool) {
	if m, ok := v.(moment); ok {
		return m.Time, true
	}
	f, ok := s.toFloat(v)
	s.spend(perLarge)
	if ok {
		return time.UnixMilli(int64(f * 1000)), f > -1e11 && f < 1e11
	}
	t, _ := v.(string)
	if len(t) > maxMoment {
		return time.Time{}, false
	}
	for _, layout := range isos {
		if m, err := time.ParseInLocation(layout, t, time.Local); err == nil {
			return m, true
		}
	}
	return time.Time{}, false
}

// asDatetime makes a moment; text that is none becomes the default, or none.
func asDatetime(c call) any {
	m, ok := c.moment(c.first())
	if !ok {
		return c.or(1, "default", nil)
	}
	return moment{m}
}

// onMoment makes a fn of a function on moments. A value that is none becomes the default at place
// i.
func onMoment(i int, f func(c call, m time.Time) any) fn {
	return func(c call) any {
		m, ok := c.moment(c.first())
		if !ok {
			return c.instead(i, "time")
		}
		return f(c, m)
	}
}

// noDefault is a place where nobody gives an argument.
const noDefault = 99

var (
	asTimestamp = onMoment(1, func(_ call, m time.Time) any { return float64(m.UnixMilli()) / 1000 })
	asLocal     = onMoment(noDefault, func(_ call, m time.Time) any { return moment{m.Local()} })
)

func todayAt(c call) any {
	c.step()
	h, err := time.Parse("15:04", c.text(0, "time_str", "00:00"))
	if err != nil {
		panic(failed("the time is not HH:MM"))
	}
	y, m, d := time.Now().Date()
	return moment{time.Date(y, m, d, h.Hour(), h.Minute(), 0, 0, time.Local)}
}

const day = 24 * time.Hour

var units = map[string]time.Duration{
	"weeks": 7 * day, "days": day, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second,
	"milliseconds": time.Millisecond, "microseconds": time.Microsecond,
}

// timedelta has its parts by name; the first is days.
func timedelta(c call) any {
	days, _ := num(c.or(0, "", nil))
	total := days * float64(day)
	for name, unit := range units {
		f, _ := num(c.named[name])
		total += f * float64(unit)
	}
	if !(total > -1<<62 && total < 1<<62) {
		panic(failed("the duration is too long"))
	}
	return span(total)
}

func totalSeconds(c call) any {
	d, ok := c.first().(span)
	if !ok {
		panic(failed("%s is no duration", kindOf(c.first())))
	}
	return time.Duration(d).Seconds()
}

func timestampCustom(c call, m time.Time) any {
	m = m.UTC()
	if c.flag(2, "local", true) {
		m = m.Local()
	}
	return c.strftime(c.text(1, "format_string", "%Y-%m-%d %H:%M:%S"), m)
}

func (s *state) strftime(layout string, m time.Time) string {
	if len(layout) > maxMoment {
		panic(failed("a format of %d bytes is more than %d", len(layout), maxMoment))
	}
	s.spend(perRead * int64(len(layout)+1))
	return strftime.Format(layout, m)
}

func strptime(c call) any {
	t, format := c.text(0, "", ""), c.text(1, "fmt", "")
	if len(t) > maxMoment || len(format) > maxMoment {
		panic(failed("a moment or format of more than %d bytes", maxMoment))
	}
	c.spend(perRead*int64(len(t)+len(format)) + perLarge)
	layout, err := strftime.Layout(format)
	if err == nil {
		if m, err := time.ParseInLocation(layout, t, time.Local); err == nil {
			return moment{m}
		}
	}
	return c.instead(2, "moment of this format")
}
