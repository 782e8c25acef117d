package voice

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/cue"
)

// Speech is the sound of one answer. The goroutines of the turn call Say, Cue and Drain, one
// after the other; Voice.Cut makes them return.
type Speech struct {
	v     *Voice
	track *audio.Track
	gen   audio.Gen
	rate  int           // of the mixer; 0: there is no speaker, and the answer is only text
	begun chan struct{} // closed when awaitFirst has returned
	watch bool          // awaitFirst was started
	ready *prepared     // or nil

	mu      sync.Mutex
	parts   []part
	written int64 // samples at rate
	heard   int64 // of them, once cut
	cut     bool
	asked   time.Time // when the engine got the first sentence
	made    time.Time // when its first samples came
	played  time.Time // when the speaker played the first of them
}

// part is a sentence and its place in the samples of the speech.
type part struct {
	text       string
	start, end int64
	whole      bool // all of it is before end; false: the engine is not done, or was cut
}

// wordTime is the length of a word while the length of its sentence is not yet known: flite
// speaks 165 words a minute.
const wordTime = 365 * time.Millisecond

// Say speaks text and returns when all of it has been queued. It calls sounding before the
// first samples of text are queued. The error is that of the engine; that the speech was cut,
// or has no speaker, is no error.
func (s *Speech) Say(ctx context.Context, text string, sounding func()) error {
	s.mu.Lock()
	s.parts = append(s.parts, part{text: text, start: s.written, end: s.written})
	if s.asked.IsZero() {
		s.asked = time.Now()
	}
	s.mu.Unlock()
	if s.rate == 0 {
		return nil
	}
	sounding = sync.OnceFunc(sounding)
	n, err := s.speak(ctx, s.v.opt.Engine, text, sounding)
	defer func() { s.said(err == nil) }()
	if ctx.Err() != nil || over(err) {
		return nil
	}
	s.v.opt.Speaking(err)
	if err != nil && n == 0 && s.v.opt.Fallback != nil {
		s.v.opt.Log.WarnContext(ctx, "speak sentence, the built-in voice takes over", "component", "tts", "error", err)
		_, err = s.speak(ctx, s.v.opt.Fallback, text, sounding)
		if ctx.Err() != nil || over(err) {
			return nil
		}
	}
	return err
}

// said notes whether all of the last sentence was queued.
func (s *Speech) said(whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[len(s.parts)-1].whole = whole
}

// over reports whether err only says that the speech has ended.
func over(err error) bool {
	return errors.Is(err, audio.ErrStale) || errors.Is(err, audio.ErrNoDevice)
}

func unlessOver(err error) error {
	if over(err) {
		return nil
	}
	return err
}

// speak queues text as e speaks it, and returns the number of samples.
func (s *Speech) speak(ctx context.Context, e engine, text string, sounding func()) (n int, err error) {
	var conv *audio.Resampler
	var buf []int16
	from := 0
	for chunk, err := range s.chunks(ctx, e, text) {
		if err != nil {
			return n, err
		}
		if conv == nil || chunk.Rate != from {
			if conv, err = audio.NewResampler(chunk.Rate, s.rate); err != nil {
				return n, fmt.Errorf("convert speech: %w", err)
			}
			from = chunk.Rate
		}
		buf = conv.Process(buf[:0], chunk.Samples)
		if err := s.queue(ctx, buf, sounding); err != nil {
			return n, err
		}
		n += len(buf)
	}
	if conv == nil {
		return n, nil
	}
	return n, s.queue(ctx, conv.Flush(buf[:0]), sounding)
}

// Cue puts an earcon before what is said next.
func (s *Speech) Cue(ctx context.Context, k cue.Cue) error {
	return unlessOver(s.queue(ctx, s.v.samples(k, s.rate), func() {}))
}

// queue calls sounding, and then passes samples to the track. It notes which samples belong to
// which sentence, so that a cut finds the place in the text.
func (s *Speech) queue(ctx context.Context, p []int16, sounding func()) error {
	if len(p) == 0 {
		return nil
	}
	s.mu.Lock()
	first := s.made.IsZero() && len(s.parts) > 0
	start := s.written
	if first {
		s.made = time.Now()
	}
	s.written += int64(len(p))
	if n := len(s.parts); n > 0 {
		s.parts[n-1].end = s.written
	}
	s.mu.Unlock()
	sounding()
	s.v.Wake()
	if err := s.track.WriteAll(ctx, s.gen, p); err != nil {
		return err
	}
	s.v.Wake() // a device that takes silence faster than it lasts may rest again already
	if first {
		s.watch = true
		go s.awaitFirst(ctx, start+1)
	}
	return nil
}

// awaitFirst notes when the first sample of the voice, the n-th of the speech, is heard. Drain
// waits for it.
func (s *Speech) awaitFirst(ctx context.Context, n int64) {
	defer close(s.begun)
	if err := s.track.Reached(ctx, s.gen, n); err != nil {
		return // cut before it was heard
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played = time.Now()
}

// Drain waits until everything was heard.
func (s *Speech) Drain(ctx context.Context) error {
	var err error
	if s.rate != 0 {
		err = s.track.Drain(ctx, s.gen)
	}
	if s.watch {
		<-s.begun
	}
	return unlessOver(err)
}

// First returns when the engine got the first sentence, when its first samples came, and when
// the speaker played them. A zero time: that did not happen.
func (s *Speech) First() (asked, made, played time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.made, s.played
}

// Written reports whether there is no speaker, so that the answer is only text.
func (s *Speech) Written() bool { return s.rate == 0 }

// Text is everything that was said.
func (s *Speech) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, p := range s.parts {
		if text := strings.TrimSpace(p.text); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

func (s *Speech) cutAt(heard int64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.cut = heard, true
	if s.rate == 0 {
		return 0
	}
	return time.Duration(heard) * time.Second / time.Duration(s.rate)
}

// Heard ends the speech and returns the words that were heard: whole sentences, and of the one
// that was cut as many words as there was time for.
func (s *Speech) Heard() string {
	s.v.cutSpeech(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, p := range s.parts {
		switch {
		case p.end == p.start: // the engine made no sound for it
		case p.whole && p.end <= s.heard:
			all = append(all, strings.TrimSpace(p.text))
		case p.start < s.heard:
			if text := s.until(p, s.heard); text != "" {
				all = append(all, text+" …")
			}
		}
	}
	return strings.Join(all, " ")
}

// until is as many words of p as there was time for before the sample heard.
func (s *Speech) until(p part, heard int64) string {
	words := strings.Fields(p.text)
	length := p.end - p.start
	if !p.whole {
		length = max(length, int64(len(words))*int64(wordTime)*int64(s.rate)/int64(time.Second))
	}
	n := int64(len(words)) * min(heard-p.start, length) / length
	return strings.Join(words[:n], " ")
}
