package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

// buildUnderstanding makes the matcher and the recogniser. Sentences of declared
// tools whose words the recogniser lacks can still be typed.
func (d *Daemon) buildUnderstanding(h *house) error {
	var triggers []intent.Trigger
	declared := h.registry.Triggers()
	for _, sentence := range slices.Sorted(maps.Keys(declared)) {
		triggers = append(triggers, intent.Trigger{Sentence: sentence, Tool: declared[sentence]})
	}
	for {
		m, err := intent.New(intent.Options{Wake: d.cfg.Wake.Phrase, Triggers: triggers})
		if err != nil {
			return err
		}
		h.matcher = m
		if d.cfg.STT.Engine != "pocketsphinx" {
			h.hears, err = d.recogniser()
			return err
		}
		engine, err := d.pocketsphinx(m)
		var unknown *stt.UnknownWordsError
		switch {
		case err == nil:
			h.hears = engine
			return nil
		case errors.As(err, &unknown) && d.onlyTyped(triggers, unknown.Words):
			continue
		}
		// The package only recommends the engine; a box without it answers text.
		d.conditions.Set("recogniser", health.Error, "Speech to text does not work: "+err.Error()+".")
		h.hears = deaf{err}
		return nil
	}
}

// onlyTyped marks the triggers with one of words, and reports whether it found
// any that was not marked.
func (d *Daemon) onlyTyped(triggers []intent.Trigger, words []string) bool {
	found := false
	for i := range triggers {
		t := &triggers[i]
		for _, w := range strings.Fields(t.Sentence) {
			if slices.Contains(words, strings.Trim(w, ".,!?")) && !t.Typed {
				t.Typed, found = true, true
				d.log.Warn("sentence of a declared tool can only be typed", "component", "tools",
					"tool", t.Tool, "reason", "the recogniser does not know the word "+w)
			}
		}
	}
	return found
}

// recogniser builds the engine that the configuration names, if that is not the
// built-in one.
func (d *Daemon) recogniser() (stt.Engine, error) {
	c := &d.cfg.STT
	switch c.Engine {
	case "wyoming":
		return stt.NewWyoming(stt.WyomingOptions{Address: c.Wyoming.Address, Language: c.Language, Model: c.Wyoming.Model})
	case "openai":
		key, err := secret(c.OpenAI.Key)
		if err != nil {
			return nil, err
		}
		return stt.NewOpenAI(stt.OpenAIOptions{BaseURL: c.OpenAI.URL, Key: key, Model: c.OpenAI.Model, Language: c.Language})
	}
	return stt.NewCommand(stt.CommandOptions{Argv: c.Command.Argv, Input: c.Command.Input})
}

// pocketsphinx builds the recogniser that understands what m does.
func (d *Daemon) pocketsphinx(m *intent.Matcher) (*stt.Pocketsphinx, error) {
	g := m.Grammar()
	dir := filepath.Join(d.opt.RuntimeDir, "pocketsphinx")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	return stt.NewPocketsphinx(stt.PocketsphinxOptions{Grammar: g.JSGF, Words: g.Words, Dir: dir, Log: d.log})
}

// deaf is a recogniser that could not be set up.
type deaf struct{ err error }

func (d deaf) Open(context.Context) (stt.Stream, error) { return nil, d.err }

// hearing keeps the condition of engine. That of one that could not be set up
// says why, and stays.
func (d *Daemon) hearing(engine stt.Engine) func(error) {
	if _, ok := engine.(deaf); ok {
		return func(error) {}
	}
	return func(err error) {
		d.engineState("recogniser", err, "Speech to text ("+d.cfg.STT.Engine+") does not work.")
	}
}

// intents is the matcher as the dialogue sees it.
type intents struct{ *intent.Matcher }

func (i intents) Match(text string) (llm.ToolCall, string, bool) {
	m, ok := i.Matcher.Match(text)
	return m.Call, m.Intent, ok
}

func (i intents) Completeness(text string) (whole, begun bool) {
	c := i.Matcher.Completeness(text)
	return c == intent.Complete, c == intent.Unfinished
}
