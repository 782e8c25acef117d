package voice

import (
	"context"
	"iter"

	"hearthd/audio"
)

// prepared is a sentence for which the engine has made the first samples.
type prepared struct {
	text string
	next func() (audio.Chunk, error, bool)
	stop func()

	first audio.Chunk
	err   error
	ok    bool
}

// Prepare makes the engine begin with text, so that Say need not wait for it. It returns when
// the first samples have come. After it comes a Say of the same text, or Forget.
func (s *Speech) Prepare(ctx context.Context, text string) {
	if s.rate == 0 {
		return
	}
	p := &prepared{text: text}
	p.next, p.stop = iter.Pull2(s.v.ask(ctx, text))
	p.first, p.err, p.ok = p.next()
	s.ready = p
}

// Forget drops what was prepared and not said.
func (s *Speech) Forget() {
	if s.ready != nil {
		s.ready.stop()
		s.ready = nil
	}
}

// chunks is the sound of text, which may have been prepared.
func (s *Speech) chunks(ctx context.Context, e engine, text string) iter.Seq2[audio.Chunk, error] {
	p := s.ready
	switch {
	case e != s.v.opt.Engine:
		return e.Speak(ctx, text)
	case p == nil || p.text != text:
		return s.v.ask(ctx, text)
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
