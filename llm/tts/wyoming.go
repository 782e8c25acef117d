package tts

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/llm/wyoming"
)

// WyomingOptions says which server speaks.
type WyomingOptions struct {
	Address string // host:port or unix:/path
	Voice   string // name or name/speaker from the server's info, empty: its default
}

// Wyoming is the engine for Wyoming servers, such as wyoming-piper. Each
// sentence has a connection of its own. Since it is one sentence, the plain
// synthesize message is as early as the streaming one.
type Wyoming struct {
	options WyomingOptions
	timeout time.Duration // without speech
}

// NewWyoming checks the options. It does not connect.
func NewWyoming(o WyomingOptions) (*Wyoming, error) {
	if err := wyoming.CheckAddress(o.Address); err != nil {
		return nil, fmt.Errorf("text to speech: %w", err)
	}
	return &Wyoming{o, silenceLimit}, nil
}

// Speak implements Engine.
func (e *Wyoming) Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return speak(ctx, text, e.timeout, e.open)
}

func (e *Wyoming) open(ctx context.Context, text string) (source, error) {
	said := wyoming.Speech{Text: text}
	if e.options.Voice != "" {
		name, speaker, _ := strings.Cut(e.options.Voice, "/")
		said.Voice = &wyoming.Voice{Name: name, Speaker: speaker}
	}
	request, err := wyoming.NewEvent(wyoming.Synthesize, said)
	if err != nil {
		return nil, err
	}
	conn, err := wyoming.Dial(ctx, e.options.Address, dialLimit)
	if err != nil {
		return nil, err
	}
	if err := conn.Send(ctx, request); err != nil {
		_ = conn.Close() // it is broken already
		return nil, err
	}
	return &wyomingSource{conn: conn, text: text}, nil
}

type wyomingSource struct {
	conn *wyoming.Conn
	text string
	pcm  pcm
}

func (s *wyomingSource) read(ctx context.Context) (audio.Chunk, error) {
	e, err := s.conn.Receive(ctx)
	if err != nil {
		return audio.Chunk{}, err
	}
	switch e.Type {
	case wyoming.Error:
		return audio.Chunk{}, e.Err(s.text)
	case wyoming.AudioStop:
		return audio.Chunk{}, s.pcm.end()
	case wyoming.AudioChunk:
		var f wyoming.Format
		if err := e.Decode(&f); err != nil {
			return audio.Chunk{}, err
		}
		if err := f.Check(); err != nil {
			return audio.Chunk{}, err
		}
		return audio.Chunk{Rate: f.Rate, Samples: s.pcm.samples(e.Payload)}, nil
	}
	return audio.Chunk{}, nil // audio-start says nothing that the chunks do not
}

func (s *wyomingSource) close() error {
	// The speech is complete, or not wanted: either way the connection is over.
	_ = s.conn.Close()
	return nil
}
