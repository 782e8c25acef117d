package phrase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// functions are what templates call.
func (b *Book) functions() template.FuncMap {
	return template.FuncMap{
		"part": b.part, "each": b.each, "list": b.List, "either": b.Either, "upto": b.upTo, "sentence": Sentence,
		"number": b.Number, "count": b.Count, "decimal": b.Decimal, "ordinal": b.ordinal, "agree": b.agree,
		"duration": b.Duration, "exactly": b.exactly, "clock": b.Clock, "date": b.date, "day": b.Day, "weekday": b.weekday, "month": b.month,
		"the": b.the, "known": b.known, "contract": b.contract, "compound": b.compound, "you": b.You,
		"article": b.article, "word": word,
		"plural":  func(noun string, cases ...string) string { return b.grammar.plural(noun, cases) },
		"replace": func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) },
		"ends":    func(s, end string) bool { return strings.HasSuffix(s, end) },
		"mod":     func(a, b int) int { return a % b }, "add": func(a, b int) int { return a + b },
	}
}

// word looks s up in a table of words, or returns it as it is.
func word(s string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == s {
			return pairs[i+1]
		}
	}
	return s
}

// part is another part, filled in with thing.
func (b *Book) part(key string, of ...any) (string, error) {
	if len(of) == 0 {
		of = []any{nil}
	}
	text, err := b.fill(key, of[0])
	return strings.TrimSpace(text), err
}

// each says a part for each of several things.
func (b *Book) each(key string, of any) (said []string, _ error) {
	var all []any
	switch of := of.(type) {
	case []Args:
		for _, x := range of {
			all = append(all, x)
		}
	case []string:
		for _, x := range of {
			all = append(all, x)
		}
	default:
		return nil, fmt.Errorf("each %s: %T is no list", key, of)
	}
	for _, x := range all {
		text, err := b.part(key, x)
		if err != nil {
			return nil, err
		}
		said = append(said, text)
	}
	return said, nil
}

// maxSpoken is how many entries a listener is told; nobody remembers more.
const maxSpoken = 10

// List says several: "milk, eggs and bread". Beyond ten it says how many more there are.
func (b *Book) List(items []string) string { return b.upTo(maxSpoken, items) }

// Either says one of several: "tea, rice or beans".
func (b *Book) Either(items []string) string { return joined(items, b.grammar.Or) }

// upTo is List with another number of entries.
func (b *Book) upTo(most int, items []string) string {
	if len(items) > most+1 {
		items = append(slices.Clone(items[:most]), b.Part("core.more", Args{"n": len(items) - most}))
	}
	return joined(items, b.grammar.And)
}

func joined(items []string, word string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " " + word + " " + items[last]
}

// Number says a number from 0 to 99 in words, and any other in digits, which every synthesiser
// reads.
func (b *Book) Number(n int) string {
	g := &b.grammar.Numbers
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n < len(g.Small):
		return g.Small[n]
	case n%10 == 0:
		return g.Tens[n/10-2]
	}
	return b.Part("core.tens", Args{"ten": g.Tens[n/10-2], "one": g.Ones[n%10-1]})
}

// Count says how many of something: "one item", "three items".
func (b *Book) Count(n int, noun string, cases ...string) string {
	g := &b.grammar
	if n != 1 {
		return b.Number(n) + " " + g.plural(noun, cases)
	}
	is, _ := g.noun(noun)
	if one := g.article("one", is.gender, cases); one != "" {
		return one + " " + noun
	}
	return b.Number(1) + " " + noun
}

// Decimal says a number with the signs of the language: "1,250.5".
func (b *Book) Decimal(v float64) string { return b.Digits(strconv.FormatFloat(v, 'f', -1, 64)) }

// Digits says a number that is written with a point: "-1250.5". Without the signs for thousands
// flite reads 1250 as a year.
func (b *Book) Digits(number string) string {
	g := &b.grammar.Numbers
	number, minus := strings.CutPrefix(number, "-")
	whole, rest, broken := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + g.Thousands + whole[at:]
	}
	if broken {
		whole += g.Decimal + rest
	}
	if minus {
		return b.Part("core.minus", Args{"number": whole})
	}
	return whole
}

func (b *Book) ordinal(n int, cases ...string) string {
	return b.Part("core.ordinal", Args{"n": n, "case": caseOf(cases)})
}

// agree chooses by the number of x, which is a number itself, a list, or the name of one thing or
// many.
func (b *Book) agree(x any, one, many string) string {
	n := 1
	switch x := x.(type) {
	case int:
		n = x
	case []string:
		if n = len(x); n == 1 {
			return b.agree(x[0], one, many)
		}
	case []Args:
		n = len(x)
	case string:
		if is, _ := b.grammar.head(x); is.gender == plural {
			n = 2
		}
	}
	if n == 1 {
		return one
	}
	return many
}

// Duration says d to the second, or to the minute from an hour on: "six minutes and twenty
// seconds".
func (b *Book) Duration(d time.Duration, cases ...string) string {
	to := time.Second
	if d >= time.Hour {
		to = time.Minute
	}
	return b.exactly(d.Round(to), cases...)
}

// exactly says a length of time with its seconds, which whoever set it has said as well.
func (b *Book) exactly(d time.Duration, cases ...string) string {
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, b.grammar.Units.Hour}, {time.Minute, b.grammar.Units.Minute}, {time.Second, b.grammar.Units.Second}} {
		if n := int(d / unit.length); n > 0 {
			parts = append(parts, b.Count(n, unit.name, cases...))
		}
		d %= unit.length
	}
	if len(parts) == 0 {
		return b.Part("core.no_time")
	}
	return b.List(parts)
}

// Clock says a time of day so that espeak-ng and flite both read it well: "3:20 PM", but
// "3 PM", because espeak-ng reads out the zeros of "3:00 PM".
func (b *Book) Clock(t time.Time) string {
	return b.Part("core.clock",
		Args{"hour": t.Hour(), "hour12": (t.Hour()+11)%12 + 1, "minute": t.Minute(), "hour24": b.hour24})
}

// date says a day of a month: "May 3rd".
func (b *Book) date(t time.Time, cases ...string) string {
	return b.Part("core.date", Args{"time": t, "case": caseOf(cases)})
}

// Day says what a floating day is called on the floating day today: "today", "on Friday",
// "on May 3rd 2028".
func (b *Book) Day(t, today time.Time) string {
	n := int(midnight(t).Sub(midnight(today)) / (24 * time.Hour))
	far := t.Year() != today.Year() && (n < 0 || n >= 180)
	return b.Part("core.day", Args{"time": t, "days": n, "far": far})
}

// Often says how often something repeats: "every day", "on weekdays", "every Monday and Friday". The
// unit is day, week, month or year; with days it is on those; other: every other one.
func (b *Book) Often(unit string, days []time.Weekday, other bool) string {
	if unit == "" {
		return ""
	}
	var names []string
	for _, d := range days {
		names = append(names, b.weekday(d))
	}
	works := func(d time.Weekday) bool { return d != time.Saturday && d != time.Sunday }
	rests := func(d time.Weekday) bool { return !works(d) }
	return b.Part("core.often", Args{
		"unit": unit, "names": names, "other": other,
		"workdays": len(days) == 5 && !slices.ContainsFunc(days, rests),
		"weekend":  len(days) == 2 && !slices.ContainsFunc(days, works),
	})
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func (b *Book) weekday(d time.Weekday) string { return b.grammar.Weekdays[d] }
func (b *Book) month(m time.Month) string     { return b.grammar.Months[m-1] }

// longestEnd is word with the longest of ends that it has replaced.
func longestEnd(word string, ends map[string]string) string {
	for i := range word {
		if end, ok := ends[word[i:]]; ok {
			return word[:i] + end
		}
	}
	return word
}

// You turns what people say of themselves into what is said to them: "to call your mother".
func (b *Book) You(text string) string {
	words := strings.Fields(text)
	if last := len(words) - 1; last > 1 { // "dass ich Oma anrufen muss"
		words[last] = longestEnd(words[last], b.grammar.Verbs[strings.ToLower(words[1])])
	}
	for i, w := range words {
		if you, ok := b.grammar.You[strings.ToLower(w)]; ok {
			words[i] = you
		}
	}
	return strings.Join(words, " ")
}
