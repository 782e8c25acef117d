package thinker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// maxMeanings is how many texts are held at a time: a request, the guesses while it was being
	// spoken, and those of a background job.
	maxMeanings = 8
	// meaningLimit bounds one embedding; a model may have to be loaded first.
	meaningLimit   = time.Minute
	meaningWorkers = 2
)

// embedder turns texts into vectors of one length. It returns soon after ctx
// ended.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Meanings returns the vectors of requests. Each text is embedded once, as early as its words are
// guessed. Run embeds; any goroutine may use the rest.
type Meanings struct {
	model embedder
	wait  time.Duration
	queue chan *meaning

	mu     sync.Mutex
	recent []*meaning // the newest last
}

// meaning is the vector of one text.
type meaning struct {
	text   string
	known  chan struct{} // closed when the vector is there, or will never be
	vector []float32     // nil: the model failed
	until  time.Time     // when the first request for it gives up; zero: nobody has asked yet
}

// NewMeanings embeds with model. A request waits at most wait for its vector, over
// all that ask for it.
func NewMeanings(model embedder, wait time.Duration) (*Meanings, error) {
	if model == nil || wait < 0 {
		return nil, errors.New("new meanings: needs an embedding model, and no negative wait")
	}
	return &Meanings{model: model, wait: wait, queue: make(chan *meaning, maxMeanings)}, nil
}

// Run embeds until ctx ends. It returns nil.
func (m *Meanings) Run(ctx context.Context) error {
	var working sync.WaitGroup
	for range meaningWorkers {
		working.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case p := <-m.queue:
					m.find(ctx, p)
				}
			}
		})
	}
	working.Wait()
	return nil
}

func (m *Meanings) find(ctx context.Context, p *meaning) {
	ctx, cancel := context.WithTimeout(ctx, meaningLimit)
	defer cancel()
	defer close(p.known)
	vs, err := m.model.Embed(ctx, []string{p.text})
	if err == nil && len(vs) == 1 {
		p.vector = vs[0]
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recent = slices.DeleteFunc(m.recent, func(r *meaning) bool { return r == p }) // the next request tries again
}

// Expect begins to embed a text that may be asked for next, and never blocks.
func (m *Meanings) Expect(text string) { m.about(text) }

// about returns the meaning of text, which is embedded from now on if it is new. It is nil where
// too many wait already.
func (m *Meanings) about(text string) *meaning {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.recent, func(p *meaning) bool { return p.text == text }); i >= 0 {
		return m.recent[i]
	}
	p := &meaning{text: text, known: make(chan struct{})}
	select {
	case m.queue <- p:
	default:
		return nil
	}
	m.recent = append(m.recent[max(0, len(m.recent)-maxMeanings+1):], p)
	return p
}

// Of returns the vector of a request, or nil when it is not known in time.
func (m *Meanings) Of(ctx context.Context, text string) []float32 {
	p := m.about(text)
	if p == nil {
		return nil
	}
	m.mu.Lock()
	if p.until.IsZero() {
		p.until = time.Now().Add(m.wait)
	}
	late := time.NewTimer(time.Until(p.until))
	m.mu.Unlock()
	defer late.Stop()
	select {
	case <-p.known:
	case <-late.C:
	case <-ctx.Done():
	}
	select {
	case <-p.known:
		return p.vector
	default:
		return nil
	}
}

// Embed asks the model directly, for texts that are no requests.
func (m *Meanings) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return m.model.Embed(ctx, texts)
}

// Forget drops the texts that are held.
func (m *Meanings) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recent = nil
}
