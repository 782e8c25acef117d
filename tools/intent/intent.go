package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/llm"
)

// Options is what New takes.
type Options struct {
	Data     []byte // intents as in intents.yaml; nil means the embedded ones
	Wake     string // wake phrase; empty means the one that Data names
	Triggers []Trigger
}

// Trigger is a sentence that starts a tool without arguments. Triggers come
// after the intents of Data. One that is Typed is not in the grammar, because
// the recogniser lacks one of its words.
type Trigger struct {
	Sentence, Tool string
	Typed          bool
}

// Matcher knows the intents. It does not change after New.
type Matcher struct {
	wake          string
	intents       []intent
	file          *file
	contractions  map[string][]string
	before, after [][]string
	notAName      map[string]bool
	goesOn        map[string]bool   // words that no request ends in
	units         map[string]string // words to canonical name
	listSame      map[string]string
	known         map[string]bool // items of the lexicon
}

// Match is a request that was understood.
type Match struct {
	Intent string       // name of the intent in the data
	Call   llm.ToolCall // its ID is empty: whoever runs it gives it one
}

// New parses the intents. Its errors name line and column of every mistake.
func New(o Options) (*Matcher, error) {
	data := o.Data
	if data == nil {
		data = embedded
	}
	f, intents, err := load(data)
	if err != nil {
		return nil, err
	}
	m := &Matcher{
		wake: o.Wake, intents: intents, file: f,
		contractions: map[string][]string{},
		notAName:     map[string]bool{},
		goesOn:       map[string]bool{},
		units:        map[string]string{},
		listSame:     f.Lexicon.ListSame,
		known:        map[string]bool{},
	}
	if m.wake == "" {
		m.wake = f.Wake
	}
	if err := m.addTriggers(o.Triggers); err != nil {
		return nil, err
	}
	if len(words(m.wake)) == 0 {
		return nil, fmt.Errorf("use wake phrase %q: it has no words", m.wake)
	}
	for short, long := range f.Contractions {
		m.contractions[short] = strings.Fields(long)
	}
	for _, s := range append(f.BeforeTyped, f.Before...) {
		m.before = append(m.before, strings.Fields(s))
	}
	for _, s := range append(f.AfterTyped, f.After...) {
		m.after = append(m.after, strings.Fields(s))
	}
	for _, s := range f.NotAName {
		m.notAName[s] = true
	}
	for _, s := range f.GoesOn {
		m.goesOn[s] = true
	}
	for _, s := range f.Lexicon.Item {
		m.known[s] = true
	}
	for _, byName := range []map[string][]string{f.Lexicon.Unit, f.Lexicon.UnitTyped} {
		for name, spoken := range byName {
			for _, s := range spoken {
				m.units[s] = name
			}
		}
	}
	return m, nil
}

// Match finds the request that text makes. text is what a person typed or a
// recogniser wrote, without the wake phrase. The first intent that covers the
// whole of it wins; ok is false when none does or text is longer than a
// request can be.
func (m *Matcher) Match(text string) (match Match, ok bool) {
	toks, ok := m.tokenize(text)
	if !ok {
		return Match{}, false
	}
	for _, toks := range [][]token{m.trim(toks), toks} {
		for _, in := range m.intents {
			for _, p := range slices.Concat(in.say, in.typed) {
				s := search{m: m, toks: toks, args: map[string]any{}, steps: maxSteps}
				if !s.node(p, 0, func(end int) bool { return end == len(toks) }) {
					continue
				}
				maps.Copy(s.args, in.args)
				args, err := json.Marshal(s.args)
				if err != nil {
					return Match{}, false
				}
				return Match{in.name, llm.ToolCall{Name: in.tool, Arguments: args}}, true
			}
		}
	}
	return Match{}, false
}

// maxSteps bounds the search of one pattern; the longest real request takes
// under a hundredth of it.
const maxSteps = 20000

// search tries one pattern on one request, backtracking.
type search struct {
	m     *Matcher
	toks  []token
	args  map[string]any
	steps int
	short bool // a pattern wanted more where toks ended
	open  bool // what matched ends in a slot that may go on
}

// node matches n at token i and calls then with every place where it can end,
// until then is satisfied.
func (s *search) node(n *node, i int, then func(end int) bool) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	s.short = s.short || i == len(s.toks) && n.kind != opt
	switch n.kind {
	case word:
		ws := []string{n.text}
		if long, ok := s.m.contractions[n.text]; ok {
			ws = long
		}
		return hasWords(s.toks, i, ws) && then(i+len(ws))
	case seq:
		return s.sequence(n.kids, i, then)
	case alt:
		for _, k := range n.kids {
			if s.node(k, i, then) {
				return true
			}
		}
	case opt:
		return s.node(n.kids[0], i, then) || then(i)
	case slot:
		for _, r := range slotTypes[n.text](s.m, s.toks, i) {
			s.args[n.arg] = r.value
			if then(r.end) {
				s.open = s.open || r.end == len(s.toks) && openSlots[n.text]
				return true
			}
		}
		delete(s.args, n.arg)
	}
	return false
}

func (s *search) sequence(kids []*node, i int, then func(end int) bool) bool {
	if len(kids) == 0 {
		return then(i)
	}
	return s.node(kids[0], i, func(end int) bool { return s.sequence(kids[1:], end, then) })
}
