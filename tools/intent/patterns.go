package intent

import (
	"errors"
	"fmt"
	"slices"
)

// pattern is one line of an intent, ready to be tried.
type pattern struct {
	root   ref
	intent uint32   // place in Matcher.intents
	at     uint32   // place in the say or type of the intent
	least  uint16   // tokens that it needs
	say    bool     // it is in the grammar
	vague  bool     // it can begin with any words, so that a beginning of it says nothing
	needs  []uint32 // words that it needs
}

// addIntents parses the patterns of all entries.
func (m *Matcher) addIntents(d *data) error {
	var errs []error
	for _, e := range d.Entries {
		refuse := func(format string, args ...any) {
			err := fmt.Errorf("%s: %w", e.File, fmt.Errorf(format, args...))
			if e.extra {
				d.mistakes = append(d.mistakes, err)
			} else {
				errs = append(errs, err)
			}
		}
		in := intent{name: e.Name, tool: e.Tool, args: e.Args, file: e.File}
		if in.tool == "" {
			in.tool = in.name
		}
		if in.while = slices.Index(whiles, e.While); in.while < 0 {
			refuse("%s: intent %q: while is %q, and not one of ringing and asked", e.position(".while"), e.Name, e.While)
			continue
		}
		if !isName(e.Name) || len(e.Say)+len(e.Type) == 0 {
			refuse("%s: intent %q needs a name of a-z and _, and something to say or type", e.position(""), e.Name)
			continue
		}
		for n, text := range e.Say {
			if err := m.addPattern(text, n, true); err != nil {
				refuse("%s: parse pattern %.80q: %w", e.position(".say[%d]", n), text, err)
			}
		}
		for n, text := range e.Type {
			if err := m.addPattern(text, n, false); err != nil {
				refuse("%s: parse pattern %.80q: %w", e.position(".type[%d]", n), text, err)
			}
		}
		m.intents = append(m.intents, in)
	}
	if len(errs) > 0 {
		return fmt.Errorf("parse intents: %w", errors.Join(errs...))
	}
	return nil
}

// addPattern adds pattern n in a list of the intent that comes next.
func (m *Matcher) addPattern(text string, n int, say bool) error {
	root, err := (&patternParser{m: m, s: text}).whole()
	if err != nil {
		return err
	}
	f := &m.trees.facts[root]
	switch {
	case f.least == 0:
		return errors.New("pattern matches the empty sentence")
	case say && f.anyText:
		return errors.New("any words can only be typed")
	}
	m.patterns = append(m.patterns, m.pattern(root, len(m.intents), n, say))
	return nil
}

// pattern is that of a tree.
func (m *Matcher) pattern(root ref, intent, at int, say bool) pattern {
	f := &m.trees.facts[root]
	return pattern{root: root, intent: uint32(intent), at: uint32(at), least: uint16(min(f.least, maxTokens+1)), say: say, vague: f.vague, needs: slices.Clip(f.needs)}
}

// part is a part of the data, parsed when it is first used.
func (m *Matcher) part(name string) (ref, error) {
	if p, known := m.parts[name]; known {
		if p == nil {
			return 0, fmt.Errorf("part <%s> holds itself", name)
		}
		return *p, nil
	}
	text, known := m.data.Parts[name]
	if !known {
		return 0, fmt.Errorf("unknown part <%s>", name)
	}
	m.parts[name] = nil
	r, err := (&patternParser{m: m, s: text}).whole()
	if err != nil {
		delete(m.parts, name) // each pattern that holds it says what is wrong with it
		return 0, fmt.Errorf("part <%s>: %w", name, err)
	}
	m.parts[name] = &r
	return r, nil
}

// spelled is the tree of a word of a pattern, or of what it is short for.
func (m *Matcher) spelled(w string) ref {
	long, ok := m.contractions[w]
	if !ok {
		return m.trees.word(w)
	}
	var kids []ref
	for _, w := range long {
		kids = append(kids, m.trees.word(w))
	}
	return m.trees.inOrder(kids)
}
