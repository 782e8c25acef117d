package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// Explanation says why a sentence is understood as it is, or what is missing.
type Explanation struct {
	Text       string          `json:"text"`
	Words      []string        `json:"words"`             // in the form in which they are compared
	Meant      string          `json:"meant,omitempty"`   // what they were taken for, if that differs
	Request    string          `json:"request,omitempty"` // those that the pattern covers
	Understood bool            `json:"understood"`
	Cost       int             `json:"cost"` // of what the reading leaves out or corrects
	Intent     string          `json:"intent,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Pattern    string          `json:"pattern,omitempty"`
	Where      string          `json:"where,omitempty"` // file, and line of the pattern
	Spoken     bool            `json:"spoken"`          // the pattern is in the grammar of the embedded recogniser too
	Tree       []Part          `json:"tree,omitempty"`
	RunnerUp   *RunnerUp       `json:"runner_up,omitempty"`
	Then       *Explanation    `json:"then,omitempty"` // the second of two requests in one sentence
	Near       []Near          `json:"near,omitempty"` // patterns that began to match, the nearest first
}

// Part is a part of a pattern, or an argument, with the words from which it was read.
type Part struct {
	Name  string `json:"name"`            // of the part, or of the argument
	Type  string `json:"type,omitempty"`  // of the argument
	Words string `json:"words,omitempty"` // empty: the pattern itself implies it
	Value any    `json:"value,omitempty"` // of the argument
	Parts []Part `json:"parts,omitempty"`
}

// RunnerUp is the next best reading, of another intent.
type RunnerUp struct {
	Intent  string `json:"intent"`
	Pattern string `json:"pattern"`
	Where   string `json:"where"`
	Cost    int    `json:"cost"` // equal to that of the reading, if that only comes first
}

// Near is a pattern that covers the beginning of a sentence.
type Near struct {
	Intent  string `json:"intent"`
	Pattern string `json:"pattern"`
	Where   string `json:"where"`
	Covered string `json:"covered"` // words
	Wanted  string `json:"wanted"`  // a word, or a {type}, behind them; empty: the end
}

// maxNear is how many patterns that nearly match are shown.
const maxNear = 3

// Explain is Match with its reasons. It tries every pattern and is for people,
// not for turns.
func (m *Matcher) Explain(text string) Explanation {
	e := Explanation{Text: text}
	toks, ok := m.lang.Tokenize(text)
	if !ok || len(toks) == 0 {
		return e
	}
	e.Words = lang.Texts(toks)
	d := m.sentences()
	work := maxWork
	if _, _, lasts := m.findLasting(toks, situation{}, &work); !lasts {
		if f, words, ok := m.find(toks, situation{}, &work); ok {
			e.tell(m, d, half{f, words})
		}
	}
	if one, two, ok := m.findTwo(toks, situation{}); ok && !e.Understood {
		e.tell(m, d, one)
		e.Then = &Explanation{Text: lang.Join(two.request), Words: lang.Texts(two.request)}
		e.Then.tell(m, d, two)
	}
	if !e.Understood {
		e.Near = m.nearly(toks, d)
	}
	return e
}

// tell fills in how a request was read.
func (e *Explanation) tell(m *Matcher, d *data, h half) {
	match, _ := h.match()
	e.Understood, e.Request, e.Cost = true, lang.Join(h.read[h.start:h.end]), int(h.cost)
	e.Intent, e.Tool, e.Arguments = match.Intent, match.Call.Name, match.Call.Arguments
	e.Pattern, e.Where, e.Spoken = d.text(m, h.pattern), d.where(m, h.pattern), h.pattern.say
	if said := lang.Texts(h.request); !slices.Equal(said, e.Words) {
		e.Meant = strings.Join(said, " ")
	}
	work := maxWork
	c := newChart(m, h.read, &work)
	c.named = m.partNames
	ends, at, next := c.ends(), uint32(0), found{cost: costLimit + 1}
	c.try(func(in *intent) bool { return in.while == always }, func(i uint32, p *pattern, start gap) {
		f, read := c.pattern(p, start, ends)
		switch {
		case read && p == h.pattern && start.to == h.start:
			e.Tree = c.told(f.tree, nil)
		case read && p.intent != h.pattern.intent && (f.cost < next.cost || f.cost == next.cost && i < at):
			next, at = f, i
		}
	})
	when := (&found{intent: &intent{}, slots: h.aside}).args()
	for _, arg := range slices.Sorted(maps.Keys(when)) {
		e.Tree = append(e.Tree, Part{Name: arg, Value: when[arg]})
	}
	if next.intent != nil {
		e.RunnerUp = &RunnerUp{next.intent.name, d.text(m, next.pattern), d.where(m, next.pattern), int(next.cost)}
	}
}

// told are the parts and arguments of a tree.
func (c *chart) told(t int32, list []Part) []Part {
	switch n := c.trees[t]; {
	case t == 0:
		return list
	case n.slot > 0:
		s := c.slots[n.slot-1]
		if s.start == s.end {
			return append(list, Part{Name: s.arg, Value: s.value})
		}
		return append(list, Part{Name: s.arg, Type: s.typ, Words: lang.Join(c.toks[s.start:s.end]), Value: s.value})
	case n.part > 0:
		p := c.parts[n.part-1]
		inner := c.told(n.a, nil)
		if p.start == p.end && len(inner) == 0 {
			return list
		}
		return append(list, Part{Name: "<" + p.name + ">", Words: lang.Join(c.toks[p.start:p.end]), Parts: inner})
	default:
		return c.told(n.b, c.told(n.a, list))
	}
}

// try is a pattern that covers the beginning of a sentence.
type try struct {
	p    *pattern
	far  int // how many tokens
	want ref // what it wants then
	held int // words of the pattern that the sentence has
}

// nearest are the patterns that cover most of the beginning of toks, one per intent.
func (m *Matcher) nearest(toks []lang.Token) []try {
	work := maxWork
	c := newChart(m, toks, &work).following()
	ends := c.ends()
	var tries []try
	c.try(func(*intent) bool { return true }, func(_ uint32, p *pattern, start gap) {
		if p.vague { // any sentence can begin with it
			return
		}
		c.follow.far = farthest{}
		_, covers := c.pattern(p, start, ends)
		if c.follow.far.at == 0 {
			return
		}
		t := try{p: p, far: c.follow.far.at, want: c.follow.far.want}
		if covers {
			t.far = len(toks) + 1
		}
		for _, w := range p.needs {
			if slices.Contains(c.ids, w) {
				t.held++
			}
		}
		tries = append(tries, t)
	})
	slices.SortStableFunc(tries, func(a, b try) int { return 2*(b.far-a.far) + b.held - a.held })
	seen := map[uint32]bool{}
	tries = slices.DeleteFunc(tries, func(t try) bool {
		before := seen[t.p.intent]
		seen[t.p.intent] = true
		return before
	})
	return tries[:min(len(tries), maxNear)]
}

// nearly describes the nearest patterns.
func (m *Matcher) nearly(toks []lang.Token, d *data) (near []Near) {
	for _, t := range m.nearest(toks) {
		near = append(near, Near{Intent: m.intents[t.p.intent].name, Pattern: d.text(m, t.p), Where: d.where(m, t.p),
			Covered: lang.Join(toks[:t.far]), Wanted: m.trees.text(t.want)})
	}
	return near
}

// sentences reads the data again, for the explanations that people ask for. Where a file was spoilt
// since New it is empty.
func (m *Matcher) sentences() *data {
	d, err := m.source.load()
	if err != nil {
		return &data{}
	}
	return d
}

// entry is the entry of an intent, or nil.
func (d *data) entry(name string) *entry {
	i := slices.IndexFunc(d.Entries, func(e entry) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Entries[i]
}

// source is the entry from which an intent was made, or nil.
func (d *data) source(in *intent) *entry {
	e := d.entry(in.name)
	if e != nil && e.File != in.file && e.replaces != nil {
		return e.replaces
	}
	return e
}

// text is a pattern as its file has it.
func (d *data) text(m *Matcher, p *pattern) string {
	if in := &m.intents[p.intent]; !in.trigger {
		if e := d.source(in); e != nil {
			if list := e.list(p.say); int(p.at) < len(list) {
				return list[p.at]
			}
		}
	}
	var ws []string
	for _, k := range m.trees.kidsOf(p.root) {
		ws = append(ws, m.trees.text(k))
	}
	return strings.Join(ws, " ")
}

// where is the file and line of a pattern.
func (d *data) where(m *Matcher, p *pattern) string {
	in := &m.intents[p.intent]
	e := d.source(in)
	if e == nil || in.trigger {
		return in.file
	}
	key := "type"
	if p.say {
		key = "say"
	}
	return e.File + ", " + e.position(".%s[%d]", key, p.at)
}

// list says which patterns: those that are said, or those that are only typed.
func (e *entry) list(say bool) []string {
	if say {
		return e.Say
	}
	return e.Type
}

// Summary is an intent as a list shows it.
type Summary struct {
	Intent   string `json:"intent"`
	Tool     string `json:"tool"`
	File     string `json:"file"`
	Say      int    `json:"say"`  // patterns that are in the grammar too
	Type     int    `json:"type"` // those that are not
	Examples int    `json:"examples"`
	Example  string `json:"example,omitempty"` // one of them, or else a pattern
}

// Summaries are all intents, in the order in which they are tried.
func (m *Matcher) Summaries() []Summary {
	d := m.sentences()
	list := make([]Summary, len(m.intents))
	for i, in := range m.intents {
		list[i] = Summary{Intent: in.name, Tool: in.tool, File: in.file}
		if e := d.entry(in.name); e != nil && len(e.Examples) > 0 {
			list[i].Examples, list[i].Example = len(e.Examples), slices.Sorted(maps.Keys(e.Examples))[0]
		}
	}
	for i := range m.patterns {
		p := &m.patterns[i]
		s := &list[p.intent]
		if p.say {
			s.Say++
		} else {
			s.Type++
		}
		if s.Example == "" {
			s.Example = d.text(m, p)
		}
	}
	return list
}

// Tools are the tools that a sentence starts, sorted.
func (m *Matcher) Tools() []string {
	set := map[string]bool{}
	for _, in := range m.intents {
		set[in.tool] = true
	}
	delete(set, nothing)
	delete(set, two)
	return slices.Sorted(maps.Keys(set))
}

// String is an explanation as lines for a person.
func (e Explanation) String() string {
	var b strings.Builder
	if e.Understood {
		fmt.Fprintf(&b, "%s: %s %s\n", e.Intent, e.Tool, e.Arguments)
		if e.Meant != "" {
			fmt.Fprintf(&b, "  meant    %s\n", e.Meant)
		}
		fmt.Fprintf(&b, "  words    %s\n  cost     %d\n  pattern  %s\n           %s\n", e.Request, e.Cost, e.Pattern, e.Where)
		drawn(&b, e.Tree, "  ")
		if r := e.RunnerUp; r != nil {
			why := fmt.Sprintf("it costs %d", r.Cost)
			if r.Cost <= e.Cost {
				why += " too, and comes later"
			}
			fmt.Fprintf(&b, "  not      %s, because %s: %s\n           %s\n", r.Intent, why, r.Pattern, r.Where)
		}
	} else {
		fmt.Fprintf(&b, "not understood: %s\n", strings.Join(e.Words, " "))
	}
	if e.Then != nil {
		fmt.Fprintf(&b, "and then %s\n", e.Then)
	}
	for _, n := range e.Near {
		fmt.Fprintf(&b, "  near     %s: %s\n           %q, then it wants %q (%s)\n",
			n.Intent, n.Pattern, n.Covered, n.Wanted, n.Where)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// drawn draws parts as a tree.
func drawn(b *strings.Builder, parts []Part, indent string) {
	for _, p := range parts {
		switch {
		case p.Type != "":
			fmt.Fprintf(b, "%s%s = %v (%s %q)\n", indent, p.Name, p.Value, p.Type, p.Words)
		case p.Value != nil:
			fmt.Fprintf(b, "%s%s = %v\n", indent, p.Name, p.Value)
		default:
			fmt.Fprintf(b, "%s%s %q\n", indent, p.Name, p.Words)
		}
		drawn(b, p.Parts, indent+"  ")
	}
}
