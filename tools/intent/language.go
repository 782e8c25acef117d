package intent

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// words of a language that Go reads numbers, times and dates with: the keys of
// core.yaml that are not about requests.
type speech struct {
	Symbols      map[string]string   `yaml:"symbols"`     // a character to the words it stands for
	Articles     set                 `yaml:"articles"`    // may stand before an item and are no part of it
	Joins        list                `yaml:"joins"`       // words between items
	Choices      list                `yaml:"choices"`     // words between alternatives: or
	AfterMark    map[string]string   `yaml:"after_mark"`  // letters behind a number or degrees, as words: f, c
	BeforeMark   set                 `yaml:"before_mark"` // words that after_mark may follow, besides figures
	Homophones   map[string][]string `yaml:"homophones"`  // spellings that recognisers write for a word of the wake phrase or of a name
	Numbers      numberWords         `yaml:"numbers"`
	Durations    durationWords       `yaml:"durations"`
	Percent      list                `yaml:"percent"`
	Times        timeWords           `yaml:"times"`
	Dates        dateWords           `yaml:"dates"`
	Operators    table[string]       `yaml:"operators"`
	Grammar      string              `yaml:"grammar"` // JSGF rules of the types that Go reads
	Contractions map[string]string   `yaml:"contractions"`
	NotAName     set                 `yaml:"not_a_name"`
	NotALabel    set                 `yaml:"not_a_label"`
	EndsNames    set                 `yaml:"ends_names"` // words that are never in a name: timer
	Mends        list                `yaml:"mends"`      // what follows is said instead of what stood before: true
	MayMend      list                `yaml:"may_mend"`   // the same, where the sentence is none otherwise
	Idle         list                `yaml:"idle"`       // left out of the middle of a request that is none with it
	Open         set                 `yaml:"open"`       // types of the lexicon that take any few words too
	Compounds    map[string][]string `yaml:"compounds"`
}

type numberWords struct {
	Words        map[string]float64 `yaml:"words"` // below a hundred: zero … twenty, thirty …
	Compound     compoundWords      `yaml:"compound"`
	Times        values[float64]    `yaml:"times"`     // hundred: 100, behind a number
	One          list               `yaml:"one"`       // "an hour", "a hundred"
	And          list               `yaml:"and"`       // joins the parts of a number or duration
	Point        list               `yaml:"point"`     // "three point five"
	Minus        list               `yaml:"minus"`     // "minus five"
	Fractions    map[string]string  `yaml:"fractions"` // "1/2", as words
	Of           list               `yaml:"of"`        // between a fraction and what it is of: "half of a"
	Ordinals     values[int]        `yaml:"ordinals"`
	OrdinalMarks set                `yaml:"ordinal_marks"` // behind digits: "3rd"
	Meter        list               `yaml:"meter"`         // "one meter eighty"
	Foot         list               `yaml:"foot"`          // "5 foot 11"
	Inch         list               `yaml:"inch"`
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
	Units   table[float64] `yaml:"units"`   // seconds to the words
	Phrases table[float64] `yaml:"phrases"` // whole durations: "a fortnight"
	More    list           `yaml:"more"`    // "five more minutes", "another minute"
	Each    list           `yaml:"each"`    // before one of several: "one for ten minutes and one for an hour"
	For     list           `yaml:"for"`     // between how long and what for: "ten minutes for the rice"
}

type timeWords struct {
	Named   table[string]  `yaml:"named"` // "12:00": noon
	Oclock  list           `yaml:"oclock"`
	Am      list           `yaml:"am"`
	Pm      list           `yaml:"pm"`
	Night   list           `yaml:"night"` // at night: from five on pm, and before that am
	Past    list           `yaml:"past"`
	To      list           `yaml:"to"`
	Zero    list           `yaml:"zero"`    // "seven oh five"
	Minutes table[float64] `yaml:"minutes"` // before past and to: quarter
	Half    table[float64] `yaml:"half"`    // minutes from the hour behind: "half past": 30, "halb": -30
	Before  list           `yaml:"before"`  // may stand before a time and mean nothing
	Parts   table[string]  `yaml:"parts"`   // of the day, by their usual time: "09:00": in the morning
}

type dateWords struct {
	Named    table[string] `yaml:"named"`    // "+2": day after tomorrow; "12-25": christmas
	Weekdays table[string] `yaml:"weekdays"` // monday: monday
	Months   table[int]    `yaml:"months"`
	Next     list          `yaml:"next"`
	Last     list          `yaml:"last"`
	This     list          `yaml:"this"`
	In       list          `yaml:"in"`
	Every    list          `yaml:"every"`    // every monday
	OfMonth  list          `yaml:"of_month"` // on the fifth of every month
	Except   list          `yaml:"except"`   // every day except sunday
	Days     table[int]    `yaml:"days"`     // 7: week
	Before   list          `yaml:"before"`   // on, on the
	Of       list          `yaml:"of"`
	From     list          `yaml:"from"`    // two weeks from friday, a week on monday
	Earlier  list          `yaml:"earlier"` // two days before christmas
	The      list          `yaml:"the"`
}

// language is speech made ready to be looked up, with the readers of all types.
type language struct {
	speech
	symbols          map[rune]string
	signs            map[string]string // "+" and the like to their words
	sameSound        map[string]string // a homophone to the word
	small, fractions phrases[float64]
	known            phrases[any] // items of the lexicon
	readers          map[string]reader
	first            map[string][]string // words that a slot type can begin with, of those with a few

	names   atomic.Pointer[map[string]*vocabulary]
	version atomic.Uint64
	setting sync.Mutex // one setNames at a time
}

// longestDuration bounds a duration: a week, in seconds.
const longestDuration = 7 * 24 * 60 * 60

// newLanguage makes the readers of the words and of the lexicon, but for names, which
// setNames gives.
func newLanguage(s *speech, lexicon map[string]*lexicon) (*language, error) {
	l := &language{speech: *s, symbols: map[rune]string{}, signs: map[string]string{}, sameSound: map[string]string{}}
	l.names.Store(&map[string]*vocabulary{})
	ready(&l.speech, l.Contractions)
	for c, w := range s.Symbols {
		rs := []rune(c)
		if len(rs) != 1 {
			return nil, fmt.Errorf("symbol %q is not one character", c)
		}
		l.symbols[rs[0]] = " " + w + " "
	}
	for op, forms := range s.Operators.Said {
		if len(forms) > 0 {
			l.signs[op] = forms[0]
		}
	}
	for w, same := range s.Homophones {
		for _, o := range same {
			l.sameSound[o] = w
		}
	}
	for w, v := range s.Numbers.Words {
		l.small.add(words(w), v)
	}
	s.Numbers.Compound.fill(&l.small, s.Numbers.Words)
	for w, text := range s.Numbers.Fractions {
		v, ok := plainNumber(text)
		if !ok {
			return nil, fmt.Errorf("fraction %q is not a number", text)
		}
		l.fractions.add(words(w), v)
	}
	for _, w := range l.Joins.Said {
		l.Choices.add(l.expand(words(w)), true)
	}
	for _, w := range l.MayMend.Said {
		l.Mends.add(l.expand(words(w)), false)
	}
	l.addReaders(lexicon)
	return l, nil
}

// expand replaces the contractions in ws.
func (s *speech) expand(ws []string) (out []string) {
	for _, w := range ws {
		if long, ok := s.Contractions[w]; ok {
			out = append(out, strings.Fields(long)...)
		} else {
			out = append(out, w)
		}
	}
	return out
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
