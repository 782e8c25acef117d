package phrase

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// grammar is what the functions know of a language, from grammar.yaml.
type grammar struct {
	Numbers struct {
		Small     []string `yaml:"small"` // from zero on
		Ones      []string `yaml:"ones"`  // one to nine, as they stand with the tens
		Tens      []string `yaml:"tens"`  // twenty to ninety
		Decimal   string   `yaml:"decimal"`
		Thousands string   `yaml:"thousands"`
	} `yaml:"numbers"`
	Units struct {
		Hour   string `yaml:"hour"`
		Minute string `yaml:"minute"`
		Second string `yaml:"second"`
	} `yaml:"units"`
	Months   []string `yaml:"months"`
	Weekdays []string `yaml:"weekdays"` // Sunday first
	And      string   `yaml:"and"`
	Or       string   `yaml:"or"`
	// Articles are the forms of "the", "one" and "half" by gender and case. The gender of several is
	// plural, and that of a noun that is not known is "".
	Articles map[string]map[string]map[string]string `yaml:"articles"`
	// Nouns are by gender, and the plural is beside the singular. It is formed with PluralEnding
	// where it is not known.
	Nouns        map[string]map[string]string `yaml:"nouns"`
	PluralEnding string                       `yaml:"plural_ending"`
	Endings      map[string]ending            `yaml:"plural_case_endings"` // by case
	// Aside are words that end the part of a name in which the noun stands: "in" of "lamp in the
	// hall".
	Aside []string `yaml:"aside"`
	// Places are nouns that stand behind the noun of a name without any word between: "Heizung Wohnzimmer". So
	// does what is no noun.
	Places       []string          `yaml:"places"`
	Compounds    bool              `yaml:"compounds"`    // a word has the gender and plural of its last part
	Linked       map[string]string `yaml:"linked"`       // nouns as first parts of compounds, where they change
	Contractions map[string]string `yaml:"contractions"` // two words that become one
	You          map[string]string `yaml:"you"`          // what people say of themselves, as it is said to them
	// Verbs are the ends of a verb behind all that is said of "I" or "we", and what they are when it is said of "you".
	Verbs map[string]map[string]string `yaml:"verbs"`

	nouns map[string]noun // by singular and plural, in small letters
}

// ending is added to a word that does not end in one of Unless.
type ending struct {
	Add    string   `yaml:"add"`
	Unless []string `yaml:"unless"`
}

type noun struct{ gender, plural string }

// plural is the gender of a plural.
const plural = "plural"

// minPart is how many letters the last part of a compound has at least: "Bäckerei" is no "Ei".
const minPart = 3

func caseOf(cases []string) string {
	if len(cases) == 0 {
		return "nominative"
	}
	return cases[0]
}

// seal checks the tables that have a fixed length, and prepares the look-ups.
func (g *grammar) seal() error {
	for name, list := range map[string]struct{ have, want int }{
		"numbers.small": {len(g.Numbers.Small), 20}, "numbers.ones": {len(g.Numbers.Ones), 9},
		"numbers.tens": {len(g.Numbers.Tens), 8}, "months": {len(g.Months), 12}, "weekdays": {len(g.Weekdays), 7},
	} {
		if list.have != list.want {
			return fmt.Errorf("%s has %d words, not %d", name, list.have, list.want)
		}
	}
	g.nouns = map[string]noun{}
	for _, list := range g.Nouns {
		for _, many := range list {
			g.nouns[strings.ToLower(many)] = noun{plural, many}
		}
	}
	for gender, list := range g.Nouns {
		for one, many := range list {
			g.nouns[strings.ToLower(one)] = noun{gender, many}
		}
	}
	return nil
}

// noun finds a word, or otherwise the last part of a compound.
func (g *grammar) noun(word string) (noun, bool) {
	word = strings.ToLower(word)
	if is, ok := g.nouns[word]; ok || !g.Compounds {
		return is, ok
	}
	for at := range word {
		if at > 0 && utf8.RuneCountInString(word[at:]) >= minPart {
			if is, ok := g.nouns[word[at:]]; ok {
				return is, true
			}
		}
	}
	return noun{}, false
}

// head finds the noun of a name: its only word, the one before "in the hall", or before a place or a name. In
// other names of several words it is not known which one it is.
func (g *grammar) head(name string) (noun, bool) {
	words := strings.Fields(name)
	if len(words) == 0 {
		return noun{}, false
	}
	if len(words) > 1 {
		for _, aside := range g.Aside {
			if strings.EqualFold(words[1], aside) {
				words = words[:1]
				break
			}
		}
	}
	if is, ok := g.noun(words[0]); ok && len(words) == 2 && g.Places != nil && !g.place(words[0]) {
		if _, also := g.noun(words[1]); !also || g.place(words[1]) {
			return is, true
		}
	}
	if len(words) != 1 {
		return noun{}, false
	}
	return g.noun(words[0])
}

func (g *grammar) place(word string) bool {
	return slices.ContainsFunc(g.Places, func(p string) bool {
		return strings.HasSuffix(strings.ToLower(word), strings.ToLower(p))
	})
}

func (g *grammar) plural(word string, cases []string) string {
	many := word + g.PluralEnding
	if is, ok := g.noun(word); ok {
		many = is.plural
	}
	return g.inflected(many, cases)
}

// inflected is a plural in another case.
func (g *grammar) inflected(many string, cases []string) string {
	e := g.Endings[caseOf(cases)]
	for _, last := range e.Unless {
		if strings.HasSuffix(many, last) {
			return many
		}
	}
	return many + e.Add
}

// article is "" where there is none.
func (g *grammar) article(of, gender string, cases []string) string {
	forms, ok := g.Articles[of][gender]
	if !ok {
		forms = g.Articles[of][""]
	}
	return forms[caseOf(cases)]
}

// article is a form of grammar.yaml for the gender of a noun: "eine", "ein halber".
func (b *Book) article(of, noun string, cases ...string) string {
	is, _ := b.grammar.noun(noun)
	return b.grammar.article(of, is.gender, cases)
}

// the is a name with its article, or without one where the article is not known.
func (b *Book) the(name string, cases ...string) string {
	is, _ := b.grammar.head(name)
	if is.gender == plural && !strings.Contains(name, " ") {
		name = b.grammar.inflected(name, cases)
	}
	return strings.TrimSpace(b.grammar.article("the", is.gender, cases) + " " + name)
}

// known reports whether the article of a name is known.
func (b *Book) known(name string) bool {
	_, ok := b.grammar.head(name)
	return ok
}

// contract makes one word of the first two of text, where they become one: "im" of "in dem".
func (b *Book) contract(text string) string {
	for two, one := range b.grammar.Contractions {
		if rest, ok := strings.CutPrefix(text, two+" "); ok {
			return one + " " + rest
		}
	}
	return text
}

// compound is a label as the first part of a compound: "Nudel" of "nudeln".
func (b *Book) compound(label string) string {
	words := strings.Fields(label)
	for i, w := range words {
		if first, ok := b.grammar.Linked[strings.ToLower(w)]; ok {
			w = first
		} else if _, ok := b.grammar.noun(w); ok {
			w = Sentence(w)
		}
		words[i] = w
	}
	return Sentence(strings.Join(words, "-"))
}
