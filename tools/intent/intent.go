package intent

import (
	"io/fs"

	"hearthd/tools/intent/lang"
	"hearthd/tools/when"
)

// Options is what New takes.
type Options struct {
	Language string // folder of a language that comes with hearthd; empty means en
	// Extra is a folder of *.yaml: it extends and overrides Language, or is the
	// whole of a language that does not come with hearthd. Nil means none.
	Extra    fs.FS
	Wake     string // wake phrase; empty means the one that the language names
	Triggers []Trigger
}

// Name is a thing of the house that people call by name.
type Name = lang.Name

// Trigger is a sentence that starts a tool without arguments. Triggers come before the intents of
// the language, except those of tools whose sentences the language keeps.
type Trigger struct{ Sentence, Tool string }

// Matcher knows the intents. Apart from the names that SetNames replaces, it does not change after
// New.
type Matcher struct {
	wake          string
	source        source
	lang          *lang.Language
	words         *requestWords
	before, after lang.Phrases[bool] // what people say before and after a request; after is spelt backwards
	intents       []intent
	patterns      []pattern // of all intents, in the order in which they are tried
	trees         *forest   // of the patterns
	index         index
	later         *later // nil: the language has no orders for later
	english       func() (*lang.Language, error)
	spoken        spoken
	partNames     map[ref]string // for people
	mistakes      []error        // in what the household adds

	data  *data           // only while New works
	parts map[string]*ref // of patterns, by name; only while New works
}

// spoken is what a grammar needs of the data, apart from the patterns.
type spoken struct {
	before, after []string
	types         string                   // the rules of the types that are not in the lexicon
	lexicon       map[string]*lang.Lexicon // the types that are
	compounds     map[string][]string
	join          string            // a word between two names
	short         map[string]string // two words to their spoken contraction
}

// Mistakes are those in the files of the household, each with its file and line, and with the
// sentence where it is in one. What has a mistake is left out.
func (m *Matcher) Mistakes() []error { return m.mistakes }

// SetNames replaces a vocabulary, which patterns use as {argument:name:vocab}. It may be called
// while others match; each match uses the vocabularies from before or from after. Names beyond a
// bound, and those without letters, are left out.
func (m *Matcher) SetNames(vocab string, names []Name) { m.lang.SetNames(vocab, names) }

// Version counts the calls of SetNames: a grammar made at another version is old.
func (m *Matcher) Version() uint64 { return m.lang.Version() }

// Read gives what people call a day, a time or a repetition as the form is written; see lang.Language. What is no such
// thing in the language of the house may be it in English, in which the tools are described to models.
func (m *Matcher) Read(form when.Form, text string) (strict string, day when.Day, ok bool) {
	if strict, day, ok = m.lang.Read(form, text); ok {
		return strict, day, ok
	}
	english, err := m.english()
	if err != nil {
		return "", "", false
	}
	return english.Read(form, text)
}

// counts reports whether a request may be one of in.
func (s situation) counts(in *intent) bool {
	return in.while == s.while || s.while == choosing && in.while == always
}
