package stt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/wyoming"
)

// maxPiece bounds one audio-chunk, in bytes: a second, so that a server that
// fell behind gets no message larger than it needs to take.
const maxPiece = 2 * audio.Rate

// WyomingOptions says which server transcribes.
type WyomingOptions struct {
	Address  string // host:port or unix:/path
	Language string // empty: the server's choice
	Model    string // empty: the server's choice
	// Words are phrases that are likelier than others, for engines that can; nil: there are none.
	Words func() []string
}

// Wyoming is the engine for Wyoming servers, such as wyoming-faster-whisper. The
// utterance is sent while the user still speaks, over a connection of its own.
type Wyoming struct {
	options WyomingOptions
	timeout time.Duration // from the end of the utterance to the transcript
}

// NewWyoming checks the options. It does not connect.
func NewWyoming(o WyomingOptions) (*Wyoming, error) {
	if err := wyoming.CheckAddress(o.Address); err != nil {
		return nil, fmt.Errorf("speech to text: %w", err)
	}
	return &Wyoming{o, thinkLimit}, nil
}

// Open connects and announces the utterance. The Stream runs two goroutines,
// which send and receive; they have ended when Close returns.
func (e *Wyoming) Open(ctx context.Context) (Stream, error) {
	hopes := wyoming.Context{SoFar: true}
	if e.options.Words != nil {
		hopes.HotWords = e.options.Words()
	}
	request, err := wyoming.NewEvent(wyoming.Transcribe, wyoming.Request{Name: e.options.Model,
		Language: e.options.Language, Context: &hopes})
	if err != nil {
		return nil, err
	}
	conn, err := wyoming.Dial(ctx, e.options.Address, dialLimit)
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	s := &wyomingStream{
		conn: conn, timeout: e.timeout, giveUp: giveUp,
		more: make(chan struct{}, 1), done: make(chan struct{}), soFar: make(chan string, 1),
	}
	s.running.Go(func() { s.send(ctx, request) })
	s.running.Go(func() { s.receive(ctx) })
	return s, nil
}

// wyomingStream hands the audio from Write to its sender through pending.
type wyomingStream struct {
	conn    *wyoming.Conn
	timeout time.Duration
	giveUp  context.CancelCauseFunc
	running sync.WaitGroup
	more    chan struct{} // pending or complete has changed
	done    chan struct{} // closed when text and err are final
	soFar   chan string   // the words up to the last Peek

	mu       sync.Mutex
	pending  []byte // audio that is not sent yet
	complete bool   // no audio will follow
	peeks    bool   // the server tells the words so far
	asked    int    // how many Peeks it has not answered
	ask      bool   // one is to be sent
	settled  bool   // text and err are final
	text     llm.Transcript
	err      error
}

func (s *wyomingStream) Write(f *audio.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.settled:
		return s.err
	case s.complete:
		return errFinished
	case len(s.pending)+2*len(f) > 2*maxSamples:
		// The sender is stuck with a peer that does not read.
		s.settleLocked(llm.Transcript{}, errors.New("wyoming server does not take the audio"))
		return s.err
	}
	for _, v := range f {
		s.pending = append(s.pending, byte(v), byte(v>>8))
	}
	s.wake()
	return nil
}

func (s *wyomingStream) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *wyomingStream) Finish(ctx context.Context) (llm.Transcript, error) {
	s.mu.Lock()
	s.complete = true
	s.mu.Unlock()
	s.wake()
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, errSilent)
	defer cancel()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.settle(llm.Transcript{}, fmt.Errorf("wait for wyoming server: %w", context.Cause(ctx)))
	}
	return s.text, s.err
}

// peekLimit is how long the words so far are waited for. After that the end of the utterance is found
// without them.
const peekLimit = 2 * time.Second

// Peek asks a server that can for the words so far: hearth-speech.
func (s *wyomingStream) Peek(ctx context.Context, _ func(llm.Transcript)) (llm.Transcript, error) {
	s.mu.Lock()
	able := s.peeks && s.asked == 0 && !s.complete && !s.settled
	if able {
		select {
		case <-s.soFar: // of a Peek that has given up
		default:
		}
		s.ask, s.asked = true, 1
	}
	s.mu.Unlock()
	if !able {
		return llm.Transcript{}, ErrNoPeek
	}
	s.wake()
	ctx, cancel := context.WithTimeout(ctx, peekLimit)
	defer cancel()
	select {
	case text := <-s.soFar:
		return transcript(text)
	case <-s.done: // Finish says what happened
	case <-ctx.Done():
	}
	return llm.Transcript{}, ErrNoPeek
}

// told keeps the words so far for the Peek that waits for them.
func (s *wyomingStream) told(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == 0 {
		return // nobody asked
	}
	s.asked = 0
	s.soFar <- text
}

func (s *wyomingStream) Close() error {
	s.settle(llm.Transcript{}, errClosed)
	s.giveUp(errClosed)
	// What a server says after it was left does not matter.
	_ = s.conn.Close()
	s.running.Wait()
	return nil
}

// settle fixes the outcome, if it is not yet, and ends the connection.
func (s *wyomingStream) settle(t llm.Transcript, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleLocked(t, err)
}

func (s *wyomingStream) settleLocked(t llm.Transcript, err error) {
	if s.settled {
		return
	}
	s.settled, s.text, s.err = true, t, err
	s.giveUp(err)
	close(s.done)
}

// send is the goroutine that writes to the server.
func (s *wyomingStream) send(ctx context.Context, request wyoming.Event) {
	format := wyoming.FrameFormat()
	err := s.conn.Send(ctx, request, format.Event(wyoming.AudioStart, nil))
	var spare []byte
	for err == nil {
		select {
		case <-ctx.Done():
			return // receive settles
		case <-s.more:
		}
		s.mu.Lock()
		taken, complete, ask := s.pending, s.complete, s.ask
		s.pending, s.ask = spare[:0], false
		s.mu.Unlock()
		for rest := taken; len(rest) > 0 && err == nil; {
			n := min(len(rest), maxPiece)
			err = s.conn.Send(ctx, format.Event(wyoming.AudioChunk, rest[:n]))
			rest = rest[n:]
		}
		spare = taken
		if err == nil && ask {
			err = s.conn.Send(ctx, wyoming.Event{Type: wyoming.SoFar})
		}
		if err == nil && complete {
			if err = s.conn.Send(ctx, wyoming.Event{Type: wyoming.AudioStop}); err == nil {
				return
			}
		}
	}
	// A server that closes before the end may have said why: receive reads on.
}

// receive is the goroutine that reads from the server and settles the outcome.
func (s *wyomingStream) receive(ctx context.Context) {
	s.settle(s.transcript(ctx))
}

// transcript reads until there is one.
func (s *wyomingStream) transcript(ctx context.Context) (llm.Transcript, error) {
	var pieces strings.Builder
	for {
		e, err := s.conn.Receive(ctx)
		if err != nil {
			return llm.Transcript{}, err
		}
		switch e.Type {
		case wyoming.Error:
			return llm.Transcript{}, e.Err("")
		case wyoming.TranscriptStart:
			var began wyoming.Began
			if err := e.Decode(&began); err != nil {
				return llm.Transcript{}, err
			}
			s.mu.Lock()
			s.peeks = began.SoFar
			s.mu.Unlock()
		case wyoming.Transcript, wyoming.TranscriptChunk, wyoming.SoFar:
			var data wyoming.Text
			if err := e.Decode(&data); err != nil {
				return llm.Transcript{}, err
			}
			if e.Type == wyoming.Transcript {
				return transcript(data.Text)
			}
			if e.Type == wyoming.SoFar {
				s.told(data.Text)
				continue
			}
			if pieces.Len()+len(data.Text) > maxTranscript {
				return llm.Transcript{}, fmt.Errorf("transcript is longer than %d bytes", maxTranscript)
			}
			pieces.WriteString(data.Text)
		case wyoming.TranscriptStop:
			// The whole transcript should have come before; a server that sent
			// only the pieces has said it all too.
			return transcript(pieces.String())
		}
	}
}
