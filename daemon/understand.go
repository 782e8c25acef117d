package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"hearthd/config"
	"hearthd/daemon/engines"
	"hearthd/daemon/health"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/intent"
)

// buildUnderstanding makes the matcher and the recogniser. A sentence that the recogniser
// cannot hear can still be typed; those of the household are left out when the recogniser
// takes none of them.
func (d *base) buildUnderstanding(h *house) error {
	triggers := triggersOf(h.registry)
	m, err := d.sentences(triggers, nil)
	if err != nil {
		return err
	}
	h.matcher.replace(m)
	if d.cfg.STT.Engine != "pocketsphinx" {
		d.tellSentences(m.Mistakes(), nil)
		h.hears, err = d.engines.Recogniser(func() (stt.Engine, error) {
			l := d.learns(h.matcher)
			_, err := l.learn(context.Background())
			return l, err
		})
		return err
	}
	l := d.learns(h.matcher)
	left, err := l.learn(context.Background())
	d.tellSentences(m.Mistakes(), left)
	if err != nil && !errors.Is(err, stt.ErrNotInstalled) && sentencesOf(d.cfg, nil).Extra != nil {
		err = d.withoutOurs(l, m, triggers, err)
	}
	if err != nil {
		// The package only recommends the engine; a box without it answers text.
		d.conditions.Set("recogniser", health.Error, "Speech to text does not work: "+err.Error()+".")
		h.hears = engines.Deaf{Err: err}
		return nil
	}
	h.hears = l
	return nil
}

// withoutOurs has the recogniser learn what is built in only, where it takes that: cause is
// why it does not take m, which has the household's sentences too.
func (d *base) withoutOurs(l *learning, m *intent.Matcher, triggers []intent.Trigger, cause error) error {
	plain, err := d.sentences(triggers, cause)
	if err != nil {
		return err
	}
	l.matcher.replace(plain)
	if _, err := l.learn(context.Background()); err != nil {
		l.matcher.replace(m)
		d.tellSentences(m.Mistakes(), nil)
		return cause
	}
	return nil
}

// triggersOf are the sentences of declared tools.
func triggersOf(r *tools.Registry) (list []intent.Trigger) {
	declared := r.Triggers()
	for _, sentence := range slices.Sorted(maps.Keys(declared)) {
		list = append(list, intent.Trigger{Sentence: sentence, Tool: declared[sentence]})
	}
	return list
}

// sentences makes the matcher of the configured language, with what the folder of
// the household adds, unless that is refused. A mistake there is told, and only what
// is built in is understood.
func (d *base) sentences(triggers []intent.Trigger, refused error) (*intent.Matcher, error) {
	c, o := &d.cfg.Tools.Intents, sentencesOf(d.cfg, triggers)
	err := refused
	if err == nil {
		var m *intent.Matcher
		if m, err = intent.New(o); err == nil || o.Extra == nil && slices.Contains(intent.Languages(), c.Language) {
			return m, err
		}
	}
	d.log.Error("sentences refused", "component", "tools", "error", err)
	d.conditions.Set("intents", health.Warning, fmt.Sprintf("The sentences in %s are not used: %v.", c.Dir, err))
	o.Extra = nil
	if !slices.Contains(intent.Languages(), c.Language) {
		o.Language = ""
	}
	return intent.New(o)
}

// sentencesOf says where those of a configuration are.
func sentencesOf(c *config.Config, triggers []intent.Trigger) intent.Options {
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

// learning is the embedded recogniser, which learns the names of the house: an
// utterance that begins after they have changed is heard with the new ones.
type learning struct {
	matcher *matching
	dir     string
	log     *slog.Logger

	mu      sync.Mutex
	engine  *stt.Pocketsphinx
	version uint64 // of the names that it was asked to learn
	grammar string
	folders int
}

// learns is one that understands what m does, once it has learned it.
func (d *base) learns(m *matching) *learning {
	return &learning{matcher: m, log: d.log, dir: filepath.Join(d.opt.RuntimeDir, "pocketsphinx")}
}

// learn makes the engine of what the matcher understands, and gives the sentences that can
// only be typed. It is in a folder of its own, because searches of the last one may still
// read theirs.
func (l *learning) learn(ctx context.Context) ([]intent.Left, error) {
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

// Open starts to hear an utterance.
func (l *learning) Open(ctx context.Context) (stt.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.matcher.Version(); v != l.version {
		l.version = v
		if l.matcher.Grammar().JSGF != l.grammar {
			if _, err := l.learn(ctx); err != nil {
				l.log.Warn("learn names", "component", "stt", "error", err)
			}
		}
	}
	return l.engine.Open(ctx)
}
