package lang

import (
	"fmt"
	"math"

	"hearthd/tools/when"
)

// dates reads a day, kept relative: the tool knows the calendar. Values are of the type when.Day, or of those spans
// that are none.
func (l *Language) dates(toks []Token, i int) []Reading {
	var rs []Reading
	add := func(v string, end int) {
		if end > i && v != "" {
			rs = append(rs, Reading{End: end, Value: when.Day(v)})
		}
	}
	j := l.Dates.Before.Skip(toks, i)
	if v, end := l.Dates.Named.Longest(toks, j); end > j {
		// "next week on friday"
		if day, dend := l.weekday(toks, l.Dates.Before.Skip(toks, end)); day != "" && v == string(when.NextWeek) {
			add("next "+day, dend)
		}
		if year, yend := l.year(toks, l.Dates.In.Skip(toks, l.Dates.Of.Skip(toks, end))); when.Day(v).Yearly() && yend > end {
			add(fmt.Sprintf("%04d %s", year, v), yend)
		}
		add(v, end)
	}
	add(l.countedDay(toks, l.Dates.The.Skip(toks, j)))
	add(l.inDays(toks, j))
	add(l.daysFrom(toks, l.Dates.In.Skip(toks, j)))
	l.weekdays(toks, j, add)
	if v, end := l.monthDay(toks, j); end > j {
		add(v, end)
	}
	the := l.Dates.The.Skip(toks, j)
	if the > j || l.Dates.The.Skip(toks, i) > i || IsDigits(at(toks, j)) { // am is an dem
		if n, end := l.ordinal(toks, the); end > the && n >= 1 && n <= 31 {
			add(fmt.Sprintf("day %d", n), end)
		}
	}
	return rs
}

// weekdays reads a weekday, alone or with what says which one it is.
func (l *Language) weekdays(toks []Token, i int, add func(day string, end int)) {
	v, end := l.weekday(toks, i)
	if end == i {
		return
	}
	if d, dend := l.monthDay(toks, l.Dates.The.Skip(toks, end)); dend > end {
		add(d, dend)
	}
	if k := l.Dates.The.Skip(toks, end); k > end { // "thursday the third"
		if n, nend := l.ordinal(toks, k); nend > k && n >= 1 && n <= 31 {
			add(fmt.Sprintf("day %d", n), nend)
		}
	}
	if k, kend := l.Dates.Named.Longest(toks, end); k == string(when.NextWeek) { // "friday next week"
		add("next "+v, kend)
	}
	add(v, end)
}

// inDays reads "in three days" and "in a fortnight", or "three days from now".
func (l *Language) inDays(toks []Token, i int) (string, int) {
	in := l.Dates.In.Skip(toks, i)
	n, unit, dend := l.manyDays(toks, in)
	if dend == in {
		return "", i
	}
	if in == i { // it must be said somewhere that it is a time from now
		if in = l.Dates.In.Skip(toks, dend); in == dend {
			return "", i
		}
		dend = in
	}
	if unit != "days" {
		return fmt.Sprintf("%d %s from today", n, unit), dend
	}
	return fmt.Sprintf("+%d", n), dend
}

// daysFrom reads "two weeks from friday", "a week on monday", "three days before
// christmas" and "friday week".
func (l *Language) daysFrom(toks []Token, i int) (string, int) {
	if day, end := l.weekday(toks, i); end > i {
		if days, dend := l.Dates.Days.Longest(toks, end); dend > end && days > 1 {
			return fmt.Sprintf("%d days from %s", days, day), dend
		}
		return "", i
	}
	n, unit, end := l.manyDays(toks, i)
	if end == i {
		return "", i
	}
	side, k := "from", l.Dates.From.Skip(toks, end)
	if k == end {
		if side, k = "before", l.Dates.Earlier.Skip(toks, end); k == end {
			return "", i
		}
	}
	day, dend := l.Dates.Named.Longest(toks, k)
	if dend == k {
		day, dend = l.weekday(toks, k)
	}
	if dend == k {
		day, dend = l.monthDay(toks, l.Dates.The.Skip(toks, k))
	}
	if day == "" || day[0] == '+' {
		return "", i
	}
	return fmt.Sprintf("%d %s %s %s", n, unit, side, day), dend
}

// manyDays reads "two weeks" as fourteen days, and "a year" as twelve months.
func (l *Language) manyDays(toks []Token, i int) (n int, unit string, end int) {
	v, end := l.Cardinal(toks, i)
	if end == i {
		if end = l.Numbers.One.Skip(toks, i); end == i {
			return 0, "", i
		}
		v = 1
	}
	unit = "days"
	each, dend := l.Dates.Days.Longest(toks, end)
	if dend == end {
		unit = "months"
		each, dend = l.Dates.ManyMonths.Longest(toks, end)
	}
	if dend == end || v < 1 || v != math.Trunc(v) || v > 1000 {
		return 0, "", i
	}
	return int(v) * each, unit, dend
}

// weekday reads "friday", "next friday" and "last friday".
func (l *Language) weekday(toks []Token, i int) (string, int) {
	which, j := "", i
	if end := l.Dates.Next.Skip(toks, i); end > i {
		which, j = "next ", end
	} else if end := l.Dates.Last.Skip(toks, i); end > i {
		which, j = "last ", end
	} else {
		j = l.Dates.This.Skip(toks, i)
	}
	v, end := l.Dates.Weekdays.Longest(toks, j)
	if end == j {
		return "", i
	}
	return which + v, end
}

// countedDay reads "the third tuesday of june" and "the last friday in december".
func (l *Language) countedDay(toks []Token, i int) (string, int) {
	n, end := l.ordinal(toks, i)
	day, dend := l.Dates.Weekdays.Longest(toks, end)
	month, mend := l.Dates.Months.Longest(toks, l.Dates.In.Skip(toks, l.Dates.Of.Skip(toks, dend)))
	if end == i || dend == end || mend == dend || n > 5 || IsDigits(toks[mend-1].Text) {
		return "", i
	}
	return fmt.Sprintf("%s %d %02d", day, n, month), mend
}

// monthDay reads "the third of May", "May 3rd" and "3 May", with or without a
// year.
func (l *Language) monthDay(toks []Token, i int) (string, int) {
	month, end := l.Dates.Months.Longest(toks, i)
	day := 0
	if end > i && !IsDigits(toks[i].Text) { // May the third; figures are a month behind a day only: 24.12.
		k := l.Dates.The.Skip(toks, end)
		if day, end = l.dayOfMonth(toks, k); end == k {
			return "", i
		}
	} else {
		k := l.Dates.The.Skip(toks, i)
		if day, end = l.dayOfMonth(toks, k); end == k {
			return "", i
		}
		k = l.Dates.Of.Skip(toks, end)
		if month, end = l.Dates.Months.Longest(toks, k); end == k {
			return "", i
		}
	}
	if year, yend := l.year(toks, end); yend > end {
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day), yend
	}
	return fmt.Sprintf("%02d-%02d", month, day), end
}

func (l *Language) dayOfMonth(toks []Token, i int) (int, int) {
	n, end := l.ordinal(toks, i)
	if end == i {
		n, end = l.upTo99(toks, i)
	}
	if n < 1 || n > 31 {
		return 0, i
	}
	return n, end
}

// year reads "2027", "twenty twenty seven" and "two thousand twenty seven".
func (l *Language) year(toks []Token, i int) (int, int) {
	if v, end := l.below100(toks, i); end > i && (v == 19 || v == 20) {
		if low, lend := l.below100(toks, end); lend > end && low >= 10 && low < 100 {
			return int(v*100 + low), lend
		}
	}
	v, end := l.Cardinal(toks, i)
	if end > i && v >= 1900 && v < 2200 && v == math.Trunc(v) {
		return int(v), end
	}
	return 0, i
}
