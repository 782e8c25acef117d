package engines

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/secrets"
	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/llm/stt"
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

// room is a recogniser that counts.
type room struct {
	opened, frames int
	heard          string
	err            error
}

func (r *room) Open(context.Context) (stt.Stream, error) { r.opened++; return &roomStream{r: r}, nil }

type roomStream struct{ r *room }

func (s *roomStream) Write(*audio.Frame) error { s.r.frames++; return nil }
func (s *roomStream) Close() error             { return nil }
func (s *roomStream) Finish(context.Context) (llm.Transcript, error) {
	return llm.Transcript{Text: s.r.heard}, s.r.err
}

func TestUtteranceOfARecogniserWhoseModelIsGoneIsHeardHere(t *testing.T) {
	there, here := &room{err: &gone.Error{Model: "write-9"}}, &room{heard: "set a timer"}
	s := newRemote(there, func() (stt.Engine, error) { return here, nil })
	c := config.Default()
	c.STT.Engine = "openai"
	e := made(&c)
	told := func() string {
		for _, c := range e.opt.Conditions.List() {
			if c.Code == "recogniser" && c.Severity == health.Error {
				return c.Text
			}
		}
		return ""
	}
	for range 2 {
		stream, err := s.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if err := stream.Write(&audio.Frame{}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := stream.Finish(t.Context())
		if err != nil || got.Text != "set a timer" {
			t.Errorf("%+v, %v", got, err)
		}
		e.Hearing(s).Heard(err)
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
	if there.opened != 1 || here.opened != 2 || here.frames != 100 {
		t.Errorf("there %+v, here %+v: a service without its model is asked once", there, here)
	}
	if got := told(); !strings.Contains(got, "write-9") {
		t.Errorf("the condition says %q", got)
	}
	s.noted(nil)
	there.err, there.heard = nil, "why"
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := stream.Finish(t.Context())
	e.Hearing(s).Heard(err)
	if err != nil || got.Text != "why" || told() != "" {
		t.Errorf("%+v, %v, %q", got, err, told())
	}
}

func TestOtherFaultsOfARecogniserAreNotHiddenByTheBuiltInOne(t *testing.T) {
	here := &room{heard: "no"}
	s := newRemote(&room{err: errors.New("busy")}, func() (stt.Engine, error) { return here, nil })
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Finish(t.Context()); err == nil || here.opened != 0 {
		t.Errorf("%v, %+v", err, here)
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
