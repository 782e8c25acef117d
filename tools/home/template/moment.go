package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// How Home Assistant writes a moment: isoformat() and str().
const (
	isoLocal  = "2006-01-02T15:04:05.999999-07:00"
	isoSpaced = "2006-01-02 15:04:05.999999-07:00"
)

// maxMoment bounds the text of a moment and of its format, in bytes.
const maxMoment = 100

// timely is a ⟨o⟩ b for moments and spans; ok is false for all else.
func timely(o string, a, b any) (v any, ok bool) {
	switch x := a.(type) {
	case moment:
		switch y := b.(type) {
		case moment:
			return span(x.Sub(y.Time)), o == "-"
		case span:
			if o == "-" {
				y = -y
			}
			return moment{x.Add(time.Duration(y))}, o == "+" || o == "-"
		}
	case span:
		switch y := b.(type) {
		case moment:
			return moment{y.Add(time.Duration(x))}, o == "+"
		case span:
			if o == "-" {
				y = -y
			}
			return x + y, o == "+" || o == "-"
		}
	}
	return nil, false
}

// spans gives two moments, or two spans, as numbers that compare as they do.
func spans(a, b any) (x, y float64, ok bool) {
	switch a := a.(type) {
	case moment:
		if b, ok := b.(moment); ok {
			return a.seconds(), b.seconds(), true
		}
	case span:
		if b, ok := b.(span); ok {
			return float64(a), float64(b), true
		}
	}
	return 0, 0, false
}

func (m moment) seconds() float64 { return float64(m.UnixMicro()) / 1e6 }

// part is a field of a moment, as in now().hour.
func (m moment) part(name string) any {
	switch name {
	case "year":
		return int64(m.Year())
	case "month":
		return int64(m.Month())
	case "day":
		return int64(m.Day())
	case "hour":
		return int64(m.Hour())
	case "minute":
		return int64(m.Minute())
	case "second":
		return int64(m.Second())
	case "microsecond":
		return int64(m.Nanosecond() / 1000)
	}
	return undefined{}
}

// moment reads a time: a moment, seconds since 1970, or ISO 8601.
func (s *state) moment(v any) (time.Time, bool, error) {
	if m, ok := v.(moment); ok {
		return m.Time, true, nil
	}
	f, ok, err := s.toFloat(v)
	if err = errors.Join(err, s.spend(perLarge)); err != nil {
		return time.Time{}, false, err
	}
	if ok {
		return time.UnixMilli(int64(f * 1000)), f > -1e11 && f < 1e11, nil
	}
	t, _ := v.(string)
	if len(t) > maxMoment {
		return time.Time{}, false, nil
	}
	for _, layout := range []string{time.RFC3339Nano, isoSpaced, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02"} {
		if m, err := time.ParseInLocation(layout, t, time.Local); err == nil {
			return m, true, nil
		}
	}
	return time.Time{}, false, nil
}

func asTimestamp(s *state, a arguments) (any, error) {
	m, ok, err := s.moment(a.first())
	if err != nil {
		return nil, err
	}
	if !ok {
		return noNumber(a)
	}
	return float64(m.UnixMilli()) / 1000, nil
}

// asDatetime makes a moment; without a default, of what is none it makes none.
func asDatetime(s *state, a arguments) (any, error) {
	m, ok, err := s.moment(a.first())
	if err != nil || ok {
		return moment{m}, err
	}
	d, _ := a.get(1, "default")
	return d, nil
}

// onMoment makes a function of one on moments.
func onMoment(f func(s *state, m time.Time, a arguments) (any, error)) fn {
	return func(s *state, a arguments) (any, error) {
		m, ok, err := s.moment(a.first())
		if err == nil && !ok {
			err = fmt.Errorf("%s is no time", kindOf(a.first()))
		}
		if err != nil {
			return nil, err
		}
		return f(s, m, a)
	}
}

var (
	asLocal = onMoment(func(_ *state, m time.Time, _ arguments) (any, error) { return moment{m.Local()}, nil })
	isoText = onMoment(func(_ *state, m time.Time, _ arguments) (any, error) { return m.Format(isoLocal), nil })
	inUnix  = onMoment(func(_ *state, m time.Time, _ arguments) (any, error) { return moment{m}.seconds(), nil })
	written = onMoment(func(s *state, m time.Time, a arguments) (any, error) {
		return s.strftime(a.text(1, "format", ""), m)
	})
)

func todayAt(s *state, a arguments) (any, error) {
	h, err := time.Parse("15:04", a.text(0, "time_str", "00:00"))
	if err != nil {
		return nil, errors.New("the time is not HH:MM")
	}
	y, m, d := time.Now().Date()
	return moment{time.Date(y, m, d, h.Hour(), h.Minute(), 0, 0, time.Local)}, s.step()
}

// timedelta has its parts by name.
func timedelta(_ *state, a arguments) (any, error) {
	var total float64
	for name, unit := range map[string]time.Duration{
		"weeks": 7 * 24 * time.Hour, "days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second,
		"milliseconds": time.Millisecond, "microseconds": time.Microsecond,
	} {
		f, _ := num(a.named[name])
		total += f * float64(unit)
	}
	if days, ok := a.get(0, ""); ok {
		f, _ := num(days)
		total += f * float64(24*time.Hour)
	}
	if !(total > -1<<62 && total < 1<<62) {
		return nil, errors.New("the duration is too long")
	}
	return span(total), nil
}

func totalSeconds(_ *state, a arguments) (any, error) {
	d, ok := a.first().(span)
	if !ok {
		return nil, fmt.Errorf("%s is no duration", kindOf(a.first()))
	}
	return time.Duration(d).Seconds(), nil
}

// timestamp writes a moment; with an empty layout as ISO 8601.
func timestamp(layout string, local bool) fn {
	return func(s *state, a arguments) (any, error) {
		m, ok, err := s.moment(a.first())
		if err != nil {
			return nil, err
		}
		if !ok {
			return noNumber(a)
		}
		here, layout := local, layout
		if layout != "" {
			layout, here = a.text(1, "format_string", layout), a.flag(2, "local", local)
		}
		if !here {
			m = m.UTC()
		} else {
			m = m.Local()
		}
		if layout == "" {
			return m.Format(isoLocal), nil
		}
		return s.strftime(layout, m)
	}
}

// layouts are the letters of strftime.
var layouts = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'B': "January", 'b': "Jan", 'h': "Jan", 'j': "002",
	'A': "Monday", 'a': "Mon", 'I': "03", 'p': "PM", 'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'z': "-0700", 'Z': "MST",
	'x': "01/02/06", 'X': "15:04:05", 'c': "Mon Jan _2 15:04:05 2006", 'e': "_2",
}

func (s *state) strftime(layout string, m time.Time) (any, error) {
	if len(layout) > maxMoment {
		return nil, fmt.Errorf("a format of %d bytes is more than %d", len(layout), maxMoment)
	}
	if err := s.spend(perRead * int64(len(layout)+1)); err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		bare := layout[i] == '-' && i+1 < len(layout) // without a zero in front
		if bare {
			i++
		}
		text := string(layout[i])
		switch l, ok := layouts[layout[i]]; {
		case ok:
			text = m.Format(l)
		case layout[i] == 's':
			text = strconv.FormatInt(m.Unix(), 10)
		case layout[i] == 'f':
			text = fmt.Sprintf("%06d", m.Nanosecond()/1000)
		case layout[i] == 'w':
			text = strconv.Itoa(int(m.Weekday()))
		case layout[i] == 'u':
			text = strconv.Itoa((int(m.Weekday())+6)%7 + 1)
		}
		if bare && len(text) > 1 {
			text = strings.TrimPrefix(text, "0")
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// strptime reads a moment of a format that has the letters of layouts.
func strptime(s *state, a arguments) (any, error) {
	t, format := a.text(0, "", ""), a.text(1, "fmt", "")
	if len(t) > maxMoment || len(format) > maxMoment {
		return nil, fmt.Errorf("a moment or format of more than %d bytes", maxMoment)
	}
	if err := s.spend(perRead*int64(len(t)+len(format)) + perLarge); err != nil {
		return nil, err
	}
	var layout strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] == '%' && i+1 < len(format) {
			i++
			layout.WriteString(layouts[format[i]])
			continue
		}
		layout.WriteByte(format[i])
	}
	if m, err := time.ParseInLocation(layout.String(), t, time.Local); err == nil {
		return moment{m}, nil
	}
	if v, ok := a.get(2, "default"); ok {
		return v, nil
	}
	return nil, errors.New("the text is no moment of this format")
}
