package esphome

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/queue"
	"hearthd/llm"
)

// Events of a pipeline (VoiceAssistantEvent in api.proto).
const (
	pipelineFailed = 0
	begun          = 1
	pipelineEnded  = 2
	heardIt        = 4
	didIt          = 6
	saysIt         = 7
	soundsAt       = 8
)

const (
	// thinks bounds the time without an event of a pipeline: a model that thinks sends none.
	thinks = 30 * time.Second
	// maxEvents bounds the events that wait, of about a dozen that a pipeline sends.
	maxEvents = 64
	// maxWords bounds the words of a pipeline, in bytes.
	maxWords = 64 << 10
	// AnswerRate is that of an answer, in samples per second, and piece how many of them are handed on at once.
	AnswerRate = 24000
	piece      = AnswerRate / 10
	// cooldown is above the time within which Home Assistant takes a wake word for one that another satellite has heard
	// already (WAKE_WORD_COOLDOWN of its assist_pipeline, 2 s), and taken its code for that.
	cooldown = 2200 * time.Millisecond
	taken    = "duplicate_wake_up_detected"
)

var (
	errSlow       = errors.New("the pipeline does not answer")
	errFull       = errors.New("the pipeline sends too much")
	errSuperseded = errors.New("another request goes to Home Assistant")
	errNotBegun   = errors.New("no pipeline is begun")
	errCut        = errors.New("the pipeline was cut")
)

// Run is a pipeline of Home Assistant that hears what a person says, and answers it. Write and Commit are called by one
// goroutine.
type Run struct {
	s      *Server
	c      *session
	events chan happened
	gone   chan struct{} // closed when there will be no more events

	// mu of the server guards these.
	err   error // why
	begun bool  // by Home Assistant; what comes before is about another one
	ended bool  // too
	asks  bool  // the answer is a question
	words int   // of its events, in bytes
}

// happened is an event of a pipeline, with its data.
type happened struct {
	kind uint64
	data map[string]string
}

// Wanted reports whether a Home Assistant would run a pipeline.
func (s *Server) Wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.voice != nil
}

// Begin has Home Assistant begin a pipeline, which a wake word may choose. Whoever gets it cuts it. Events that come
// before the answer to the ping are of the pipeline before. Somebody who speaks again at once after a word is not taken
// for another satellite: what they say waits here for that long.
func (s *Server) Begin(ctx context.Context, word string) (*Run, error) {
	select {
	case <-time.After(s.cools(word)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.voice == nil {
		return nil, errGone
	}
	if s.run != nil {
		s.run.fail(errSuperseded)
	}
	s.run = &Run{s: s, c: s.voice, events: make(chan happened, maxEvents), gone: make(chan struct{})}
	s.voice.pings++
	s.voice.queued(pingRequest, nil)
	var m message
	m.flag(1, true)
	if slices.Contains(s.opt.Words, word) {
		s.word, s.wordAt = word, time.Now()
		m.text(5, word)
	}
	s.voice.queued(voiceRequest, m)
	return s.run, nil
}

// cools says for how long a word would be taken for one that was heard before.
func (s *Server) cools(word string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if word != s.word {
		return 0
	}
	return cooldown - time.Since(s.wordAt)
}

// fail ends r here. mu is held.
func (r *Run) fail(err error) {
	if r.err == nil {
		r.err = err
		close(r.gone)
	}
}

// take takes a message about r. mu is held.
func (r *Run) take(kind uint64, f fields) {
	if kind == voiceResponse {
		if f.flag(2) {
			r.fail(errNotBegun)
		}
		return
	}
	e := happened{f.numbers[1], map[string]string{}}
	for _, b := range f.bytes[2] {
		if pair, err := parse(b); err == nil {
			e.data[pair.text(1)] = pair.text(2)
		}
	}
	if r.begun = r.begun || e.kind == begun; !r.begun && e.kind != pipelineFailed {
		return
	}
	r.asks = r.asks || e.kind == didIt && e.data["continue_conversation"] == "1"
	r.ended = r.ended || e.kind == pipelineEnded || e.kind == pipelineFailed
	if r.words += len(e.data["text"]); r.words > maxWords || !queue.Offer(r.events, e) {
		r.fail(errFull)
	}
}

// Write sends speech, mono at Rate.
func (r *Run) Write(speech []int16) error {
	data := make([]byte, 0, 2*len(speech))
	for _, v := range speech {
		data = binary.LittleEndian.AppendUint16(data, uint16(v))
	}
	var m message
	m.text(1, string(data))
	return r.send(m)
}

// Commit says that the person has ended.
func (r *Run) Commit() error {
	var m message
	m.flag(2, true)
	return r.send(m)
}

func (r *Run) send(m message) error {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.err == nil && !r.ended {
		r.c.queued(voiceAudio, m)
	}
	return r.err
}

// Speech is nil: when the person ends is decided here.
func (r *Run) Speech() (begun, ended <-chan struct{}) { return nil, nil }

// Result does nothing: a pipeline calls no tools here.
func (r *Run) Result(string, string) {}

// Answer yields what Home Assistant has heard, the words of its answer, and its sound, mono at AnswerRate. An answer
// without a sound is its words alone, and a pipeline may end without either. Once it has begun it may be silent for as
// long as it thinks.
func (r *Run) Answer(ctx context.Context, begin, _ time.Duration) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for limit := begin; ; limit = thinks {
			e, err := r.next(ctx, limit)
			if err != nil {
				yield(llm.Delta{}, err)
				return
			}
			switch e.kind {
			case heardIt:
				if !yield(llm.Delta{Heard: strings.TrimSpace(e.data["text"])}, nil) {
					return
				}
			case saysIt:
				if !yield(llm.Delta{Text: e.data["text"]}, nil) {
					return
				}
			case soundsAt: // the last that is of interest
				r.sounds(ctx, e.data["url"], yield)
				return
			case pipelineFailed:
				if e.data["code"] == taken {
					yield(llm.Delta{}, llm.ErrElsewhere)
					return
				}
				yield(llm.Delta{}, fmt.Errorf("pipeline of Home Assistant: %.60q", e.data["code"]))
				return
			case pipelineEnded:
				return
			}
		}
	}
}

// next waits for an event that does not wait already.
func (r *Run) next(ctx context.Context, most time.Duration) (happened, error) {
	select {
	case e := <-r.events:
		return e, nil
	default:
	}
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case e := <-r.events:
		return e, nil
	case <-r.gone:
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		return happened{}, r.err
	case <-limit.C:
		return happened{}, errSlow
	case <-ctx.Done():
		return happened{}, ctx.Err()
	}
}

// sounds yields what is at an address. What cannot be fetched is said by another voice.
func (r *Run) sounds(ctx context.Context, url string, yield func(llm.Delta, error) bool) {
	in, err := r.s.open(ctx, url, AnswerRate)
	if err != nil {
		r.c.log.Warn("answer of Home Assistant not fetched", "error", err)
		return
	}
	defer in.Close()
	for data := make([]byte, 2*piece); err == nil; {
		var n int
		n, err = io.ReadFull(in, data)
		if n > 1 && !yield(llm.Delta{Audio: samples(data[:n])}, nil) {
			return
		}
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF { // it broke off
		yield(llm.Delta{}, err)
	}
}

// Cut ends the pipeline, or tells Home Assistant that its answer has been heard, as much of it as heard says;
// math.MaxInt64 is all, and if that was a question, what is said next is listened to. Any goroutine may call it, and at
// any time.
func (r *Run) Cut(heard time.Duration) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.s.run != r {
		return
	}
	r.s.run = nil
	if r.err != nil {
		return
	}
	if !r.ended {
		r.c.queued(voiceRequest, nil)
	}
	var m message
	m.flag(1, true)
	r.c.queued(voiceAnnounced, m)
	if r.asks && heard == math.MaxInt64 {
		r.c.wants(r.s.opt.Box.Converse)
	}
	r.fail(errCut)
}
