package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

// grammars are what a recogniser learns of a matcher.
type grammars interface {
	Grammar(without ...string) intent.Grammar
}

// taught makes the recogniser of m in folder dir, and has the program load its grammar.
// Sentences and names with a word that the dictionary lacks are left out of the grammar.
func taught(ctx context.Context, m grammars, dir string, log *slog.Logger) (*stt.Pocketsphinx, intent.Grammar, error) {
	g := m.Grammar()
	o := stt.PocketsphinxOptions{Grammar: g.JSGF, Words: g.Words, Dir: dir, Log: log}
	engine, err := stt.NewPocketsphinx(o)
	var unknown *stt.UnknownWordsError
	if errors.As(err, &unknown) {
		log.Info("words that can only be typed", "component", "stt", "count", len(unknown.Words),
			"reason", "the recogniser does not know "+strings.Join(unknown.Words, ", "))
		g = m.Grammar(unknown.Words...)
		o.Grammar, o.Words = g.JSGF, g.Words
		engine, err = stt.NewPocketsphinx(o)
	}
	if err == nil {
		err = engine.Try(ctx)
	}
	return engine, g, err
}

// tryHearing tells what learn would say of a matcher.
func tryHearing(ctx context.Context, m *intent.Matcher, parent string, log *slog.Logger) ([]intent.Left, error) {
	dir, err := os.MkdirTemp(parent, "try-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	_, g, err := taught(ctx, m, dir, log)
	return g.Left, err
}

// maxTold is how many sentences a condition names.
const maxTold = 5

// tellSentences keeps the condition of the sentences that are left out, or can only be
// typed.
func (d *base) tellSentences(mistakes []error, left []intent.Left) {
	var list []string
	for _, err := range mistakes {
		list = append(list, err.Error())
	}
	for _, l := range left {
		list = append(list, l.String()+", so that it can only be typed")
	}
	if len(list) == 0 {
		d.conditions.Clear("intents")
		return
	}
	for _, text := range list[:min(len(list), 10*maxTold)] {
		d.log.Warn("sentence left out", "component", "tools", "reason", text)
	}
	if n := len(list) - maxTold; n > 0 {
		list = append(list[:maxTold:maxTold], fmt.Sprintf("and %d more", n))
	}
	d.conditions.Set("intents", health.Warning, "Not every sentence is understood: "+strings.ReplaceAll(strings.Join(list, "; "), "\n", " ")+".")
}

// CheckSentences names what is wrong with the sentences of a configuration: what cannot be
// read, and what the recogniser, if it is the built-in one and installed, could not hear.
func CheckSentences(ctx context.Context, c *config.Config) (mistakes []error) {
	m, err := intent.New(sentencesOf(c, nil))
	if err != nil {
		return []error{err}
	}
	for _, err := range m.Mistakes() {
		mistakes = append(mistakes, fmt.Errorf("%s: %w", folderOf(c), err))
	}
	if c.STT.Engine != "pocketsphinx" {
		return mistakes
	}
	m.SetSamples()
	left, err := tryHearing(ctx, m, "", slog.New(slog.DiscardHandler))
	if left == nil {
		left = m.Grammar().Left
	}
	for _, l := range left {
		mistakes = append(mistakes, fmt.Errorf("%s: %s, so that it can only be typed", folderOf(c), l))
	}
	if err != nil && !errors.Is(err, stt.ErrNotInstalled) {
		mistakes = append(mistakes, err)
	}
	return mistakes
}

func folderOf(c *config.Config) string {
	return filepath.Join(c.Tools.Intents.Dir, c.Tools.Intents.Language)
}
