package stt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/speechapi"
)

// maxAnswer bounds the answer of a transcription server, in bytes: JSON may
// escape each byte of a transcript with six, and carries some figures.
const maxAnswer = 8*maxTranscript + 4096

// OpenAIOptions says which server transcribes.
type OpenAIOptions struct {
	BaseURL  string // up to and with /v1
	Key      string // bearer token, empty for none
	Model    string // as the server names it
	Language string // ISO 639-1, empty: the server detects it
	// Words are phrases that are likelier than others, for the prompt; nil: there are none.
	Words func() []string
}

// OpenAI is the engine for servers with OpenAI's transcription endpoint. The
// utterance is uploaded as a WAV file when it is complete.
type OpenAI struct {
	client  *openai.Client
	options OpenAIOptions
	timeout time.Duration // for the transcript
}

// NewOpenAI checks the options. It does not connect.
func NewOpenAI(o OpenAIOptions) (*OpenAI, error) {
	if o.Model == "" {
		return nil, errors.New("speech to text: no model")
	}
	config, err := speechapi.Config(speechapi.Options{
		BaseURL: o.BaseURL, Key: o.Key, DialTimeout: dialLimit, MaxBody: maxAnswer,
	})
	if err != nil {
		return nil, fmt.Errorf("speech to text: %w", err)
	}
	config.HTTPClient = textAsJSON{config.HTTPClient}
	return &OpenAI{client: openai.NewClientWithConfig(config), options: o, timeout: thinkLimit}, nil
}

// Open begins to collect an utterance.
func (e *OpenAI) Open(ctx context.Context) (Stream, error) {
	return newRecording(ctx, e.timeout, e.recognise), nil
}

func (e *OpenAI) recognise(ctx context.Context, samples []int16) (llm.Transcript, error) {
	var wav bytes.Buffer
	if err := audio.EncodeWAV(&wav, audio.Chunk{Rate: audio.Rate, Samples: samples}); err != nil {
		return llm.Transcript{}, err
	}
	answer, err := e.client.CreateTranscription(ctx, openai.AudioRequest{
		Model:    e.options.Model,
		FilePath: "utterance.wav",
		Reader:   &wav,
		Prompt:   e.prompt(),
		Language: e.options.Language,
		Format:   openai.AudioResponseFormatJSON,
	})
	if err != nil {
		return llm.Transcript{}, speechapi.Error(ctx, err, e.options.Model, e.options.Key)
	}
	return transcript(answer.Text)
}

// maxPrompt bounds the prompt, in bytes: Whisper reads the last 224 tokens of it.
const maxPrompt = 600

// prompt has the words that the server is to expect, as many as it reads.
func (e *OpenAI) prompt() string {
	if e.options.Words == nil {
		return ""
	}
	var b strings.Builder
	for _, w := range e.options.Words() {
		if b.Len()+len(w) > maxPrompt {
			break
		}
		b.WriteString(w + ", ")
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// textAsJSON wraps the answer of a server that sends plain text although JSON
// was asked for, as some do.
type textAsJSON struct{ next openai.HTTPDoer }

func (t textAsJSON) Do(req *http.Request) (*http.Response, error) {
	resp, err := t.next.Do(req)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		return resp, err
	}
	b, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		if b, err = json.Marshal(map[string]string{"text": string(b)}); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}
