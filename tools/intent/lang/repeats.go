package lang

import (
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/when"
)

// repeats reads how often something is repeated: what the lexicon has, several days of the week ("every
// monday and thursday", "on monday, tuesday and friday"), and either with exceptions ("every day except
// sunday"). One or two days alone count only where the sentence leaves no doubt.
func (l *Language) repeats(toks []Token, i int, sure bool) []Reading {
	var rs []Reading
	l.often.Each(toks, i, func(end int, v any) {
		rule, _ := v.(string)
		if l.lateAt(toks, end-1) && end-1 > i { // "every evening at ten" is every day, in the evening at ten
			end--
		}
		rs = append(rs, Reading{End: end, Value: when.Repeat(rule)})
	})
	every := l.Dates.Every.Skip(toks, i)
	sure = sure || every > i && l.Dates.Before.Skip(toks, i) == i // "on monday" is one day
	other := l.Dates.Other.Skip(toks, every)
	if days, end, _ := l.weekdaysAt(toks, other); other > every && len(days) > 0 { // "every other saturday"
		rs = append(rs, Reading{End: end, Value: when.Weekly(days, true)})
	}
	if days, end, plural := l.weekdaysAt(toks, every); len(days) > 0 && (sure || plural || len(days) > 2) {
		rs = append(rs, Reading{End: end, Value: when.Weekly(days, false)})
	}
	for _, r := range slices.Clone(rs) {
		but := l.Dates.Except.Skip(toks, r.End)
		days, end, _ := l.weekdaysAt(toks, but)
		if v, oend := l.often.Longest(toks, but); oend > end { // "every day except weekends"
			rule, _ := v.(string)
			if _, off, is := strings.Cut(rule, "BYDAY="); is {
				days, end = strings.Split(off, ","), oend
			}
		}
		if left, ok := r.Value.(when.Repeat).Except(days); ok && but > r.End && len(days) > 0 {
			rs = append(rs, Reading{End: end, Value: left})
		}
	}
	if r, ok := l.dayOfEveryMonth(toks, i); ok {
		rs = append(rs, r)
	}
	slices.SortStableFunc(rs, func(a, b Reading) int { return b.End - a.End })
	return rs
}

// repeatsSaid are those of which the sentence leaves no doubt.
func (l *Language) repeatsSaid(toks []Token, i int) []Reading { return l.repeats(toks, i, false) }

// monthly is a day of every month. As an argument it sets repeat and day.
type monthly int

func (d monthly) Args() map[string]any {
	return map[string]any{"repeat": when.Monthly, "day": "day " + strconv.Itoa(int(d))}
}

// dayOfEveryMonth reads "on the fifth of every month".
func (l *Language) dayOfEveryMonth(toks []Token, i int) (Reading, bool) {
	i = l.SkipArticles(toks, l.Dates.Before.Skip(toks, i))
	day, end := l.ordinal(toks, i)
	if last := l.Dates.OfMonth.Skip(toks, end); end > i && day > 0 && day <= 31 && last > end {
		return Reading{End: last, Value: monthly(day)}, true
	}
	return Reading{}, false
}

// weekdaysAt reads days of the week one after the other, each as RFC 5545 writes it; plural: "mondays".
func (l *Language) weekdaysAt(toks []Token, i int) (days []string, end int, plural bool) {
	for end = i; ; {
		day, next := l.Dates.Weekdays.Longest(toks, end)
		if next == end {
			if short := strings.TrimSuffix(at(toks, end), "s"); short != "" {
				day, next = l.Dates.Weekdays.Longest([]Token{{Text: short}}, 0)
				if next > 0 {
					next, plural = 1, true
				}
				next += end
			}
		}
		if next == end {
			return days, i, plural
		}
		days, i = append(days, strings.ToUpper(day[:2])), next
		end = l.Dates.Every.Skip(toks, l.Joins.Skip(toks, next))
	}
}

// lateAt reports whether the token i is a part of the day from noon on, with a time of day behind it.
func (l *Language) lateAt(toks []Token, i int) (late bool) {
	l.Times.Parts.Each(toks, i, func(end int, usual when.Clock) {
		timed := func(r Reading) bool { return r.End > end }
		late = late || usual.Hour >= 12 && end == i+1 && slices.ContainsFunc(l.Timed(toks, i), timed)
	})
	return late
}
