package sentences

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"hearthd/config"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

// Learner is the built-in recogniser, which learns the names of the house: an utterance that begins
// after they have changed is recognised with the new ones.
type Learner struct {
	matcher matcher
	dir     string
	log     *slog.Logger

	mu      sync.Mutex
	engine  *stt.Pocketsphinx
	version uint64 // of the names that it was asked to learn
	grammar string
	folders int
}

// NewLearner makes one that understands what m does, once it has learned that. It keeps its files
// in folder dir.
func NewLearner(m matcher, dir string, log *slog.Logger) *Learner {
	return &Learner{matcher: m, dir: dir, log: log}
}

// Learn makes an engine for what the matcher understands, and returns the sentences that can only
// be typed. Each engine has a folder of its own, because searches of the last one may still read
// from theirs.
func (l *Learner) Learn(ctx context.Context) ([]intent.Left, error) {
	dir := filepath.Join(l.dir, strconv.Itoa(l.folders%2))
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	engine, g, err := taught(ctx, l.matcher, dir, l.log)
	if err != nil {
		return nil, err
	}
	l.engine, l.grammar = engine, g.JSGF
	l.folders++
	return g.Left, nil
}

// Open starts to hear an utterance. One that has learned nothing yet tries again: the program may be
// installed after hearthd.
func (l *Learner) Open(ctx context.Context) (stt.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.matcher.Version(); v != l.version || l.engine == nil {
		if l.engine == nil || l.matcher.Grammar().JSGF != l.grammar {
			_, err := l.Learn(ctx)
			if err != nil && (l.engine == nil || ctx.Err() != nil) { // the next utterance tries again
				return nil, err
			}
			if err != nil {
				l.log.Warn("learn names", "component", "stt", "error", err)
			}
		}
		l.version = v
	}
	return l.engine.Open(ctx)
}

// grammars are what a recogniser learns from a matcher.
type grammars interface {
	Grammar(without ...string) intent.Grammar
	Rivals(a, b string) bool // whether text b asks for something else than text a
}

// matcher may change while it is learned from.
type matcher interface {
	grammars
	Version() uint64 // changes with the grammar
}

// taught makes the recogniser for m in folder dir, and makes the program load its grammar.
// Sentences and names with a word that the dictionary lacks are left out of the grammar.
func taught(ctx context.Context, m grammars, dir string, log *slog.Logger) (*stt.Pocketsphinx, intent.Grammar, error) {
	g := m.Grammar()
	o := stt.PocketsphinxOptions{Grammar: g.JSGF, Words: g.Words, Dir: dir, Log: log, Rivals: m.Rivals}
	engine, err := stt.NewPocketsphinx(o)
	if unknown, ok := errors.AsType[*stt.UnknownWordsError](err); ok {
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

// Try returns what Learn would return for another matcher, and keeps nothing of it.
func (l *Learner) Try(ctx context.Context, m grammars) ([]intent.Left, error) {
	dir, err := os.MkdirTemp(l.dir, "try-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	_, g, err := taught(ctx, m, dir, l.log)
	return g.Left, err
}

// Phrase is the built-in recogniser for nothing but the wake phrase, which a reload may change.
type Phrase struct {
	now func() *config.Config
	dir string
	log *slog.Logger

	mu     sync.Mutex
	text   string            // the phrase that was learned last
	engine *stt.Pocketsphinx // that hears it; nil: err says why there is none
	err    error
}

// NewPhrase makes one for the configuration that now gives. It keeps its files below folder dir.
func NewPhrase(now func() *config.Config, dir string, log *slog.Logger) (*Phrase, error) {
	p := &Phrase{now: now, dir: filepath.Join(dir, "phrase"), log: log}
	return p, p.learn()
}

// learn makes the engine for the present phrase, if it has another one. mu is held, but for the first time.
func (p *Phrase) learn() error {
	text := p.now().Wake.Phrase
	if p.text == text && (p.engine != nil || p.err != nil) {
		return p.err
	}
	if err := os.MkdirAll(p.dir, 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	p.text = text
	p.engine, p.err = stt.NewPhrase(stt.PhraseOptions{Phrase: text, Dir: p.dir, Log: p.log})
	return p.err
}

// Open starts to hear an utterance.
func (p *Phrase) Open(ctx context.Context) (stt.Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.learn(); err != nil {
		return nil, err
	}
	return p.engine.Open(ctx)
}
