package intent

import (
	"slices"
	"strconv"
	"strings"
)

// repeats reads how often something comes again: what the lexicon has, several days of
// the week ("every monday and thursday", "on monday, tuesday and friday"), and either but for some days ("every day
// except sunday"). The value is in the words of tools/when.
func (l *language) repeats(known reader) reader {
	return func(toks []token, i int) []reading {
		rs := known(toks, i)
		every := l.Dates.Every.skip(toks, i)
		sure := every > i && l.Dates.Before.skip(toks, i) == i // "on monday" is one day
		if days, end, plural := l.weekdaysAt(toks, every); len(days) > 0 && (sure || plural || len(days) > 2) {
			rs = append(rs, reading{end: end, value: strings.Join(days, " and ")})
		}
		for _, r := range slices.Clone(rs) {
			but := l.Dates.Except.skip(toks, r.end)
			if days, end, _ := l.weekdaysAt(toks, but); but > r.end && len(days) > 0 {
				value, _ := r.value.(string)
				rs = append(rs, reading{end: end, value: value + " except " + strings.Join(days, " and ")})
			}
		}
		if r, ok := l.dayOfEveryMonth(toks, i); ok {
			rs = append(rs, r)
		}
		slices.SortStableFunc(rs, func(a, b reading) int { return b.end - a.end })
		return rs
	}
}

// monthly is a day of every month. As an argument it fills repeat and day.
type monthly int

func (d monthly) args() map[string]any {
	return map[string]any{"repeat": "monthly", "day": "day " + strconv.Itoa(int(d))}
}

// dayOfEveryMonth reads "on the fifth of every month".
func (l *language) dayOfEveryMonth(toks []token, i int) (reading, bool) {
	i = l.skipArticles(toks, l.Dates.Before.skip(toks, i))
	day, end := l.ordinal(toks, i)
	if last := l.Dates.OfMonth.skip(toks, end); end > i && day > 0 && day <= 31 && last > end {
		return reading{end: last, value: monthly(day)}, true
	}
	return reading{}, false
}

// weekdaysAt reads days of the week one after the other; plural:
// "mondays".
func (l *language) weekdaysAt(toks []token, i int) (days []string, end int, plural bool) {
	for end = i; ; {
		day, next := l.Dates.Weekdays.longest(toks, end)
		if next == end {
			if short := strings.TrimSuffix(at(toks, end), "s"); short != "" {
				day, next = l.Dates.Weekdays.longest([]token{{text: short}}, 0)
				if next > 0 {
					next, plural = 1, true
				}
				next += end
			}
		}
		if next == end {
			return days, i, plural
		}
		days, i = append(days, day), next
		end = l.Dates.Every.skip(toks, l.Joins.skip(toks, next))
	}
}
