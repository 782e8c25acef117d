package daemon

import (
	"sync"
	"sync/atomic"

	"hearthd/tools/intent"
)

// matching is the matcher of the house, which a reload replaces; the names that were
// set stay. Any goroutine may use it.
type matching struct {
	now      atomic.Pointer[intent.Matcher]
	replaced atomic.Uint64

	mu    sync.Mutex // held to set names and to replace
	names map[string][]intent.Name
}

// newMatching makes one; m may be nil until it is replaced.
func newMatching(m *intent.Matcher) *matching {
	x := &matching{names: make(map[string][]intent.Name)}
	x.now.Store(m)
	return x
}

// replace has m take the place of the matcher.
func (x *matching) replace(m *intent.Matcher) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for vocab, names := range x.names {
		m.SetNames(vocab, names)
	}
	x.now.Store(m)
	x.replaced.Add(1)
}

// SetNames replaces a vocabulary; see intent.Matcher.
func (x *matching) SetNames(vocab string, names []intent.Name) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names[vocab] = names
	if m := x.now.Load(); m != nil {
		m.SetNames(vocab, names)
	}
}

// Version changes with everything that a grammar is made of: a matcher has less than
// 2^32 versions.
func (x *matching) Version() uint64 { return x.replaced.Load()<<32 + x.now.Load().Version() }

func (x *matching) Match(text string) (intent.Match, bool) { return x.now.Load().Match(text) }

func (x *matching) MatchRinging(text string) (intent.Match, bool) {
	return x.now.Load().MatchRinging(text)
}

func (x *matching) MatchTwo(text string) (one, two intent.Match, ok bool) {
	return x.now.Load().MatchTwo(text)
}

func (x *matching) Completeness(text string) intent.Completeness {
	return x.now.Load().Completeness(text)
}

func (x *matching) Grammar(without ...string) intent.Grammar {
	return x.now.Load().Grammar(without...)
}

func (x *matching) Wake(text string) (rest string, ok bool) { return x.now.Load().Wake(text) }

func (x *matching) Tools() []string { return x.now.Load().Tools() }

// Wordings and Terms are how people ask for tools; see intent.Matcher.
func (x *matching) Wordings() map[string]map[string]float64 { return x.now.Load().Wordings() }

func (x *matching) Terms(text string) []string { return x.now.Load().Terms(text) }
