// Package shelf keeps models of speech loaded while they are used, and for a while after that. What is
// installed and chosen is read for each use, so that a change counts at once. Run is its one goroutine,
// which unloads; every method may be called by any.
package shelf

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/speech/model"
)

// Recogniser is a loaded model that hears.
type Recogniser interface {
	// Streaming reports whether words come while somebody speaks.
	Streaming() bool
	// Open begins an utterance. hotWords are phrases that are likelier than others, where the model can.
	Open(hotWords []string) (Utterance, error)
	Close()
}

// Utterance takes samples at 16 kHz and gives their words. It is used by one goroutine.
type Utterance interface {
	Write(samples []int16)
	Text() (string, error) // so far
	Finish() (string, error)
	Close()
}

// Voice is a loaded model that speaks.
type Voice interface {
	Rate() int
	// Speak makes the speech of a sentence.
	Speak(words string, speaker int) ([]int16, error)
	Close()
}

// Printer is a loaded model that makes prints of voices.
type Printer interface {
	// Print is that of the voice in samples at 16 kHz; nil: they are too few.
	Print(samples []int16) ([]float32, error)
	Close()
}

// Spotter is a loaded model that waits for phrases.
type Spotter interface {
	Open() (Watch, error)
	Close()
}

// Watch is a stream of sound. It is used by one goroutine.
type Watch interface {
	// Write takes samples at 16 kHz, and gives the phrases that have just ended.
	Write(samples []int16) (heard []string)
	Close()
}

// Library loads models.
type Library interface {
	Recogniser(m *model.Manifest, language string, threads int) (Recogniser, error)
	Voice(m *model.Manifest, threads int) (Voice, error)
	Printer(m *model.Manifest, threads int) (Printer, error)
	Spotter(m *model.Manifest, phrases []model.Phrase, threads int) (Spotter, error)
}

// Options are what a Shelf loads, and for how long.
type Options struct {
	Library Library
	State   string // the folder of package model
	Threads int    // of one model
	Most    int    // models at a time
	Idle    time.Duration
	Log     *slog.Logger
}

// ErrNone says that no model is installed for what was asked.
var ErrNone = errors.New("no model is installed")

// ErrBusy says that as many models as may be are loaded and in use.
var ErrBusy = errors.New("too many models are in use")

// Shelf has loaded models.
type Shelf struct {
	opt    Options
	mu     sync.Mutex // held while a model is loaded: two at once would take twice the memory
	loaded []*loaded
}

type loaded struct {
	key   string
	model interface{ Close() } // a Recogniser, a Voice, a Printer or a Spotter
	users int
	last  time.Time
}

// New loads nothing yet.
func New(o Options) *Shelf { return &Shelf{opt: o} }

// Models are those that are installed, and the ones of which something is wrong.
func (s *Shelf) Models() ([]*model.Manifest, error) { return model.List(s.opt.State) }

// find is the model of that name, or with none the one that is chosen for the language.
func (s *Shelf) find(task model.Task, name, language string) (m *model.Manifest, speaker string, err error) {
	models, mistakes := s.Models()
	use, err := model.ReadUse(s.opt.State)
	if err != nil {
		return nil, "", err
	}
	if name != "" {
		own, _, _ := strings.Cut(name, "/")
		use = model.Use{Hear: map[string]string{"": name}, Speak: map[string]string{"": name}}
		models = slices.DeleteFunc(models, func(m *model.Manifest) bool { return m.Name != own })
	}
	if m, speaker = use.Choose(models, task, language); m == nil {
		return nil, "", errors.Join(lacks(task, name, language), mistakes)
	}
	return m, speaker, nil
}

// lacks says for what no model is installed.
func lacks(task model.Task, name, language string) error {
	what := map[model.Task]string{model.Hear: "hears", model.Speak: "speaks", model.Recognise: "tells voices apart",
		model.Wake: "waits for phrases"}[task]
	if language != "" {
		what += " " + language
	}
	if name != "" {
		what += " and is called " + name
	}
	return fmt.Errorf("%w that %s: hearthctl speech install", ErrNone, what)
}

// Recogniser is a model that hears a language, which may be "". The caller releases it.
func (s *Shelf) Recogniser(name, language string) (r Recogniser, release func(), err error) {
	m, _, err := s.find(model.Hear, name, language)
	if err != nil {
		return nil, nil, err
	}
	if len(m.Languages) == 1 || !slices.Contains(m.Languages, language) {
		language = "" // it has no choice, or hears which it is
	}
	return take(s, m.Name+" "+language, func() (Recogniser, error) {
		return s.opt.Library.Recogniser(m, language, s.opt.Threads)
	})
}

// Voice is a model that speaks a language, and the number of the speaker in it. The caller releases it.
func (s *Shelf) Voice(name, language string) (v Voice, speaker int, release func(), err error) {
	m, who, err := s.find(model.Speak, name, language)
	if err != nil {
		return nil, 0, nil, err
	}
	v, release, err = take(s, m.Name, func() (Voice, error) { return s.opt.Library.Voice(m, s.opt.Threads) })
	return v, m.Speakers[who], release, err
}

// Printer is the model that makes prints of voices. The caller releases it.
func (s *Shelf) Printer() (m *model.Manifest, p Printer, release func(), err error) {
	if m, _, err = s.find(model.Recognise, "", ""); err != nil {
		return nil, nil, nil, err
	}
	p, release, err = take(s, m.Name, func() (Printer, error) { return s.opt.Library.Printer(m, s.opt.Threads) })
	return m, p, release, err
}

// Spotter is the model that waits for phrases, loaded for these. The caller releases it.
func (s *Shelf) Spotter(phrases []model.Phrase) (p Spotter, release func(), err error) {
	m, _, err := s.find(model.Wake, "", "")
	if err != nil {
		return nil, nil, err
	}
	return take(s, fmt.Sprintf("%s %v", m.Name, phrases), func() (Spotter, error) {
		return s.opt.Library.Spotter(m, phrases, 1) // it takes a hundredth of a processor
	})
}

// take gives what is loaded under key, or loads it.
func take[M interface{ Close() }](s *Shelf, key string, load func() (M, error)) (m M, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.at(key)
	if l == nil {
		if len(s.loaded) >= s.opt.Most && !s.unload(time.Now()) {
			return m, nil, ErrBusy
		}
		began := time.Now()
		if m, err = load(); err != nil {
			return m, nil, err
		}
		l = &loaded{key: key, model: m}
		s.loaded = append(s.loaded, l)
		s.opt.Log.Info("model loaded", "model", key, "took_ms", time.Since(began).Milliseconds())
	}
	l.users++
	return l.model.(M), sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.users--
		l.last = time.Now()
	}), nil
}

func (s *Shelf) at(key string) *loaded {
	for _, l := range s.loaded {
		if l.key == key {
			return l
		}
	}
	return nil
}

// unload frees the model that nobody has used for longest, if that is since before a time.
func (s *Shelf) unload(before time.Time) bool {
	var oldest *loaded
	for _, l := range s.loaded {
		if l.users == 0 && !l.last.After(before) && (oldest == nil || l.last.Before(oldest.last)) {
			oldest = l
		}
	}
	if oldest == nil {
		return false
	}
	oldest.model.Close()
	s.loaded = slices.DeleteFunc(s.loaded, func(l *loaded) bool { return l == oldest })
	s.opt.Log.Info("model unloaded", "model", oldest.key)
	return true
}

// Run unloads models that nobody uses. It returns nil when ctx ends, and leaves loaded what is in use.
func (s *Shelf) Run(ctx context.Context) error {
	tick := time.NewTicker(s.opt.Idle / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			s.mu.Lock()
			for s.unload(now.Add(-s.opt.Idle)) {
			}
			s.mu.Unlock()
		}
	}
}
