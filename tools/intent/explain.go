package intent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Explanation says why a sentence is understood as it is, or what is missing.
type Explanation struct {
	Text       string          `json:"text"`
	Words      []string        `json:"words"`             // as they are compared
	Request    string          `json:"request,omitempty"` // those that the pattern covers
	Understood bool            `json:"understood"`
	Intent     string          `json:"intent,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Pattern    string          `json:"pattern,omitempty"`
	Where      string          `json:"where,omitempty"` // file, and line of the pattern
	Spoken     bool            `json:"spoken"`          // the pattern is in the grammar of the embedded recogniser too
	Slots      []SlotUse       `json:"slots,omitempty"`
	Near       []Near          `json:"near,omitempty"` // what else began to match, the nearest first
}

// SlotUse is a slot and the words that it was read from.
type SlotUse struct {
	Argument string `json:"argument"`
	Type     string `json:"type"`
	Words    string `json:"words"`
	Value    any    `json:"value"`
}

// Near is a pattern that covers the beginning of a sentence.
type Near struct {
	Intent  string `json:"intent"`
	Pattern string `json:"pattern"`
	Where   string `json:"where"`
	Covered string `json:"covered"` // words
	Wanted  string `json:"wanted"`  // a word, or a {type}, behind them; empty: the end
}

// maxNear is how many patterns that nearly match are told.
const maxNear = 3

// Explain is Match with its reasons. It tries every pattern and is for people,
// not for turns.
func (m *Matcher) Explain(text string) Explanation {
	e := Explanation{Text: text}
	toks, ok := m.tokenize(text)
	if !ok || len(toks) == 0 {
		return e
	}
	for _, t := range toks {
		e.Words = append(e.Words, t.text)
	}
	request, f, ok := toks, found{}, false
	work := maxWork
	for _, cut := range m.cuts(toks) {
		if f, ok = m.findExactly(cut, &work); ok {
			request = cut
			break
		}
	}
	if ok {
		match, _ := f.match()
		e.Understood, e.Request = true, join(request)
		e.Intent, e.Tool, e.Arguments = match.Intent, match.Call.Name, match.Call.Arguments
		e.Pattern, e.Where, e.Spoken = f.pattern.text, m.where(f.pattern), f.pattern.key == "say"
		for _, s := range f.slots {
			e.Slots = append(e.Slots, SlotUse{s.arg, s.typ, join(request[s.start:s.end]), s.value})
		}
	} else {
		request = m.cuts(toks)[0]
	}
	e.Near = m.nearly(request, e.Intent)
	return e
}

// nearly are the patterns of other intents that cover most of the beginning of
// toks, one per intent.
func (m *Matcher) nearly(toks []token, but string) []Near {
	work := maxWork
	s := newSearch(m, toks, &work)
	type try struct {
		p    *pattern
		far  int
		want *node
		held int // words of the pattern's that toks have
	}
	var tries []try
	for i := range m.patterns {
		p := &m.patterns[i]
		if m.intents[p.intent].name == but || s.covers(p.root) || s.far == 0 {
			continue
		}
		t := try{p: p, far: s.far, want: s.want}
		for _, w := range p.needs {
			if slices.ContainsFunc(toks, func(t token) bool { return t.text == w }) {
				t.held++
			}
		}
		tries = append(tries, t)
	}
	slices.SortStableFunc(tries, func(a, b try) int { return 2*(b.far-a.far) + b.held - a.held })
	var near []Near
	seen := map[int]bool{}
	for _, t := range tries {
		if seen[t.p.intent] || len(near) == maxNear {
			continue
		}
		seen[t.p.intent] = true
		n := Near{Intent: m.intents[t.p.intent].name, Pattern: t.p.text, Where: m.where(t.p), Covered: join(toks[:t.far])}
		if t.far < len(toks) || t.want != nil {
			n.Wanted = t.want.String()
		}
		near = append(near, n)
	}
	return near
}

// String is a word, or a slot as {type}.
func (n *node) String() string {
	if n == nil {
		return ""
	}
	if n.kind == slot {
		return "{" + n.text + "}"
	}
	return n.text
}

// where is the file and line of a pattern.
func (m *Matcher) where(p *pattern) string {
	for _, e := range m.data.entries {
		if e.Name == m.intents[p.intent].name && e.file == p.file {
			return p.file + ", " + position(e.data, "$.intents[%d].%s[%d]", p.at, p.key, p.n)
		}
	}
	return p.file
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
	list := make([]Summary, len(m.intents))
	for i, in := range m.intents {
		list[i] = Summary{Intent: in.name, Tool: in.tool, File: in.file, Examples: len(in.examples)}
		if len(in.examples) > 0 {
			list[i].Example = slices.Sorted(maps.Keys(in.examples))[0]
		}
	}
	for _, p := range m.patterns {
		s := &list[p.intent]
		if p.key == "say" {
			s.Say++
		} else {
			s.Type++
		}
		if s.Example == "" {
			s.Example = p.text
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
	return slices.Sorted(maps.Keys(set))
}

// String tells an explanation in lines.
func (e Explanation) String() string {
	var b strings.Builder
	if e.Understood {
		fmt.Fprintf(&b, "%s: %s %s\n", e.Intent, e.Tool, e.Arguments)
		fmt.Fprintf(&b, "  words    %s\n  pattern  %s\n           %s\n", e.Request, e.Pattern, e.Where)
		for _, s := range e.Slots {
			fmt.Fprintf(&b, "  %-8s %q, %s: %v\n", s.Argument, s.Words, s.Type, s.Value)
		}
	} else {
		fmt.Fprintf(&b, "not understood: %s\n", strings.Join(e.Words, " "))
	}
	for _, n := range e.Near {
		fmt.Fprintf(&b, "  near     %s: %s\n           %q, then it wants %q (%s)\n", n.Intent, n.Pattern, n.Covered, n.Wanted, n.Where)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
