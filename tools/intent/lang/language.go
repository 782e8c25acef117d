package lang

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"hearthd/tools/when"
)

// Speech is the words of a language with which Go reads numbers, times and dates: the keys of
// core.yaml that are not about requests.
type Speech struct {
	Symbols      map[string]string   `yaml:"symbols"`     // a character to the words it stands for
	Articles     Set                 `yaml:"articles"`    // may stand before an item and are not part of it
	Joins        List                `yaml:"joins"`       // words between items
	Measures     List                `yaml:"measures"`    // behind the number of an item: "two pints of milk"
	NoItem       Set                 `yaml:"no_item"`     // no item has one of these in it
	Ends         wordEnds            `yaml:"ends"`        // of words among items
	Choices      List                `yaml:"choices"`     // words between alternatives: or
	AfterMark    map[string]string   `yaml:"after_mark"`  // letters behind a number or degrees, as words: f, c
	BeforeMark   Set                 `yaml:"before_mark"` // words that after_mark may follow, besides figures
	Homophones   map[string][]string `yaml:"homophones"`  // how recognisers write a word of the wake phrase or of a name
	Numbers      numberWords         `yaml:"numbers"`
	Durations    durationWords       `yaml:"durations"`
	Percent      List                `yaml:"percent"`
	Times        timeWords           `yaml:"times"`
	Dates        dateWords           `yaml:"dates"`
	Operators    table[string]       `yaml:"operators"`
	Grammar      string              `yaml:"grammar"` // JSGF rules of the types that Go reads
	Contractions shorts              `yaml:"contractions"`
	ShortStarts  map[string]string   `yaml:"short_starts"` // beginnings of words that are words: d': die
	NotAName     Set                 `yaml:"not_a_name"`
	NotALabel    Set                 `yaml:"not_a_label"`
	NotATask     Set                 `yaml:"not_a_task"` // words with which nothing begins that somebody has to do
	EndsNames    Set                 `yaml:"ends_names"` // words that are never in a name: timer
	Mends        List                `yaml:"mends"`      // what follows replaces what was said before: true
	MayMend      List                `yaml:"may_mend"`   // the same, where the sentence means nothing otherwise
	Idle         List                `yaml:"idle"`       // left out of the middle of a request that is none with it
	Open         Set                 `yaml:"open"`       // types of the lexicon that take any few words too
	Compounds    map[string][]string `yaml:"compounds"`
	Glued        []glued             `yaml:"glued"`        // words that are written as one
	Stems        map[string]string   `yaml:"stems"`        // the first of two words as it is alone: küchen of Küchenlicht
	Capitals     []string            `yaml:"capitals"`     // types that keep theirs, as what is taken literally does: nouns have them
	Spelling     map[string]string   `yaml:"spelling"`     // how letters with marks are written without them: ü as ue
	Plurals      List                `yaml:"plurals"`      // ends of names of which several are meant
	LooseStarts  map[string][]string `yaml:"loose_starts"` // beginnings of words, and how people say them too: ge as g
	LooseEnds    map[string][]string `yaml:"loose_ends"`   // the same of ends: en as a

	Known         Set `yaml:"-"` // words of the files
	plain, marked *strings.Replacer
	starting      map[byte][]string // those words by their first byte
	respelt       map[string]string // words without marks to those with them
	loose         map[string]string // words as they are said otherwise to those of the files
}

// wordEnds tell what a word is in which the next item may begin without a comma. Without them none does.
type wordEnds struct {
	Describing []string `yaml:"describing"` // it says more of the next: frische Petersilie
	Doing      []string `yaml:"doing"`      // as the last it is to be done: Reifen wechseln
}

type numberWords struct {
	Words        map[string]float64 `yaml:"words"` // below a hundred: zero … twenty, thirty …
	Compound     compoundWords      `yaml:"compound"`
	Times        Values[float64]    `yaml:"times"`     // hundred: 100, behind a number
	One          List               `yaml:"one"`       // "an hour", "a hundred"
	And          List               `yaml:"and"`       // joins the parts of a number or duration
	Point        List               `yaml:"point"`     // "three point five"
	Minus        List               `yaml:"minus"`     // "minus five"
	Fractions    map[string]string  `yaml:"fractions"` // "1/2", as words
	Of           List               `yaml:"of"`        // between a fraction and what it is of: "half of a"
	Ordinals     Values[int]        `yaml:"ordinals"`
	OrdinalMarks Set                `yaml:"ordinal_marks"` // behind digits: "3rd"
	Meter        List               `yaml:"meter"`         // "one meter eighty"
	Foot         List               `yaml:"foot"`          // "5 foot 11"
	Inch         List               `yaml:"inch"`
	DecimalComma bool               `yaml:"decimal_comma"` // 1,5 is one and a half, and 1.500 is 1500
}

// compoundWords are for languages that write a number as one word, ones first:
// fünfundzwanzig, zweihundertfünfzig.
type compoundWords struct {
	Ones    map[string]int `yaml:"ones"` // 1 … 9 as they stand inside a number
	Glue    string         `yaml:"glue"`
	Hundred string         `yaml:"hundred"`
	// Thousand stands behind a number: dreitausend, and between two: zweitausendfünfhundert.
	Thousand string `yaml:"thousand"`
	Half     string `yaml:"half"` // behind a number: zweieinhalb
	// Ordinal are the ends of an ordinal from two on, and from twenty on: vierte, vierten; zwanzigste, zwanzigsten.
	Ordinal [2][]string `yaml:"ordinal"`
}

type durationWords struct {
	Units   table[float64] `yaml:"units"`   // seconds to the words
	Phrases table[float64] `yaml:"phrases"` // whole durations: "a fortnight"
	More    List           `yaml:"more"`    // "five more minutes", "another minute"
	Each    List           `yaml:"each"`    // before one of several: "one for ten minutes and one for an hour"
	For     List           `yaml:"for"`     // between how long and what for: "ten minutes for the rice"
}

type timeWords struct {
	Named   table[when.Clock] `yaml:"named"` // "12:00": noon
	Oclock  List              `yaml:"oclock"`
	Am      List              `yaml:"am"`
	Pm      List              `yaml:"pm"`
	Night   List              `yaml:"night"` // at night: from five on pm, and before that am
	Past    List              `yaml:"past"`
	To      List              `yaml:"to"`
	Zero    List              `yaml:"zero"`    // "seven oh five"
	Minutes table[float64]    `yaml:"minutes"` // before past and to: quarter
	Half    table[float64]    `yaml:"half"`    // minutes from the hour behind: "half past": 30, "halb": -30
	Before  List              `yaml:"before"`  // may stand before a time and mean nothing
	Parts   table[when.Clock] `yaml:"parts"`   // of the day, by their usual time: "09:00": in the morning
	Today   List              `yaml:"today"`   // those that are of today only: tonight
}

type dateWords struct {
	Named      table[string] `yaml:"named"`    // "+2": day after tomorrow; "12-25": christmas
	Weekdays   table[string] `yaml:"weekdays"` // monday: monday
	Months     table[int]    `yaml:"months"`
	Next       List          `yaml:"next"`
	Last       List          `yaml:"last"`
	This       List          `yaml:"this"`
	In         List          `yaml:"in"`
	Every      List          `yaml:"every"`       // every monday
	Other      List          `yaml:"other"`       // behind every: every other monday
	OfMonth    List          `yaml:"of_month"`    // on the fifth of every month
	Except     List          `yaml:"except"`      // every day except sunday
	Days       table[int]    `yaml:"days"`        // 7: week
	ManyMonths table[int]    `yaml:"many_months"` // 12: year
	Before     List          `yaml:"before"`      // on, on the
	Of         List          `yaml:"of"`
	From       List          `yaml:"from"`    // two weeks from friday, a week on monday
	Earlier    List          `yaml:"earlier"` // two days before christmas
	The        List          `yaml:"the"`
}

// Language is a Speech prepared for look-ups, with the readers of all types.
type Language struct {
	Speech
	symbols          map[rune]string
	signs            map[string]string // "+" and the like to their words
	sameSound        map[string]string // a homophone to the word
	small, fractions Phrases[float64]
	known            Phrases[any]    // items of the lexicon
	heads            map[string]bool // last words of those of several words
	often            Phrases[any]    // repetitions of the lexicon
	Readers          map[string]reader
	first            map[string][]string // words that a slot type can begin with, of those with a few or a beginning
	beginnings       []beginning

	names   atomic.Pointer[map[string]*vocabulary]
	changes atomic.Uint64
	setting sync.Mutex // one SetNames at a time
}

// longestDuration bounds a duration: a week, in seconds.
const longestDuration = 7 * 24 * 60 * 60

// fill adds the numbers above 20 that are one word, to 999 all of them.
func (c compoundWords) fill(p *Phrases[float64], small map[string]float64) {
	below := map[string]float64{"": 0}
	for w, v := range small {
		below[w] = v
		for one, o := range c.Ones {
			if v >= 20 && int(v)%10 == 0 && c.Glue != "" {
				below[one+c.Glue+w] = v + float64(o)
				p.Add([]string{one + c.Glue + w}, v+float64(o))
			}
		}
	}
	for w, v := range below {
		if c.Half != "" && v > 1 {
			p.Add([]string{w + c.Half}, v+0.5)
		}
	}
	if c.Hundred == "" {
		return
	}
	for w, v := range below {
		p.Add([]string{c.Hundred + w}, 100+v)
		for one, o := range c.Ones {
			p.Add([]string{one + c.Hundred + w}, float64(100*o)+v)
		}
	}
	c.fillThousands(p, below)
}

// fillOrdinals adds the ordinals of the days of a month but those that the data has.
func (c compoundWords) fillOrdinals(p *Phrases[int], small map[string]float64) {
	add := func(w string, v float64) {
		ends := c.Ordinal[0]
		if v >= 20 {
			ends = c.Ordinal[1]
		}
		for _, end := range ends {
			if v >= 2 && v <= maxMonthDay && p.After(w+end) == nil {
				p.Add([]string{w + end}, int(v))
			}
		}
	}
	for w, v := range small {
		add(w, v)
		for one, o := range c.Ones {
			if v == 20 || v == 30 {
				add(one+c.Glue+w, v+float64(o))
			}
		}
	}
}

func (c compoundWords) fillThousands(p *Phrases[float64], below map[string]float64) {
	if c.Thousand == "" {
		return
	}
	for w, v := range below {
		if v > 1 {
			p.Add([]string{w + c.Thousand}, 1000*v)
		}
	}
	for one, o := range c.Ones {
		for next, n := range c.Ones {
			p.Add([]string{one + c.Thousand + next + c.Hundred}, float64(1000*o+100*n))
			p.Add([]string{c.Thousand + next + c.Hundred}, float64(1000+100*n))
		}
	}
}

// Typed is the JSON value that a canonical value of the lexicon stands for: an
// integer, true or false, or else the text itself.
func Typed(canonical string) any {
	if canonical == "true" || canonical == "false" {
		return canonical == "true"
	}
	if n, err := strconv.Atoi(canonical); err == nil && !strings.HasPrefix(canonical, "+") {
		return n
	}
	return canonical
}
