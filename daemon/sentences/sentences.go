// Package sentences makes the matcher of what people say in the configured language, with what the
// household and its declared tools add; the book of what is said to them; and the built-in recogniser. It
// keeps the condition of what is not understood, and runs no goroutine.
package sentences

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/language"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
)

// Options say whose sentences they are, and where conditions go.
type Options struct {
	Config     *config.Config
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Sentences are the sentences of one configuration.
type Sentences struct{ opt Options }

// New reads nothing yet.
func New(o Options) *Sentences { return &Sentences{o} }

// read makes the matcher of the configured language, with what the folder of the household adds. A
// mistake there becomes a condition, and then only the built-in sentences are understood.
func (s *Sentences) read(triggers []intent.Trigger, refused error) (*intent.Matcher, error) {
	c, o := &s.opt.Config.Tools.Intents, Of(s.opt.Config, triggers)
	err := refused
	if err == nil {
		var m *intent.Matcher
		if m, err = intent.New(o); err == nil || o.Extra == nil && slices.Contains(language.Names(), c.Language) {
			return m, err
		}
	}
	s.opt.Log.Error("sentences refused", "component", "tools", "error", err)
	s.opt.Conditions.Set("intents", health.Warning, fmt.Sprintf("The sentences in %s are not used: %v.", c.Dir, err))
	o.Extra = nil
	if !slices.Contains(language.Names(), c.Language) {
		o.Language = ""
	}
	return intent.New(o)
}

// Book is what is said in the configured language, with the answers in the folder of the household.
// A mistake there becomes a condition, and they are left out.
func (s *Sentences) Book() (*phrase.Book, error) {
	o := answers(s.opt.Config)
	o.Log = s.opt.Log
	b, err := phrase.New(o)
	if err == nil || o.Extra == nil {
		return b, err
	}
	s.opt.Log.Error("answers refused", "component", "tools", "error", err)
	s.opt.Conditions.Set("answers", health.Warning,
		fmt.Sprintf("The answers in %s are not used: %v.", folderOf(s.opt.Config), err))
	o.Extra = nil
	return phrase.New(o)
}

// answers says where the answers of a configuration are.
func answers(c *config.Config) phrase.Options {
	return phrase.Options{Language: c.Tools.Intents.Language, Extra: Of(c, nil).Extra, Hour24: c.Tools.Clock24h}
}

// Of says where the sentences of a configuration are.
func Of(c *config.Config, triggers []intent.Trigger) intent.Options {
	i := &c.Tools.Intents
	o := intent.Options{Language: i.Language, Wake: c.Wake.Phrase, Triggers: triggers}
	if dir := filepath.Join(i.Dir, i.Language); isFolder(dir) {
		o.Extra = os.DirFS(dir)
	}
	return o
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// maxTold is how many sentences a condition names.
const maxTold = 5

// Tell keeps the condition of the sentences that are left out, or can only be typed.
func (s *Sentences) Tell(mistakes []error, left []intent.Left) {
	var list []string
	for _, err := range mistakes {
		list = append(list, err.Error())
	}
	for _, l := range left {
		list = append(list, l.String()+", so that it can only be typed")
	}
	if len(list) == 0 {
		s.opt.Conditions.Clear("intents")
		return
	}
	for _, text := range list[:min(len(list), 10*maxTold)] {
		s.opt.Log.Warn("sentence left out", "component", "tools", "reason", text)
	}
	if n := len(list) - maxTold; n > 0 {
		list = append(list[:maxTold:maxTold], fmt.Sprintf("and %d more", n))
	}
	s.opt.Conditions.Set("intents", health.Warning,
		"Not every sentence is understood: "+strings.ReplaceAll(strings.Join(list, "; "), "\n", " ")+".")
}

// Check names what is wrong with the sentences of a configuration: what cannot be
// read, and what the recogniser, if it is the built-in one and installed, could not hear.
func Check(ctx context.Context, c *config.Config) (mistakes []error) {
	if _, err := phrase.New(answers(c)); err != nil {
		mistakes = append(mistakes, fmt.Errorf("%s: %w", folderOf(c), err))
	}
	m, err := intent.New(Of(c, nil))
	if err != nil {
		return append(mistakes, err)
	}
	mistakes = append(mistakes, Mistakes(c, m)...)
	if c.STT.Engine != "pocketsphinx" {
		return mistakes
	}
	if err := Unhearable(c); err != nil {
		return append(mistakes, err)
	}
	m.SetSamples()
	left, err := NewLearner(m, "", slog.New(slog.DiscardHandler)).Try(ctx, m)
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

// Mistakes are those in the sentences of the household, each with its file.
func Mistakes(c *config.Config, m *intent.Matcher) (mistakes []error) {
	for _, err := range m.Mistakes() {
		mistakes = append(mistakes, fmt.Errorf("%s%c%w", folderOf(c), filepath.Separator, err))
	}
	return mistakes
}

// Unhearable says why the built-in recogniser cannot recognise the configured language: Debian has
// a model for English only.
func Unhearable(c *config.Config) error {
	if l := c.Tools.Intents.Language; l != stt.PocketsphinxLanguage {
		return fmt.Errorf("pocketsphinx has a model of English only, and the language is %q: "+
			"sudo hearthctl speech install gets one that hears it, or set stt.engine to wyoming, with a server", l)
	}
	return nil
}

func folderOf(c *config.Config) string {
	return filepath.Join(c.Tools.Intents.Dir, c.Tools.Intents.Language)
}

// Teach makes x understand the sentences of the configuration and of triggers, and l, unless it is
// nil, recognise them. A sentence that l cannot recognise can still be typed; those of the
// household are left out when l accepts none of them. Unheard says why l recognises nothing.
func (s *Sentences) Teach(x *Matcher, triggers []intent.Trigger, l *Learner) (unheard, err error) {
	m, err := s.read(triggers, nil)
	if err != nil {
		return nil, err
	}
	x.Replace(m)
	unheard = Unhearable(s.opt.Config)
	if l == nil || unheard != nil {
		s.Tell(Mistakes(s.opt.Config, m), nil)
		return unheard, nil
	}
	left, unheard := l.Learn(context.Background())
	s.Tell(Mistakes(s.opt.Config, m), left)
	if unheard == nil || errors.Is(unheard, stt.ErrNotInstalled) || Of(s.opt.Config, nil).Extra == nil {
		return unheard, nil
	}
	plain, err := s.read(triggers, unheard)
	if err != nil {
		return unheard, nil
	}
	x.Replace(plain)
	if _, err := l.Learn(context.Background()); err != nil { // the built-in sentences are not the reason
		x.Replace(m)
		s.Tell(Mistakes(s.opt.Config, m), nil)
		return unheard, nil
	}
	return nil, nil
}

// Triggers are the sentences of declared tools.
func Triggers(r *tools.Registry) (list []intent.Trigger) {
	declared := r.Triggers()
	for _, sentence := range slices.Sorted(maps.Keys(declared)) {
		list = append(list, intent.Trigger{Sentence: sentence, Tool: declared[sentence]})
	}
	return list
}
