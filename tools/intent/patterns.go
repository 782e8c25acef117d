package intent

import (
	"errors"
	"fmt"
	"slices"
)

// pattern is one line of an intent, ready to be tried.
type pattern struct {
	intent int    // place in Matcher.intents
	text   string // as it stands in the data
	file   string
	key    string // say or type
	at, n  int    // places of the intent in its file and of the pattern in its list
	root   *node
	least  int // tokens that it needs
	needs  []string
	vague  bool // it can begin with any words, so that a beginning of it says nothing
}

// addIntents parses the patterns of all entries.
func (m *Matcher) addIntents() error {
	var errs []error
	for _, e := range m.data.entries {
		in := intent{name: e.Name, tool: e.Tool, args: e.Args, examples: e.Examples, file: e.file}
		if in.tool == "" {
			in.tool = in.name
		}
		if !isName(e.Name) || len(e.Say)+len(e.Type) == 0 {
			errs = append(errs, fmt.Errorf("%s: %s: intent %q needs a name of a-z and _, and something to say or type", e.file, position(e.data, "$.intents[%d]", e.at), e.Name))
		}
		for _, list := range []struct {
			key  string
			text []string
		}{{"say", e.Say}, {"type", e.Type}} {
			for n, text := range list.text {
				root, err := m.parsePattern(text)
				if err == nil && list.key == "say" && (root.holds(freeText) || root.holds(task)) {
					err = errors.New("any words can only be typed")
				}
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: %s: parse pattern %q: %w", e.file, position(e.data, "$.intents[%d].%s[%d]", e.at, list.key, n), text, err))
					continue
				}
				if list.key == "say" {
					in.say = append(in.say, root)
				}
				m.patterns = append(m.patterns, pattern{intent: len(m.intents), text: text, file: e.file, key: list.key, at: e.at, n: n, root: root})
			}
		}
		m.intents = append(m.intents, in)
	}
	if len(errs) > 0 {
		return fmt.Errorf("parse intents: %w", errors.Join(errs...))
	}
	return nil
}

// parsePattern parses text, expands its contractions and checks its types.
func (m *Matcher) parsePattern(text string) (*node, error) {
	root, err := parsePattern(text, m.part)
	if err != nil {
		return nil, err
	}
	return root, m.prepare(root)
}

// part is a part of the data, parsed when it is first used.
func (m *Matcher) part(name string) (*node, error) {
	if n, known := m.parts[name]; known {
		if n == nil {
			return nil, fmt.Errorf("part <%s> holds itself", name)
		}
		return n, nil
	}
	text, known := m.data.Parts[name]
	if !known {
		return nil, fmt.Errorf("unknown part <%s>", name)
	}
	m.parts[name] = nil
	n, err := parsePart(text, m.part)
	if err == nil {
		err = m.prepare(n)
	}
	if err != nil {
		delete(m.parts, name) // each pattern that holds it says what is wrong with it
		return nil, fmt.Errorf("part <%s>: %w", name, err)
	}
	m.parts[name] = n
	return n, nil
}

func (m *Matcher) prepare(n *node) error {
	for _, k := range n.kids {
		if err := m.prepare(k); err != nil {
			return err
		}
	}
	switch n.kind {
	case word:
		if long, ok := m.contractions[n.text]; ok {
			n.kind, n.text = seq, ""
			for _, w := range long {
				n.kids = append(n.kids, &node{kind: word, text: w})
			}
		}
	case seq:
		var kids []*node
		for _, k := range n.kids {
			if k.kind == seq {
				kids = append(kids, k.kids...)
			} else {
				kids = append(kids, k)
			}
		}
		n.kids = kids
	case slot:
		if m.reader(n.text) == nil {
			return fmt.Errorf("unknown slot type %q", n.text)
		}
	}
	return nil
}

// index finds the patterns that may cover a request by the words they begin
// with and the words they need.
type index struct {
	byFirst  map[string][]int // patterns that can begin with a word, in order
	anyFirst []int            // those that can begin with any word
}

// makeIndex works out what each pattern needs.
func (m *Matcher) makeIndex() {
	x := index{byFirst: map[string][]int{}}
	for i := range m.patterns {
		p := &m.patterns[i]
		p.least = p.root.least()
		p.needs = p.root.needs()
		p.vague = m.vague(p.root)
		if first, empty := m.first(p.root); !empty && first != nil {
			for w := range first {
				x.byFirst[w] = append(x.byFirst[w], i)
			}
			continue
		}
		x.anyFirst = append(x.anyFirst, i)
	}
	m.index = x
}

// candidates are the patterns that may cover toks, in order.
func (x *index) candidates(m *Matcher, toks []token) []int {
	if len(toks) == 0 {
		return nil
	}
	has := make(map[string]bool, len(toks))
	for _, t := range toks {
		has[t.text] = true
	}
	var list []int
	for _, i := range x.beginning(toks) {
		if !slices.ContainsFunc(m.patterns[i].needs, func(w string) bool { return !has[w] }) {
			list = append(list, i)
		}
	}
	return list
}

// beginning are the patterns that can begin as toks do, in order.
func (x *index) beginning(toks []token) []int {
	a, b := x.byFirst[toks[0].text], x.anyFirst
	list := make([]int, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			list, a = append(list, a[0]), a[1:]
		} else {
			list, b = append(list, b[0]), b[1:]
		}
	}
	return list
}

// least is the fewest tokens that n covers.
func (n *node) least() int {
	sum := 0
	switch n.kind {
	case word, slot:
		return 1
	case seq:
		for _, k := range n.kids {
			sum += k.least()
		}
	case alt:
		sum = n.kids[0].least()
		for _, k := range n.kids {
			sum = min(sum, k.least())
		}
	}
	return sum
}

// needs are the words without which n cannot be.
func (n *node) needs() []string {
	switch n.kind {
	case word:
		return []string{n.text}
	case seq:
		var all []string
		for _, k := range n.kids {
			all = append(all, k.needs()...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	case alt:
		all := n.kids[0].needs()
		for _, k := range n.kids[1:] {
			other := k.needs()
			all = slices.DeleteFunc(all, func(w string) bool { return !slices.Contains(other, w) })
		}
		return all
	}
	return nil
}

// first are the words that n can begin with, nil for any; empty is set when n
// may be nothing.
func (m *Matcher) first(n *node) (set map[string]bool, empty bool) {
	switch n.kind {
	case word:
		return map[string]bool{n.text: true}, false
	case slot:
		return m.firstOf[n.text], false
	case opt:
		set, _ = m.first(n.kids[0])
		return set, true
	case alt:
		set = map[string]bool{}
		for _, k := range n.kids {
			s, e := m.first(k)
			empty = empty || e
			set = union(set, s)
		}
		return set, empty
	}
	set, empty = map[string]bool{}, true
	for _, k := range n.kids {
		if !empty {
			break
		}
		s, e := m.first(k)
		set, empty = union(set, s), e
	}
	return set, empty
}

// vague reports whether n can begin with any words.
func (m *Matcher) vague(n *node) bool {
	switch n.kind {
	case slot:
		return m.open[n.text]
	case seq:
		for _, k := range n.kids {
			if m.vague(k) {
				return true
			}
			if k.least() > 0 {
				return false
			}
		}
		return false
	}
	return slices.ContainsFunc(n.kids, m.vague)
}

// union is every word of a and b, where nil is any word.
func union(a, b map[string]bool) map[string]bool {
	if a == nil || b == nil {
		return nil
	}
	for w := range b {
		a[w] = true
	}
	return a
}
