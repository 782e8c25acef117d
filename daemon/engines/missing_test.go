package engines

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/secrets"
	"hearthd/llm"
	"hearthd/llm/gone"
)

// made are the engines of a configuration.
func made(c *config.Config) *Engines {
	conditions, log := health.New(event.NewBus()), slog.New(slog.DiscardHandler)
	return New(Options{Config: c, Secrets: secrets.New(conditions, log), Conditions: conditions, Log: log})
}

func TestMissingModelIsNamedWithItsKeyAndSuccessor(t *testing.T) {
	c := config.Default()
	c.Responder.URL, c.STT.Engine, c.TTS.Engine = "https://x", "openai", "openai"
	c.Responder.Model, c.Responder.Transcriber, c.STT.OpenAI.Model, c.TTS.OpenAI.Model = "gpt-realtime", "whisper-1",
		"whisper-1", "tts-1"
	c.Thinker.Providers = []config.Provider{{Name: "gpu", Model: "small-1"}}
	for _, tc := range []struct {
		err  error
		want []string
	}{
		{&gone.Error{Model: "gpt-realtime"}, []string{"gpt-realtime (it ends on 2027-01-20)",
			"successor is gpt-realtime-2.1", "responder.model"}},
		{&gone.Error{Model: "gpt-realtime", Successor: "talk-10"}, []string{"successor is talk-10"}},
		{&gone.Error{Model: "whisper-1"}, []string{"successor is gpt-transcribe",
			"responder.transcriber, stt.openai.model"}},
		{&gone.Error{Model: "tts-1"}, []string{"model tts-1 (it ends on 2027-01-06); set tts.openai.model"}},
		{&gone.Error{Model: "small-1", Successor: "small-2"},
			[]string{"successor is small-2: set thinker.providers[0].model"}},
		{&gone.Error{Model: "of-old"}, []string{"does not have the model of-old. "}},
	} {
		got := missingModel(&c, tc.err)
		for _, w := range tc.want {
			if !strings.Contains(got, w) {
				t.Errorf("%v: %q lacks %q", tc.err, got, w)
			}
		}
	}
	c.TTS.OpenAI.Model = ""
	if got := missingModel(&c, &gone.Error{}); !strings.Contains(got, "No model is named; set tts.openai.model.") {
		t.Errorf("%q", got)
	}
	if got := missingModel(&c, errors.New("x")); got != "" {
		t.Errorf("%q", got)
	}
}

// voiceless is a chat model that says or fails.
type voiceless struct {
	says string
	err  error
}

func (voiceless) Ready(context.Context) error { return nil }

func (m voiceless) Chat(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if m.err != nil {
			yield(llm.Delta{}, m.err)
			return
		}
		yield(llm.Delta{Text: m.says}, nil)
	}
}

func TestProviderWithoutItsModelIsAnsweredByTheUsualOne(t *testing.T) {
	var told []error
	ss := newServers(health.New(event.NewBus()))
	s := ss.watch(voiceless{err: &gone.Error{Model: "big-9"}}, "lab/big-9", false)
	s.usual, s.told = ss.watch(voiceless{says: "At home."}, "small", true), func(err error) { told = append(told, err) }
	said := ""
	for d, err := range s.Chat(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		said += d.Text
	}
	if said != "At home." || len(told) != 1 || !errors.Is(told[0], llm.ErrModel) {
		t.Errorf("said %q, told %v", said, told)
	}
	s.chatModel = voiceless{err: errors.New("busy")}
	for _, err := range s.Chat(t.Context(), llm.Request{}) {
		if err == nil {
			t.Error("another fault is hidden")
		}
	}
	s.chatModel = voiceless{says: "From there."}
	for d, err := range s.Chat(t.Context(), llm.Request{}) {
		if err != nil || d.Text != "From there." {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if told[len(told)-1] != nil {
		t.Errorf("the condition stays: %v", told)
	}
}
