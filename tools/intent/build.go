package intent

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"hearthd/language"
	"hearthd/tools/intent/lang"
)

// New parses the intents. Its errors name file, line and column of every mistake. A mistake in what
// the household adds to a language only leaves that part out: see Mistakes.
func New(o Options) (*Matcher, error) {
	if o.Language == "" {
		o.Language = "en"
	}
	from, err := o.from()
	if err != nil {
		return nil, err
	}
	m, err := o.build(from)
	if err != nil && from.extra != nil {
		return o.buildAround(from)
	}
	return m, err
}

// buildAround leaves out those files of the household with which the built-in data no longer works:
// they may replace something that it depends on.
func (o *Options) buildAround(from source) (*Matcher, error) {
	names, err := fs.Glob(from.extra, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list intents: %w", err)
	}
	from.left = make(map[string]error)
	for _, name := range names[:min(len(names), maxFiles)] {
		from.left[name] = errNotYet
	}
	for _, name := range slices.Sorted(maps.Keys(from.left)) {
		delete(from.left, name)
		if _, err := o.build(from); err != nil {
			reason, _, _ := strings.Cut(err.Error(), "\n")
			from.left[name] = fmt.Errorf("%s: it is left out, because what is built in does not work with it: %s", name, reason)
		}
	}
	return o.build(from)
}

// errNotYet is the reason for a file that was not tried yet.
var errNotYet = errors.New("it was not tried")

// build makes the matcher of what is read.
func (o *Options) build(from source) (*Matcher, error) {
	d, err := from.load()
	if err != nil {
		return nil, err
	}
	said := d.Request // only the request, so that the rest of d is not kept
	m := &Matcher{wake: cmp.Or(o.Wake, d.Wake), source: from, words: &said, data: d, parts: map[string]*ref{}}
	if len(lang.Words(m.wake)) == 0 {
		return nil, fmt.Errorf("use wake phrase %q: it has no words", m.wake)
	}
	if m.lang, err = lang.NewLanguage(&d.Speech, d.Words); err != nil {
		return nil, fmt.Errorf("parse intents: %w", err)
	}
	m.english = sync.OnceValues(english)
	m.addWrapping()
	m.trees = newForest(m.lang.Beginning)
	if err := m.addIntents(d); err != nil {
		return nil, err
	}
	if err := m.addLater(); err != nil {
		return nil, err
	}
	for _, typ := range slices.Concat(m.words.Topics, m.words.Exchanges) {
		if m.lang.Reader(typ) == nil {
			return nil, fmt.Errorf("parse intents: topics, exchanges: there is no type %q", typ)
		}
	}
	m.index = newIndex(m.trees, m.patterns)
	if err := m.addTriggers(o.Triggers); err != nil {
		return nil, err
	}
	m.spoken = m.newSpoken(d)
	m.trees.seal()
	for _, name := range slices.Sorted(maps.Keys(d.ownParts)) {
		if _, used := m.parts[name]; !used {
			d.mistakes = append(d.mistakes, fmt.Errorf("%s: part <%s> stands in no sentence: "+
				"what comes with hearthd may call it otherwise now", d.ownParts[name], name))
		}
	}
	m.mistakes = d.mistakes
	m.partNames = make(map[ref]string, len(m.parts))
	for _, name := range slices.Sorted(maps.Keys(m.parts)) {
		if r := m.parts[name]; r != nil && m.partNames[*r] == "" {
			m.partNames[*r] = name
		}
	}
	m.data, m.parts = nil, nil
	return m, nil
}

// english is the reader of English words, without the requests.
func english() (*lang.Language, error) {
	from, _ := language.Folder("en")
	d := &data{Words: map[string]*lang.Lexicon{}}
	if err := d.read(from, "core.yaml", true); err != nil {
		return nil, err
	}
	return lang.NewLanguage(&d.Speech, d.Words)
}

// addWrapping reads what people say around a request.
func (m *Matcher) addWrapping() {
	m.lang.Speech.Ready(m.words)
	for _, s := range slices.Concat(m.words.BeforeTyped.Said, m.words.Before.Said) {
		m.before.Add(m.lang.Expand(lang.Words(s)), true)
	}
	for _, s := range slices.Concat(m.words.AfterTyped.Said, m.words.After.Said) {
		ws := m.lang.Expand(lang.Words(s))
		slices.Reverse(ws)
		m.after.Add(ws, true)
	}
}

// from finds the data that o names.
func (o *Options) from() (source, error) {
	if own, ok := language.Folder(o.Language); ok {
		return source{base: own, extra: o.Extra}, nil
	}
	if o.Extra == nil {
		return source{}, fmt.Errorf("open intents: there are none for the language %q", o.Language)
	}
	return source{base: o.Extra}, nil
}
