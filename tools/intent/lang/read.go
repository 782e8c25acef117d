package lang

import (
	"fmt"

	"hearthd/tools/when"
)

// Read gives text as the form is written: "every monday", which is all of it, as FREQ=WEEKLY;BYDAY=MO. It is not ok for
// one that says no such thing. Beside a time of day there may be a day: "tomorrow at five".
func (l *Language) Read(form when.Form, text string) (strict string, day when.Day, ok bool) {
	toks, ok := l.Tokenize(text)
	if !ok {
		return "", "", false
	}
	var rs []Reading
	switch form {
	case when.Clocks:
		rs = l.TimesOfDay(toks, 0)
	case when.Days, when.Spans:
		rs = l.dates(toks, 0)
		if end := l.Times.Parts.Skip(toks, 0); end > 0 { // "tonight"
			rs = append(rs, Reading{End: end, Value: when.Day("today")})
		}
	case when.Repeats:
		rs = l.repeats(toks, 0, true)
	}
	for _, r := range l.Moments(toks, 0) {
		switch t, _ := r.Value.(Moment); {
		case form == when.Clocks && t.timed:
			rs = append(rs, Reading{End: r.End, Value: t})
		case (form == when.Days || form == when.Spans) && t.Day != "": // "tomorrow morning"
			rs = append(rs, Reading{End: r.End, Value: t.Day})
		}
	}
	for _, r := range rs {
		if t, ok := r.Value.(Moment); ok {
			r.Value, day = t.time, t.Day
		}
		if strict = fmt.Sprint(r.Value); r.End == len(toks) && form.Check(strict) == nil {
			return strict, day, true
		}
	}
	return "", "", false
}
