package intent

import (
	"fmt"
	"strconv"
	"strings"
)

// words of a language that Go reads numbers, times and dates with: the keys of
// core.yaml that are not about requests.
type speech struct {
	Symbols    map[string]string   `yaml:"symbols"`     // a character to the words it stands for
	Articles   []string            `yaml:"articles"`    // may stand before an item and are no part of it
	Joins      []string            `yaml:"joins"`       // words between items
	Choices    []string            `yaml:"choices"`     // words between alternatives: or
	AfterMark  map[string]string   `yaml:"after_mark"`  // letters behind a number or degrees, as words: f, c
	BeforeMark []string            `yaml:"before_mark"` // words that after_mark may follow, besides figures
	Homophones map[string][]string `yaml:"homophones"`  // spellings that recognisers write for a word of the wake phrase or of a name
	Numbers    numberWords         `yaml:"numbers"`
	Durations  durationWords       `yaml:"durations"`
	Percent    []string            `yaml:"percent"`
	Times      timeWords           `yaml:"times"`
	Dates      dateWords           `yaml:"dates"`
	Operators  map[string][]string `yaml:"operators"`
	Grammar    string              `yaml:"grammar"` // JSGF rules of the types that Go reads
}

type numberWords struct {
	Words        map[string]float64 `yaml:"words"` // below a hundred: zero … twenty, thirty …
	Compound     compoundWords      `yaml:"compound"`
	Times        map[string]float64 `yaml:"times"`     // hundred: 100, behind a number
	One          []string           `yaml:"one"`       // "an hour", "a hundred"
	And          []string           `yaml:"and"`       // joins the parts of a number or duration
	Point        []string           `yaml:"point"`     // "three point five"
	Minus        []string           `yaml:"minus"`     // "minus five"
	Fractions    map[string]string  `yaml:"fractions"` // "1/2", as words
	Of           []string           `yaml:"of"`        // between a fraction and what it is of: "half of a"
	Ordinals     map[string]int     `yaml:"ordinals"`
	OrdinalMarks []string           `yaml:"ordinal_marks"` // behind digits: "3rd"
	Meter        []string           `yaml:"meter"`         // "one meter eighty"
	Foot         []string           `yaml:"foot"`          // "5 foot 11"
	Inch         []string           `yaml:"inch"`
	DecimalComma bool               `yaml:"decimal_comma"` // 1,5 is one and a half, and 1.500 is 1500
}

// compoundWords are for languages that write a number as one word, ones first:
// fünfundzwanzig, zweihundertfünfzig.
type compoundWords struct {
	Ones    map[string]int `yaml:"ones"` // 1 … 9 as they stand inside a number
	Glue    string         `yaml:"glue"`
	Hundred string         `yaml:"hundred"`
}

type durationWords struct {
	Units   map[int][]string `yaml:"units"`   // seconds to the words
	Phrases map[int][]string `yaml:"phrases"` // whole durations: "a fortnight"
	More    []string         `yaml:"more"`    // "five more minutes", "another minute"
	Each    []string         `yaml:"each"`    // before one of several: "one for ten minutes and one for an hour"
	For     []string         `yaml:"for"`     // between how long and what for: "ten minutes for the rice"
}

type timeWords struct {
	Named   map[string][]string `yaml:"named"` // "12:00": noon
	Oclock  []string            `yaml:"oclock"`
	Am      []string            `yaml:"am"`
	Pm      []string            `yaml:"pm"`
	Night   []string            `yaml:"night"` // at night: from five on pm, and before that am
	Past    []string            `yaml:"past"`
	To      []string            `yaml:"to"`
	Zero    []string            `yaml:"zero"`    // "seven oh five"
	Minutes map[int][]string    `yaml:"minutes"` // before past and to: quarter
	Half    map[int][]string    `yaml:"half"`    // minutes from the hour behind: "half past": 30, "halb": -30
	Before  []string            `yaml:"before"`  // may stand before a time and mean nothing
	Parts   map[string][]string `yaml:"parts"`   // of the day, by their usual time: "09:00": in the morning
}

type dateWords struct {
	Named    map[string][]string `yaml:"named"`    // "+2": day after tomorrow; "12-25": christmas
	Weekdays map[string][]string `yaml:"weekdays"` // monday: monday
	Months   map[int][]string    `yaml:"months"`
	Next     []string            `yaml:"next"`
	Last     []string            `yaml:"last"`
	This     []string            `yaml:"this"`
	In       []string            `yaml:"in"`
	Every    []string            `yaml:"every"`    // every monday
	OfMonth  []string            `yaml:"of_month"` // on the fifth of every month
	Except   []string            `yaml:"except"`   // every day except sunday
	Days     map[int][]string    `yaml:"days"`     // 7: week
	Before   []string            `yaml:"before"`   // on, on the
	Of       []string            `yaml:"of"`
	From     []string            `yaml:"from"`    // two weeks from friday, a week on monday
	Earlier  []string            `yaml:"earlier"` // two days before christmas
	The      []string            `yaml:"the"`
}

// language is speech made ready to be looked up.
type language struct {
	symbols                                                                                                           map[rune]string
	signs                                                                                                             map[string]string // "+" and the like to their words
	afterMark                                                                                                         map[string]string
	beforeMark                                                                                                        map[string]bool
	sameSound                                                                                                         map[string]string // a homophone to the word
	homophones                                                                                                        map[string][]string
	decimalComma                                                                                                      bool
	articles                                                                                                          map[string]bool
	small, times, fractions, durations, units                                                                         phrases[float64]
	one, and, joins, choices, more, each, lasts, meter, foot, inch, every, ofMonth, except, point, minus, of, percent phrases[bool]
	ordinals                                                                                                          phrases[int]
	ordinalMarks                                                                                                      map[string]bool
	timeNamed, dateNamed, weekdays, dayParts                                                                          phrases[string]
	oclock, am, pm, night, past, to, zero, timeBefore                                                                 phrases[bool]
	minutes, half                                                                                                     phrases[float64]
	months, days                                                                                                      phrases[int]
	next, last, this, in, before, dateOf, from, earlier, the                                                          phrases[bool]
	operators                                                                                                         phrases[string]
}

// longestDuration bounds a duration: a week, in seconds.
const longestDuration = 7 * 24 * 60 * 60

func newLanguage(s *speech) (*language, error) {
	l := &language{symbols: map[rune]string{}, afterMark: s.AfterMark, homophones: s.Homophones,
		decimalComma: s.Numbers.DecimalComma, articles: map[string]bool{}, signs: map[string]string{}, sameSound: map[string]string{}, beforeMark: map[string]bool{}, ordinalMarks: map[string]bool{}}
	for c, w := range s.Symbols {
		rs := []rune(c)
		if len(rs) != 1 {
			return nil, fmt.Errorf("symbol %q is not one character", c)
		}
		l.symbols[rs[0]] = " " + w + " "
	}
	for op, forms := range s.Operators {
		if len(forms) > 0 {
			l.signs[op] = forms[0]
		}
	}
	for w, same := range s.Homophones {
		for _, o := range same {
			l.sameSound[o] = w
		}
	}
	for _, w := range s.BeforeMark {
		l.beforeMark[w] = true
	}
	for _, w := range s.Articles {
		l.articles[w] = true
	}
	n := &s.Numbers
	for w, v := range n.Words {
		l.small.add(words(w), v)
	}
	n.Compound.fill(&l.small, n.Words)
	for w, v := range n.Times {
		l.times.add(words(w), v)
	}
	for w, text := range n.Fractions {
		v, ok := plainNumber(text)
		if !ok {
			return nil, fmt.Errorf("fraction %q is not a number", text)
		}
		l.fractions.add(words(w), v)
	}
	for w, v := range n.Ordinals {
		l.ordinals.add(words(w), v)
	}
	for _, w := range n.OrdinalMarks {
		l.ordinalMarks[w] = true
	}
	for _, set := range []struct {
		to   *phrases[bool]
		from []string
	}{
		{&l.one, n.One}, {&l.and, n.And}, {&l.joins, s.Joins}, {&l.more, s.Durations.More}, {&l.each, s.Durations.Each}, {&l.lasts, s.Durations.For}, {&l.meter, n.Meter}, {&l.foot, n.Foot}, {&l.inch, n.Inch}, {&l.every, s.Dates.Every}, {&l.ofMonth, s.Dates.OfMonth}, {&l.except, s.Dates.Except}, {&l.choices, s.Joins}, {&l.choices, s.Choices}, {&l.point, n.Point}, {&l.minus, n.Minus}, {&l.of, n.Of}, {&l.percent, s.Percent},
		{&l.oclock, s.Times.Oclock}, {&l.am, s.Times.Am}, {&l.pm, s.Times.Pm}, {&l.night, s.Times.Night}, {&l.past, s.Times.Past}, {&l.to, s.Times.To}, {&l.zero, s.Times.Zero}, {&l.timeBefore, s.Times.Before},
		{&l.next, s.Dates.Next}, {&l.last, s.Dates.Last}, {&l.this, s.Dates.This}, {&l.in, s.Dates.In}, {&l.before, s.Dates.Before}, {&l.dateOf, s.Dates.Of}, {&l.from, s.Dates.From}, {&l.earlier, s.Dates.Earlier}, {&l.the, s.Dates.The},
	} {
		for _, w := range set.from {
			set.to.add(words(w), true)
		}
	}
	addAll(&l.units, floats(s.Durations.Units))
	addAll(&l.durations, floats(s.Durations.Phrases))
	addAll(&l.minutes, floats(s.Times.Minutes))
	addAll(&l.half, floats(s.Times.Half))
	addAll(&l.timeNamed, s.Times.Named)
	addAll(&l.dayParts, s.Times.Parts)
	addAll(&l.dateNamed, s.Dates.Named)
	addAll(&l.weekdays, s.Dates.Weekdays)
	addAll(&l.months, s.Dates.Months)
	addAll(&l.days, s.Dates.Days)
	addAll(&l.operators, s.Operators)
	return l, nil
}

func addAll[T comparable](p *phrases[T], spoken map[T][]string) {
	for v, forms := range spoken {
		for _, f := range forms {
			p.add(words(f), v)
		}
	}
}

// floats is spoken with its values as the numbers that are said beside them.
func floats(spoken map[int][]string) map[float64][]string {
	to := make(map[float64][]string, len(spoken))
	for v, forms := range spoken {
		to[float64(v)] = forms
	}
	return to
}

// fill adds the numbers from 21 to 999 that are one word.
func (c compoundWords) fill(p *phrases[float64], small map[string]float64) {
	below := map[string]float64{"": 0}
	for w, v := range small {
		below[w] = v
		for one, o := range c.Ones {
			if v >= 20 && int(v)%10 == 0 && c.Glue != "" {
				below[one+c.Glue+w] = v + float64(o)
				p.add([]string{one + c.Glue + w}, v+float64(o))
			}
		}
	}
	if c.Hundred == "" {
		return
	}
	for w, v := range below {
		p.add([]string{c.Hundred + w}, 100+v)
		for one, o := range c.Ones {
			p.add([]string{one + c.Hundred + w}, float64(100*o)+v)
		}
	}
}

// typed is the JSON value that a canonical value of the lexicon stands for: an
// integer, true or false, or else the text itself.
func typed(canonical string) any {
	if canonical == "true" || canonical == "false" {
		return canonical == "true"
	}
	if n, err := strconv.Atoi(canonical); err == nil && !strings.HasPrefix(canonical, "+") {
		return n
	}
	return canonical
}
