package sentences

import (
	"context"
	"errors"
	"maps"
	"slices"

	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/intent"
)

// Teach has x understand the sentences of the configuration and of triggers, and l, unless it
// is nil, hear them. A sentence that l cannot hear can still be typed; those of the household
// are left out when l takes none of them. Unheard says why l hears nothing.
func (s *Sentences) Teach(x *Matcher, triggers []intent.Trigger, l *Learner) (unheard, err error) {
	m, err := s.read(triggers, nil)
	if err != nil {
		return nil, err
	}
	x.Replace(m)
	if l == nil {
		s.Tell(m.Mistakes(), nil)
		return nil, nil
	}
	left, unheard := l.Learn(context.Background())
	s.Tell(m.Mistakes(), left)
	if unheard == nil || errors.Is(unheard, stt.ErrNotInstalled) || Of(s.opt.Config, nil).Extra == nil {
		return unheard, nil
	}
	plain, err := s.read(triggers, unheard)
	if err != nil {
		return unheard, nil
	}
	x.Replace(plain)
	if _, err := l.Learn(context.Background()); err != nil { // ours are not to blame
		x.Replace(m)
		s.Tell(m.Mistakes(), nil)
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
