package intent

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"hearthd/llm"
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

// Trigger is a sentence that starts a tool without arguments. Triggers come
// before the intents of the language, but for those of the tools that it keeps.
// One that is Typed is not in the grammar, because the recogniser lacks one of its
// words.
type Trigger struct {
	Sentence, Tool string
	Typed          bool
}

// Matcher knows the intents. Apart from the names that SetNames swaps, it does
// not change after New.
type Matcher struct {
	wake          string
	source        source
	lang          *language
	intents       []intent
	patterns      []pattern // of all intents, in the order in which they are tried
	trees         *forest   // of the patterns
	index         index
	readers       map[string]reader
	contractions  map[string][]string
	shortEnds     map[string]string // 's: is
	before, after phrases[bool]     // after is spelt backwards
	so, reason    phrases[bool]
	remark        phrases[bool]
	orders        phrases[bool]
	noOrder       map[string]bool // words before an order that is none
	mends         phrases[bool]   // true: whatever the sentence is
	gerunds       map[string]string
	loose         map[string]bool // tools whose requests may hold other words
	holds, cues   map[string]bool // words that are never left out, and those that such a request has
	idle          phrases[bool]   // words that say nothing, wherever they stand
	pointing      phrases[bool]   // articles and the like
	notAName      map[string]bool
	notALabel     map[string]bool
	goesOn        map[string]bool // words that no request ends in
	endsNames     map[string]bool // words that are never in a name: timer
	open          map[string]bool // slot types whose words may always go on
	known         *phrases[any]   // items of the lexicon
	spoken        spoken

	data  *data           // only while New works
	parts map[string]*ref // of patterns, by name; only while New works

	names   atomic.Pointer[map[string]*vocabulary]
	version atomic.Uint64
	setting sync.Mutex // one SetNames at a time
}

// intent is an entry whose patterns are parsed.
type intent struct {
	name, tool, file string
	args             map[string]any
	while            int  // its place in whiles
	trigger          bool // a declared tool's; its patterns are plain words
}

// When an intent counts, as the data names it: always; while something rings, and
// then before all others; or never as a request, because its words are but the
// answer to a question and stand in the grammar only.
const (
	always = iota
	ringing
	asked
)

var whiles = []string{always: "", ringing: "ringing", asked: "asked"}

// Tools that no registry has: whoever runs calls answers these.
const (
	answers = "confirm" // a yes or a no
	// Ask is the tool of a request that lacks something. Its arguments are the
	// question, and in then the requests that an answer makes of it, with {answer}.
	Ask   = "ask"
	Reply = "reply" // the tool of what has an answer as it is: the argument text
)

// Match is a request that was understood.
type Match struct {
	Intent string       // name of the intent in the data
	Call   llm.ToolCall // its ID is empty: whoever runs it gives it one
}

// New parses the intents. Its errors name file, line and column of every
// mistake.
func New(o Options) (*Matcher, error) {
	if o.Language == "" {
		o.Language = "en"
	}
	from, err := o.from()
	if err != nil {
		return nil, err
	}
	d, err := from.load(false)
	if err != nil {
		return nil, err
	}
	m := &Matcher{wake: o.Wake, source: from, data: d, shortEnds: d.ShortEnds, contractions: map[string][]string{}, parts: map[string]*ref{},
		notAName: setOf(d.NotAName), notALabel: setOf(d.NotALabel), goesOn: setOf(d.GoesOn), endsNames: setOf(d.EndsNames), noOrder: setOf(d.NoOrder), gerunds: d.Gerunds, loose: setOf(d.Loose), holds: setOf(d.Holds), cues: setOf(d.Cues)}
	m.names.Store(&map[string]*vocabulary{})
	if m.wake == "" {
		m.wake = d.Wake
	}
	if len(words(m.wake)) == 0 {
		return nil, fmt.Errorf("use wake phrase %q: it has no words", m.wake)
	}
	if m.lang, err = newLanguage(&d.Speech); err != nil {
		return nil, fmt.Errorf("parse intents: %w", err)
	}
	for short, long := range d.Contractions {
		m.contractions[short] = strings.Fields(long)
	}
	m.addWrapping(d)
	m.addReaders()
	if err := m.addIntents(d); err != nil {
		return nil, err
	}
	m.makeIndex()
	if err := m.addTriggers(o.Triggers); err != nil {
		return nil, err
	}
	m.spoken = m.newSpoken(d)
	m.trees.seal()
	m.data, m.parts = nil, nil
	return m, nil
}

// addWrapping takes over what people wrap around a request.
func (m *Matcher) addWrapping(d *data) {
	for _, s := range slices.Concat(d.BeforeTyped, d.Before) {
		m.before.add(m.expand(words(s)), true)
	}
	for _, s := range slices.Concat(d.AfterTyped, d.After) {
		ws := m.expand(words(s))
		slices.Reverse(ws)
		m.after.add(ws, true)
	}
	for _, s := range d.So {
		m.so.add(m.expand(words(s)), true)
	}
	for _, s := range d.Reason {
		m.reason.add(m.expand(words(s)), true)
	}
	for _, s := range d.Remark {
		m.remark.add(m.expand(words(s)), true)
	}
	for _, s := range d.Orders {
		m.orders.add(m.expand(words(s)), true)
	}
	for _, s := range d.Mends {
		m.mends.add(m.expand(words(s)), true)
	}
	for _, s := range d.MayMend {
		m.mends.add(m.expand(words(s)), false)
	}
	for _, s := range d.Idle {
		m.idle.add(m.expand(words(s)), true)
	}
	for _, s := range d.Pointing {
		m.pointing.add(m.expand(words(s)), true)
	}
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// expand replaces the contractions in ws.
func (m *Matcher) expand(ws []string) []string {
	var out []string
	for _, w := range ws {
		if long, ok := m.contractions[w]; ok {
			out = append(out, long...)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// Match finds the request that text makes. text is what a person typed or a
// recogniser wrote, without the wake phrase. The first intent that covers the
// whole of it wins; ok is false when none does or text is longer than a
// request can be.
func (m *Matcher) Match(text string) (match Match, ok bool) { return m.matchWhile(always, text) }

// MatchRinging is Match while something rings, of which "turn it off" speaks then.
func (m *Matcher) MatchRinging(text string) (match Match, ok bool) {
	if match, ok = m.matchWhile(ringing, text); !ok {
		match, ok = m.matchWhile(always, text)
	}
	return match, ok
}

func (m *Matcher) matchWhile(while int, text string) (match Match, ok bool) {
	toks, ok := m.tokenize(text)
	if !ok {
		return Match{}, false
	}
	work := maxWork
	f, ok := m.find(toks, while, &work)
	if !ok {
		return Match{}, false
	}
	return f.match()
}

// maxHalves bounds the places where a sentence is cut in two.
const maxHalves = 4

// MatchTwo finds the two requests in a text that is none by itself, but is one in
// front of an "and" and one behind it, or one that begins as the first does: "set an
// alarm for seven and seven thirty". A yes or a no is neither.
func (m *Matcher) MatchTwo(text string) (one, two Match, ok bool) {
	toks, ok := m.tokenize(text)
	if !ok {
		return Match{}, Match{}, false
	}
	work, left := maxWork, maxHalves
	for i := 1; i < len(toks) && left > 0; i++ {
		end := m.lang.joins.skip(toks, i)
		if end == i || end == len(toks) {
			continue
		}
		left--
		a, ok1 := m.find(toks[:i], always, &work)
		if !ok1 || a.intent.tool == answers {
			continue
		}
		b, ok2 := m.find(toks[end:], always, &work)
		if !ok2 {
			b, ok2 = m.findBegun(toks[:i], toks[end:], a.intent.tool, &work)
		}
		if !ok2 || b.intent.tool == answers {
			continue
		}
		one, ok1 = a.match()
		two, ok2 = b.match()
		return one, two, ok1 && ok2
	}
	return Match{}, Match{}, false
}

// maxBegun bounds how many words of a request the next one may leave out.
const maxBegun = 12

// findBegun finds the request for tool that rest is when it begins as before does, with
// as few of its words as can be.
func (m *Matcher) findBegun(before, rest []token, tool string, work *int) (found, bool) {
	for n := 1; n <= min(len(before)-1, maxBegun); n++ {
		f, ok := m.find(slices.Concat(before[:n], rest), always, work)
		if ok && f.intent.tool == tool {
			return f, true
		}
	}
	return found{}, false
}

// found is a pattern that covers a request.
type found struct {
	intent  *intent
	pattern *pattern
	slots   []filled
}

// filled is an argument and the tokens that it was read from.
type filled struct {
	arg, typ   string
	start, end int
	value      any
}

// unused is the name of a slot whose words are no argument.
const unused = "_"

func (f *found) match() (Match, bool) {
	text, err := json.Marshal(f.args())
	if err != nil {
		return Match{}, false
	}
	return Match{f.intent.name, llm.ToolCall{Name: f.intent.tool, Arguments: text}}, true
}

// args are what the slots hold and what the intent adds. A {slot} in a text of
// the intent stands for what that slot holds, which is then no argument itself.
func (f *found) args() map[string]any {
	args := make(map[string]any, len(f.slots)+len(f.intent.args))
	for _, s := range f.slots {
		if s.arg == unused {
			continue
		}
		if v, ok := s.value.(interface{ args() map[string]any }); ok { // it fills several
			maps.Copy(args, v.args())
			continue
		}
		args[s.arg] = s.value
	}
	for k, v := range f.intent.args {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, "{") {
				args[k] = typed(f.fill(v, args))
				continue
			}
		case []any:
			list := make([]any, len(v))
			for i, one := range v {
				list[i] = f.fill(fmt.Sprint(one), args)
			}
			args[k] = list
			continue
		}
		args[k] = v
	}
	return args
}

// fill writes what the slots hold into a text, and takes them out of args.
func (f *found) fill(text string, args map[string]any) string {
	for _, s := range f.slots {
		if name := "{" + s.arg + "}"; strings.Contains(text, name) {
			text = strings.ReplaceAll(text, name, plainText(s.value))
			delete(args, s.arg)
		}
	}
	return text
}

// plainText is a value inside a text.
func plainText(v any) string {
	if n, ok := v.(float64); ok {
		return decimal(n)
	}
	return fmt.Sprint(v)
}

// find is the first pattern that covers toks, with as little as can be of what
// people wrap around a request. Where none does, the sentence is read as it was meant:
// with what was put right instead of what stood before, short ends of words in full, orders
// that came as questions, without remarks, then without words that say nothing in its
// middle, and then without those that only point: the, my. Last, of the tools where that does
// no harm, a few words may be anything.
func (m *Matcher) find(toks []token, while int, work *int) (found, bool) {
	f, _, ok := m.findIn(toks, while, work)
	return f, ok
}

// findIn is find, and the tokens that the pattern covers. A request that lacks something
// is one only if no other is.
func (m *Matcher) findIn(toks []token, while int, work *int) (found, []token, bool) {
	var lacking found
	var words []token
	try := func(toks []token) (found, []token, bool) {
		for _, cut := range m.cuts(toks) {
			f, ok := m.findExactly(cut, while, work)
			switch {
			case ok && f.intent.tool != Ask:
				return f, cut, true
			case ok && words == nil:
				lacking, words = f, cut
			}
		}
		return found{}, nil, false
	}
	for mended := range m.mended(toks, true) {
		if f, cut, ok := try(mended); ok {
			return f, cut, true
		}
	}
	if f, cut, ok := try(toks); ok {
		return f, cut, true
	}
	for mended := range m.mended(toks, false) {
		if f, cut, ok := try(mended); ok {
			return f, cut, true
		}
	}
	for _, other := range []func([]token) []token{m.inFull, m.ordered, m.unremarked, m.idle.cutFrom, m.pointing.cutFrom} {
		n := len(toks)
		changed := other(toks)
		if len(changed) == n && slices.Equal(changed, toks) {
			continue
		}
		toks = changed
		if f, cut, ok := try(toks); ok {
			return f, cut, true
		}
	}
	if f, cut, ok := m.findLoosely(toks, while, work); ok {
		return f, cut, true
	}
	return lacking, words, words != nil
}

func (m *Matcher) findExactly(toks []token, while int, work *int) (found, bool) {
	if len(toks) == 0 {
		return found{}, false
	}
	s := newSearch(m, toks, work)
	for i := range m.index.beginning(s.ids[0]) {
		p := &m.patterns[i]
		if m.intents[p.intent].while == while && p.mayCover(s.ids) && s.covers(p) {
			return found{&m.intents[p.intent], p, slices.Clone(s.slots)}, true
		}
	}
	return found{}, false
}
