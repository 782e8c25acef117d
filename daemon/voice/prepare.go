package voice

import (
	"context"
	"iter"

	"hearthd/audio"
)

// prepared is a sentence of which the engine has made the first samples.
type prepared struct {
	text string
	next func() (audio.Chunk, error, bool)
	stop func()

	first audio.Chunk
	err   error
	ok    bool
}

// Prepare lets the engine begin with text, so that Say need not wait for it. It
// returns when there are first samples. The next Say says the same text, or Forget is
// called.
func (s *Speech) Prepare(ctx context.Context, text string) {
	if s.rate == 0 {
		return
	}
	p := &prepared{text: text}
	p.next, p.stop = iter.Pull2(s.v.opt.Engine.Speak(ctx, text))
	p.first, p.err, p.ok = p.next()
	s.ready = p
}

// Forget gives up what was prepared and not said.
func (s *Speech) Forget() {
	if s.ready != nil {
		s.ready.stop()
		s.ready = nil
	}
}

// chunks is what e makes of text, which may have begun.
func (s *Speech) chunks(ctx context.Context, e engine, text string) iter.Seq2[audio.Chunk, error] {
	p := s.ready
	if p == nil || p.text != text || e != s.v.opt.Engine {
		return e.Speak(ctx, text)
	}
	s.ready = nil
	return func(yield func(audio.Chunk, error) bool) {
		defer p.stop()
		for chunk, err, ok := p.first, p.err, p.ok; ok; chunk, err, ok = p.next() {
			if !yield(chunk, err) {
				return
			}
		}
	}
}
