package sentences

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"hearthd/daemon/mqtt/contract"
	"hearthd/llm"
	"hearthd/tools/intent"
	"hearthd/tools/when"
)

// Matcher is the matcher of the house, which a reload replaces; the names that were set stay. Any
// goroutine may use it.
type Matcher struct {
	now      atomic.Pointer[intent.Matcher]
	replaced atomic.Uint64
	heeds    func(word string) bool // reports whether a wake word is among those that people chose; nil: all are

	mu    sync.Mutex // held to set names and to replace
	names map[string][]intent.Name
}

// NewMatcher makes one; m may be nil until it is replaced.
func NewMatcher(m *intent.Matcher, heeds func(word string) bool) *Matcher {
	x := &Matcher{names: make(map[string][]intent.Name), heeds: heeds}
	x.now.Store(m)
	return x
}

// Replace puts m in the place of the present matcher.
func (x *Matcher) Replace(m *intent.Matcher) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for vocab, names := range x.names {
		m.SetNames(vocab, names)
	}
	x.now.Store(m)
	x.replaced.Add(1)
}

// Intents are the names of all intents, but for those of declared tools, which have the tools' names.
func (x *Matcher) Intents() (names []string) {
	for _, s := range x.now.Load().Summaries() {
		if s.File != intent.OfTools {
			names = append(names, s.Intent)
		}
	}
	return names
}

// SetNames replaces a vocabulary; see intent.Matcher.
func (x *Matcher) SetNames(vocab string, names []intent.Name) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names[vocab] = names
	if m := x.now.Load(); m != nil {
		m.SetNames(vocab, names)
	}
}

// HotWords are the names that were set: devices, rooms, lists, people and stations.
func (x *Matcher) HotWords() (words []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, vocab := range slices.Sorted(maps.Keys(x.names)) {
		for _, n := range x.names[vocab] {
			if words = append(words, n.Forms...); len(n.Forms) == 0 {
				words = append(words, n.Value)
			}
			if len(words) >= maxHotWords {
				return words[:maxHotWords]
			}
		}
	}
	return words
}

// maxHotWords bounds what a recogniser is told for one utterance.
const maxHotWords = 500

// Version changes with everything that a grammar is made of: a matcher has less than
// 2^32 versions.
func (x *Matcher) Version() uint64 { return x.replaced.Load()<<32 + x.now.Load().Version() }

// Read turns a model's words for a time into their strict form.
func (x *Matcher) Read(form when.Form, text string) (strict string, day when.Day, ok bool) {
	return x.now.Load().Read(form, text)
}

// Match, MatchRinging, MatchChoice, MatchTwo and Completeness are for a dialogue.
func (x *Matcher) Match(text, topic string) (llm.ToolCall, string, bool) {
	m, ok := x.now.Load().MatchAbout(topic, text)
	return m.Call, m.Intent, ok
}

func (x *Matcher) MatchRinging(text string) (llm.ToolCall, string, bool) {
	m, ok := x.now.Load().MatchRinging(text)
	return m.Call, m.Intent, ok
}

func (x *Matcher) MatchChoice(text string) (llm.ToolCall, string, bool) {
	m, ok := x.now.Load().MatchChoice(text)
	return m.Call, m.Intent, ok
}

func (x *Matcher) MatchTwo(text, topic string) ([]llm.ToolCall, string, bool) {
	one, two, ok := x.now.Load().MatchTwo(text, topic)
	return []llm.ToolCall{one.Call, two.Call}, one.Intent + "+" + two.Intent, ok
}

// Asks says what a text is a request for, which may be two, with what sounds like the wake phrase in front or
// without. It is empty for any other text.
func (x *Matcher) Asks(text string) string {
	m := x.now.Load()
	spelt, _ := m.Called(text)
	rest, _ := m.Wake(spelt)
	for _, said := range []string{text, rest} {
		if one, ok := m.Match(said); ok {
			return fmt.Sprintf("%s %s", one.Call.Name, one.Call.Arguments)
		}
		if one, two, ok := m.MatchTwo(said, ""); ok {
			return fmt.Sprintf("%s %s, %s %s", one.Call.Name, one.Call.Arguments, two.Call.Name, two.Call.Arguments)
		}
	}
	return ""
}

func (x *Matcher) Completeness(text string) (whole, begun bool) {
	c := x.now.Load().Completeness(text)
	return c == intent.Complete, c == intent.Unfinished
}

// Rivals reports whether text b asks for something else than text a; see intent.Matcher.
func (x *Matcher) Rivals(a, b string) bool { return x.now.Load().Rivals(a, b) }

// Grammar is what a recogniser has to hear.
func (x *Matcher) Grammar(without ...string) intent.Grammar {
	return x.now.Load().Grammar(without...)
}

// Wake cuts the wake phrase off, unless people chose another wake word.
func (x *Matcher) Wake(text string) (rest string, ok bool) {
	if x.heeds != nil && !x.heeds(contract.Phrase) {
		return "", false
	}
	return x.now.Load().Wake(text)
}

// Called spells the wake phrase at the beginning of a text; see intent.Matcher.
func (x *Matcher) Called(text string) (spelt string, ok bool) { return x.now.Load().Called(text) }

// Wordings and Terms are how people ask for tools; see intent.Matcher.
func (x *Matcher) Wordings() map[string]map[string]float64 { return x.now.Load().Wordings() }

func (x *Matcher) Terms(text string) []string { return x.now.Load().Terms(text) }

// Explain says how a text is understood, for people who write sentences. The wake phrase in front
// does no harm.
func (x *Matcher) Explain(text string) any {
	m := x.now.Load()
	if rest, ok := m.Wake(text); ok && rest != "" {
		text = rest
	}
	return m.Explain(text)
}
