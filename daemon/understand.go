package daemon

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"hearthd/daemon/engines"
	"hearthd/daemon/health"
	"hearthd/daemon/sentences"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/intent"
)

// buildUnderstanding makes the matcher and the recogniser. A sentence that the recogniser
// cannot hear can still be typed; those of the household are left out when the recogniser
// takes none of them.
func (d *base) buildUnderstanding(h *house) error {
	triggers := triggersOf(h.registry)
	m, err := d.sentences.Matcher(triggers, nil)
	if err != nil {
		return err
	}
	h.matcher.replace(m)
	if d.cfg.STT.Engine != "pocketsphinx" {
		d.sentences.Tell(m.Mistakes(), nil)
		h.hears, err = d.engines.Recogniser(func() (stt.Engine, error) {
			l := d.learner(h.matcher)
			_, err := l.Learn(context.Background())
			return l, err
		})
		return err
	}
	l := d.learner(h.matcher)
	left, err := l.Learn(context.Background())
	d.sentences.Tell(m.Mistakes(), left)
	if err != nil && !errors.Is(err, stt.ErrNotInstalled) && sentences.Of(d.cfg, nil).Extra != nil {
		err = d.withoutOurs(h, l, m, triggers, err)
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
func (d *base) withoutOurs(h *house, l *sentences.Learner, m *intent.Matcher, triggers []intent.Trigger, cause error) error {
	plain, err := d.sentences.Matcher(triggers, cause)
	if err != nil {
		return err
	}
	h.matcher.replace(plain)
	if _, err := l.Learn(context.Background()); err != nil {
		h.matcher.replace(m)
		d.sentences.Tell(m.Mistakes(), nil)
		return cause
	}
	return nil
}

// learner is the built-in recogniser of what m understands.
func (d *base) learner(m *matching) *sentences.Learner {
	return sentences.NewLearner(m, filepath.Join(d.opt.RuntimeDir, "pocketsphinx"), d.log)
}

// triggersOf are the sentences of declared tools.
func triggersOf(r *tools.Registry) (list []intent.Trigger) {
	declared := r.Triggers()
	for _, sentence := range slices.Sorted(maps.Keys(declared)) {
		list = append(list, intent.Trigger{Sentence: sentence, Tool: declared[sentence]})
	}
	return list
}
