package voice

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"hearthd/audio"
)

// Stream is a part of a Speech whose sound and words come from somewhere else, as they come.
// Its methods are like those of Speech.
type Stream struct {
	s    *Speech
	part int // index in parts; -1: it has no sound and no words yet
	conv *audio.Resampler
	buf  []int16
	loud bool // some sound was queued
	gaps []gap
}

// gap is a piece of the sound that was not played.
type gap struct{ after, length time.Duration }

// Stream starts a stream with a sample rate.
func (s *Speech) Stream(rate int) (*Stream, error) {
	st := &Stream{s: s, part: -1}
	if s.rate != 0 {
		conv, err := audio.NewResampler(rate, s.rate)
		if err != nil {
			return nil, fmt.Errorf("convert speech: %w", err)
		}
		st.conv = conv
	}
	return st, nil
}

// begin makes the part, once. mu is held.
func (st *Stream) begin() {
	s := st.s
	if st.part >= 0 {
		return
	}
	st.part = len(s.parts)
	s.parts = append(s.parts, part{start: s.written, end: s.written})
	if s.asked.IsZero() {
		s.asked = time.Now()
	}
}

// Words adds words to the text.
func (st *Stream) Words(text string) {
	if text == "" {
		return
	}
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.begin()
	st.s.parts[st.part].text += text
}

// Text is the words so far.
func (st *Stream) Text() string {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if st.part < 0 {
		return ""
	}
	return strings.TrimSpace(st.s.parts[st.part].text)
}

// Unsay drops the words of a stream that has no sound.
func (st *Stream) Unsay() {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if st.part >= 0 {
		st.s.parts[st.part].text = ""
	}
}

// Clip drops the words for which no sound has come.
func (st *Stream) Clip() {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	p := &st.s.parts[st.part]
	p.whole = false
	p.text = st.s.until(*p, p.end)
	p.whole = true
}

// Play calls sounding, queues samples, and returns when they have been queued.
func (st *Stream) Play(ctx context.Context, samples []int16, sounding func()) error {
	if st.conv == nil {
		return nil
	}
	st.s.mu.Lock()
	st.begin()
	st.loud = true
	st.s.mu.Unlock()
	st.buf = st.conv.Process(st.buf[:0], samples)
	return unlessOver(st.s.queue(ctx, st.buf, sounding))
}

// End queues the rest.
func (st *Stream) End(ctx context.Context) error {
	if st.conv == nil || !st.Sounded() {
		return nil
	}
	st.buf = st.conv.Flush(st.buf[:0])
	err := st.s.queue(ctx, st.buf, func() {})
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.s.parts[st.part].whole = err == nil && !st.s.cut
	return unlessOver(err)
}

// Sounded reports whether anything was queued.
func (st *Stream) Sounded() bool {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	return st.loud
}

// Skip notes that a piece of some length, which comes after the first after of sound, is not played.
func (st *Stream) Skip(after, length time.Duration) {
	if length == 0 {
		return
	}
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.gaps = append(st.gaps, gap{after, length})
}

// Heard is how much of the sound was heard, including what was skipped before that point. It
// is math.MaxInt64 if all of it was, or if there is no speaker and the words were shown.
func (st *Stream) Heard() time.Duration {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if st.s.rate == 0 || !st.s.cut {
		return math.MaxInt64
	}
	if st.part < 0 {
		return 0
	}
	p := st.s.parts[st.part]
	if p.whole && p.end <= st.s.heard {
		return math.MaxInt64
	}
	end := min(p.end, max(st.s.heard, p.start))
	heard := time.Duration(end-p.start) * time.Second / time.Duration(st.s.rate)
	skipped := time.Duration(0)
	for _, g := range st.gaps {
		if heard > g.after {
			skipped += g.length
		}
	}
	return heard + skipped
}
