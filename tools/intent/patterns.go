package intent

import (
	"errors"
	"fmt"
	"slices"

	"hearthd/tools/intent/lang"
)

// addIntents parses the patterns of all entries. A mistake in one of the household's costs only the
// sentence that it is in; where no sentence of an intent is left, the intent that it was to replace
// stays.
func (m *Matcher) addIntents(d *data) error {
	var errs []error
	for _, e := range d.Entries {
		wrong := m.addIntent(&e)
		if !e.extra {
			errs = append(errs, wrong...)
			continue
		}
		d.mistakes = append(d.mistakes, wrong...)
		if len(wrong) > 0 && e.replaces != nil && !m.hasPatterns(len(m.intents)-1, e.Name) {
			errs = append(errs, m.addIntent(e.replaces)...)
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("parse intents: %w", errors.Join(errs...))
	}
	return nil
}

// hasPatterns reports whether the intent at a place has that name and a pattern.
func (m *Matcher) hasPatterns(at int, name string) bool {
	return at >= 0 && m.intents[at].name == name && len(m.patterns) > 0 && int(m.patterns[len(m.patterns)-1].intent) == at
}

// maxAllWritten bounds the length of all patterns together with the household's. The built-in ones
// have 94,000.
const maxAllWritten = 500_000

var errTooMany = fmt.Errorf("all sentences come to more than %d words", maxAllWritten)

// addIntent adds one, without the patterns that have a mistake.
func (m *Matcher) addIntent(e *entry) (mistakes []error) {
	refuse := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("%s: %w", e.File, fmt.Errorf(format, args...)))
	}
	in := intent{name: e.Name, tool: e.Tool, args: e.Args, file: e.File}
	if in.tool == "" {
		in.tool = in.name
	}
	if in.while = slices.Index(whiles, e.While); in.while < 0 {
		refuse("%s: intent %.60q: while is %.60q, and not one of ringing, choosing and asked", e.position(".while"), e.Name,
			e.While)
		return mistakes
	}
	if !lang.IsName(e.Name) || len(e.Say)+len(e.Type) == 0 {
		refuse("%s: intent %.60q needs a name of a-z and _, and something to say or type", e.position(""), e.Name)
		return mistakes
	}
	add := func(key string, n int, text string) {
		err := errTooMany
		if !e.extra || m.data.written < maxAllWritten {
			err = m.addPattern(text, n, key == "say")
		}
		if err != nil {
			refuse("%s: parse pattern %.80q: %w", e.position(".%s[%d]", key, n), text, err)
		}
	}
	for n, text := range e.Say {
		add("say", n, text)
	}
	for n, text := range e.Type {
		add("type", n, text)
	}
	m.intents = append(m.intents, in)
	return mistakes
}

// addPattern adds pattern n in a list of the intent that is being added.
func (m *Matcher) addPattern(text string, n int, say bool) error {
	root, err := (&patternParser{m: m, s: text}).whole()
	if err != nil {
		return err
	}
	f := &m.trees.facts[root]
	switch {
	case f.least == 0:
		return errors.New("pattern matches the empty sentence")
	case say && f.typed:
		return errors.New("any words, and parts in any order, can only be typed")
	case f.written > maxWritten:
		return fmt.Errorf("its parts come to more than %d words", maxWritten)
	}
	m.data.written += f.written
	m.patterns = append(m.patterns, m.pattern(root, len(m.intents), n, say))
	return nil
}

// pattern is that of a tree.
func (m *Matcher) pattern(root ref, intent, at int, say bool) pattern {
	f := &m.trees.facts[root]
	return pattern{root: root, intent: uint32(intent), at: uint32(at), least: uint16(min(f.least, lang.MaxTokens+1)),
		say: say, vague: f.vague, needs: slices.Clip(f.needs)}
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
		delete(m.parts, name) // each pattern that refers to it reports what is wrong with it
		return 0, fmt.Errorf("part <%s>: %w", name, err)
	}
	m.parts[name] = &r
	return r, nil
}

// spelled is the tree of a word of a pattern, or of what it abbreviates.
func (m *Matcher) spelled(w string) ref {
	var kids []ref
	for _, w := range m.lang.Expand([]string{w}) {
		kids = append(kids, m.trees.word(w))
	}
	return m.trees.inOrder(kids)
}
