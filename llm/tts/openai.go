package tts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/sashabaranov/go-openai"

	"hearthd/audio"
	"hearthd/llm/gone"
	"hearthd/llm/speechapi"
)

// The formats that a server may be asked for.
const (
	formatPCM = "pcm"
	formatWAV = "wav"
)

// defaultRate is that of OpenAI's pcm, in samples per second.
const defaultRate = 24000

// OpenAIOptions says which server speaks.
type OpenAIOptions struct {
	BaseURL string // up to and with /v1
	Key     string // bearer token, empty for none
	Model   string // as the server names it; empty: there is none, and it cannot speak
	Voice   string // as the server names it
	Format  string // formatPCM, the default, or formatWAV, which states its rate
	Rate    int    // of pcm, in samples per second; zero: 24000
}

// OpenAI is the engine for servers with OpenAI's speech endpoint.
type OpenAI struct {
	client  *openai.Client
	options OpenAIOptions
	timeout time.Duration // without speech
}

// NewOpenAI checks the options. It does not connect.
func NewOpenAI(o OpenAIOptions) (*OpenAI, error) {
	o.Format = cmp.Or(o.Format, formatPCM)
	o.Rate = cmp.Or(o.Rate, defaultRate)
	switch {
	case o.Voice == "":
		return nil, errors.New("text to speech: want a voice")
	case o.Format != formatPCM && o.Format != formatWAV:
		return nil, fmt.Errorf("text to speech: format %q: want pcm or wav", o.Format)
	case o.Rate < audio.MinRate || o.Rate > maxRate:
		return nil, fmt.Errorf("text to speech: rate %d: want %d to %d", o.Rate, audio.MinRate, maxRate)
	}
	config, err := speechapi.Config(speechapi.Options{
		BaseURL: o.BaseURL, Key: o.Key, DialTimeout: dialLimit,
		// Enough for stereo, and for the header of a WAV; speak has a closer limit.
		MaxBody: 4*maxRate*int64(maxSpeech/time.Second) + 1<<20,
	})
	if err != nil {
		return nil, fmt.Errorf("text to speech: %w", err)
	}
	return &OpenAI{client: openai.NewClientWithConfig(config), options: o, timeout: silenceLimit}, nil
}

// Speak implements Engine.
func (e *OpenAI) Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return speak(ctx, text, e.timeout, e.open)
}

func (e *OpenAI) open(ctx context.Context, text string) (source, error) {
	if e.options.Model == "" {
		return nil, fmt.Errorf("ask speech server: %w", &gone.Error{})
	}
	body, err := e.client.CreateSpeech(ctx, openai.CreateSpeechRequest{
		Model:          openai.SpeechModel(e.options.Model),
		Input:          text,
		Voice:          openai.SpeechVoice(e.options.Voice),
		ResponseFormat: openai.SpeechResponseFormat(e.options.Format),
	})
	if err != nil {
		return nil, speechapi.Error(ctx, err, e.options.Model, e.options.Key, text)
	}
	// The error of closing a response that is no longer wanted says nothing.
	stop := func() error { _ = body.Close(); return nil }
	if e.options.Format == formatWAV {
		return &wavSource{r: body, stop: stop}, nil
	}
	return &pcmSource{r: body, rate: e.options.Rate, stop: stop}, nil
}

// pcmSource reads bare samples as they come.
type pcmSource struct {
	r     io.Reader
	rate  int
	stop  func() error
	pcm   pcm
	block [blockBytes]byte
}

func (s *pcmSource) read(context.Context) (audio.Chunk, error) {
	n, err := s.r.Read(s.block[:])
	if n > 0 {
		// A reader that returned samples with an error returns the error again.
		return audio.Chunk{Rate: s.rate, Samples: s.pcm.samples(s.block[:n])}, nil
	}
	if err == io.EOF {
		err = s.pcm.end()
	}
	return audio.Chunk{}, err
}

func (s *pcmSource) close() error { return s.stop() }
