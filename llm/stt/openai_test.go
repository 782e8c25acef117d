package stt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"hearthd/audio"
	"hearthd/rigs/llmtest"
)

func newOpenAI(t *testing.T, o OpenAIOptions) *OpenAI {
	t.Helper()
	e, err := NewOpenAI(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOpenAIUploadsTheUtteranceAsWAV(t *testing.T) {
	for name, script := range map[string]llmtest.SpeechScript{
		"json":       {Key: "k3y", Transcript: "Stop the timer."},
		"plain text": {Key: "k3y", Transcript: "Stop the timer.", PlainText: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewSpeech(t, script)
			e := newOpenAI(t, OpenAIOptions{BaseURL: server.URL, Key: "k3y", Model: "test", Language: "en",
				Words: func() []string { return []string{"Anneliese", "pantry lamp", strings.Repeat("long", 200)} }})
			s, said := speak(t, t.Context(), e, 50)
			got, err := s.Finish(t.Context())
			if err != nil || got.Text != "Stop the timer." {
				t.Fatalf("got %+v, %v", got, err)
			}
			r := server.Requests()
			if len(r) != 1 || r[0].Language != "en" || r[0].Format != "json" || r[0].Prompt != "Anneliese, pantry lamp" {
				t.Fatalf("requests %+v", r)
			}
			wav, err := audio.NewWAVReader(bytes.NewReader(r[0].File), audio.WAVOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c, err := wav.ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(audio.Chunk{Rate: audio.Rate, Samples: said}, c); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOpenAIErrorsNameTheCauseAndHoldNoSecret(t *testing.T) {
	for name, tc := range map[string]struct {
		script  llmtest.SpeechScript
		options OpenAIOptions
		want    string
	}{
		"wrong key": {llmtest.SpeechScript{Key: "right"}, OpenAIOptions{Key: "s3cret"}, "refuses the key (status 401)"},
		"no key":    {llmtest.SpeechScript{Key: "right"}, OpenAIOptions{}, "refuses the key (status 401)"},
		"unknown model": {llmtest.SpeechScript{}, OpenAIOptions{Model: "large"},
			"model server does not have the model large"},
		"broken": {llmtest.SpeechScript{Fault: llmtest.SpeechBroken, Transcript: "buy milk"},
			OpenAIOptions{Key: "s3cret"}, "status 500"},
		"moves":   {llmtest.SpeechScript{Fault: llmtest.SpeechMoves}, OpenAIOptions{}, "redirects"},
		"silent":  {llmtest.SpeechScript{Fault: llmtest.SpeechSilent}, OpenAIOptions{}, "no transcript in time"},
		"stalls":  {llmtest.SpeechScript{Fault: llmtest.SpeechStalls}, OpenAIOptions{}, "no transcript in time"},
		"closes":  {llmtest.SpeechScript{Fault: llmtest.SpeechCloses}, OpenAIOptions{}, "EOF"},
		"endless": {llmtest.SpeechScript{Fault: llmtest.SpeechEndless}, OpenAIOptions{}, "too large"},
		"long":    {llmtest.SpeechScript{Transcript: strings.Repeat("a", 5000)}, OpenAIOptions{}, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewSpeech(t, tc.script)
			tc.options.BaseURL = server.URL
			if tc.options.Model == "" {
				tc.options.Model = "test"
			}
			e := newOpenAI(t, tc.options)
			e.timeout = patience(tc.want)
			s, _ := speak(t, t.Context(), e, 1)
			got, err := s.Finish(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %+v, %v, want an error with %q", got, err, tc.want)
			}
			for _, secret := range []string{"s3cret", "milk"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q is in %v", secret, err)
				}
			}
		})
	}
}

func TestRecordingIsBoundedAndEndsWithItsContext(t *testing.T) {
	server := llmtest.NewSpeech(t, llmtest.SpeechScript{Fault: llmtest.SpeechSilent})
	e := newOpenAI(t, OpenAIOptions{BaseURL: server.URL, Model: "test"})

	s, _ := speak(t, t.Context(), e, maxSamples/audio.FrameSamples)
	if err := s.Write(&audio.Frame{}); !errors.Is(err, errTooLong) {
		t.Errorf("write beyond the limit: %v", err)
	}
	if _, err := s.Finish(t.Context()); !errors.Is(err, errTooLong) {
		t.Errorf("finish beyond the limit: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	s, _ = speak(t, ctx, e, 1)
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := s.Finish(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("utterance ended: %v", err)
	}
	if _, err := s.Finish(t.Context()); !errors.Is(err, errFinished) {
		t.Errorf("finished twice: %v", err)
	}

	s, _ = speak(t, t.Context(), e, 1)
	s.Close()
	s.Close()
	if _, err := s.Finish(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestNewOpenAIRefusesBadOptions(t *testing.T) {
	for _, o := range []OpenAIOptions{
		{BaseURL: "http://x/v1"}, {Model: "m"}, {Model: "m", BaseURL: "x:8000"}, {Model: "m", BaseURL: "ftp://x/"},
	} {
		if _, err := NewOpenAI(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// answers is a server that answers every request with the same bytes.
type answers []byte

func (a answers) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(a))}, nil
}

func FuzzTranscriptionAnswer(f *testing.F) {
	f.Add([]byte(`{"text":"stop the timer"}`))
	f.Add([]byte("stop the timer\n"))
	f.Add([]byte(`{"text":7}`))
	f.Add([]byte(`{"task":"transcribe","duration":1e999,"words":[{"start":"x"}],"text":"\ud800"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		config := openai.DefaultConfig("")
		config.HTTPClient = textAsJSON{answers(body)}
		e := OpenAI{client: openai.NewClientWithConfig(config)}
		got, err := e.recognise(t.Context(), nil)
		switch {
		case err != nil:
		case len(got.Text) > maxTranscript, !utf8.ValidString(got.Text), strings.ContainsAny(got.Text, "\n\r\t"):
			t.Errorf("transcript %q", got.Text)
		}
	})
}
