package sherpa

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"hearthd/speech/model"
)

// Spotter is a loaded model that waits for phrases.
type Spotter struct {
	l       *Library
	handle  uintptr
	phrases []model.Phrase
	mu      sync.Mutex // one piece of sound at a time: the model keeps its scratch in itself
}

// Spotter loads a model that waits for phrases.
func (l *Library) Spotter(m *model.Manifest, phrases []model.Phrase, threads int) (*Spotter, error) {
	if m.Kind != model.Keyword {
		return nil, fmt.Errorf("load model %s: a %s waits for no phrase", m.Name, m.Kind)
	}
	words, err := readPieces(m.Path("bpe_model"), m.Path("tokens"))
	if err != nil {
		return nil, fmt.Errorf("load model %s: %w", m.Name, err)
	}
	var lines strings.Builder
	for i, p := range phrases {
		written, err := words.write(p.Text)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&lines, "%s #%.3f @%d\n", strings.Join(written, " "), p.Cutoff, i)
	}
	var t texts
	defer t.keep()
	// The examples of the library have four paths, and what else stands here is its default.
	c := &keywordConfig{Features: features{16000, 80}, Paths: 4, Blanks: 1, Boost: 1, Threshold: 0.25,
		Keywords: t.c(lines.String()), Size: int32(lines.Len()), Model: onlineModel{
			Transducer: transducer{t.c(m.Path("encoder")), t.c(m.Path("decoder")), t.c(m.Path("joiner"))},
			Tokens:     t.c(m.Path("tokens")), Threads: int32(threads), Provider: t.c("cpu"),
		}}
	s := &Spotter{l: l, phrases: phrases, handle: l.createSpotter(c)}
	if s.handle == 0 {
		return nil, fmt.Errorf("load model %s: %w", m.Name, errModel)
	}
	return s, nil
}

// Close unloads the model. No Watch may be open.
func (s *Spotter) Close() { s.l.destroySpotter(s.handle) }

// Watch is a stream of sound in which a Spotter waits for its phrases. Its owner closes it.
type Watch struct {
	s       *Spotter
	handle  uintptr
	samples []float32 // scratch
}

// Open begins a stream.
func (s *Spotter) Open() (*Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Watch{s: s, handle: s.l.spotterStream(s.handle)}
	if w.handle == 0 {
		return nil, errors.New("wait for phrases: the library has no stream")
	}
	return w, nil
}

// Write takes samples at 16 kHz, and gives the phrases that have ended in them, or shortly before.
func (w *Watch) Write(samples []int16) (heard []string) {
	if len(samples) == 0 {
		return nil
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	l := w.s.l
	w.samples = appendFloats(w.samples[:0], samples)
	l.onlineAccept(w.handle, 16000, &w.samples[0], int32(len(samples)))
	for l.spotterReady(w.s.handle, w.handle) != 0 {
		l.spotterDecode(w.s.handle, w.handle)
		r := l.spotterResult(w.s.handle, w.handle)
		if r == nil {
			continue
		}
		name := str(r.Text)
		l.spotterResultFree(r)
		if name == "" {
			continue
		}
		l.spotterReset(w.s.handle, w.handle)
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(w.s.phrases) {
			heard = append(heard, w.s.phrases[i].Text)
		}
	}
	return heard
}

// Close ends the stream.
func (w *Watch) Close() {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.l.onlineDestroy(w.handle)
}
