package daemon

import (
	"context"
	"errors"
	"iter"
	"os/exec"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/llm/stt"
	"hearthd/rigs/llmtest"
)

// told is the text of a condition, or empty.
func (d *Daemon) told(code string) string {
	for _, c := range d.conditions.List() {
		if c.Code == code && c.Severity == health.Error {
			return c.Text
		}
	}
	return ""
}

func TestMissingModelIsNamedWithItsKeyAndSuccessor(t *testing.T) {
	c := config.Default()
	c.Responder.URL, c.STT.Engine, c.TTS.Engine = "https://x", "openai", "openai"
	c.Responder.Model, c.Responder.Transcriber, c.STT.OpenAI.Model, c.TTS.OpenAI.Model = "gpt-realtime", "whisper-1", "whisper-1", "tts-1"
	c.Thinker.Providers = []config.Provider{{Name: "gpu", Model: "small-1"}}
	for _, tc := range []struct {
		err  error
		want []string
	}{
		{&gone.Error{Model: "gpt-realtime"}, []string{"gpt-realtime (it ends on 2027-01-20)", "successor is gpt-realtime-2.1", "responder.model"}},
		{&gone.Error{Model: "gpt-realtime", Successor: "talk-10"}, []string{"successor is talk-10"}},
		{&gone.Error{Model: "whisper-1"}, []string{"successor is gpt-transcribe", "responder.transcriber, stt.openai.model"}},
		{&gone.Error{Model: "tts-1"}, []string{"model tts-1 (it ends on 2027-01-06); set tts.openai.model"}},
		{&gone.Error{Model: "small-1", Successor: "small-2"}, []string{"successor is small-2: set thinker.providers[0].model"}},
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

func TestResponderWhoseModelIsGoneIsAnsweredAtHomeInTheSameTurn(t *testing.T) {
	for _, how := range []llmtest.RealtimeGone{llmtest.RealtimeGoneStatus, llmtest.RealtimeGoneEvent, llmtest.RealtimeGoneClose} {
		cloud := llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{Text: "Yes."} })
		cloud.Gone(how, "The model `talk-9` does not exist. Use `talk-10`.")
		p := newParlour(t, cloud, llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
			return llmtest.OllamaSay("At home.")
		}), func(c *config.Config) { c.Responder.Model = "talk-9" })
		p.asks()
		if doc, _ := p.turn(); doc.Route != "local" || doc.Outcome != "answered" || doc.Answer != "At home." {
			t.Errorf("%d: %+v", how, doc)
		}
		if got := p.d.told("responder"); !strings.Contains(got, "talk-9") || !strings.Contains(got, "responder.model") ||
			how != llmtest.RealtimeGoneClose && !strings.Contains(got, "talk-10") {
			t.Errorf("%d: the condition says %q", how, got)
		}
		if got := p.d.conditions.List(); len(got) < 2 || !strings.Contains(got[0].Text+got[1].Text, "What talk-9 costs is not known") {
			t.Errorf("%d: %+v", how, got)
		}
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
	s := newStandIn(there, func() (stt.Engine, error) { return here, nil })
	d := bare()
	c := config.Default()
	c.STT.Engine = "openai"
	d.cfg = &c
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
		d.hearing(s).Heard(err)
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
	if there.opened != 1 || here.opened != 2 || here.frames != 100 {
		t.Errorf("there %+v, here %+v: a service without its model is asked once", there, here)
	}
	if got := d.told("recogniser"); !strings.Contains(got, "write-9") {
		t.Errorf("the condition says %q", got)
	}
	s.noted(nil)
	there.err, there.heard = nil, "why"
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := stream.Finish(t.Context())
	d.hearing(s).Heard(err)
	if err != nil || got.Text != "why" || d.told("recogniser") != "" {
		t.Errorf("%+v, %v, %q", got, err, d.told("recogniser"))
	}
}

func TestOtherFaultsOfARecogniserAreNotHiddenByTheBuiltInOne(t *testing.T) {
	here := &room{heard: "no"}
	s := newStandIn(&room{err: errors.New("busy")}, func() (stt.Engine, error) { return here, nil })
	stream, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Finish(t.Context()); err == nil || here.opened != 0 {
		t.Errorf("%v, %+v", err, here)
	}
}

func TestTranscriptionServerWithoutItsModelIsReplacedByPocketsphinx(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	server := llmtest.NewSpeech(t, llmtest.SpeechScript{})
	p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", nil), func(c *config.Config) {
		c.STT.Engine, c.STT.OpenAI.URL, c.STT.OpenAI.Model, c.Responder.URL = "openai", server.URL, "write-9", ""
	})
	stream, err := p.d.house.hears.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for range 50 {
		if err := stream.Write(&audio.Frame{}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := stream.Finish(t.Context()); err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// voiceless is a chat model that says or fails.
type voiceless struct {
	says string
	err  error
}

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
	s := &supplier{chat: voiceless{err: &gone.Error{Model: "big-9"}}, usual: voiceless{says: "At home."}, told: func(err error) { told = append(told, err) }}
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
	s.chat = voiceless{err: errors.New("busy")}
	for _, err := range s.Chat(t.Context(), llm.Request{}) {
		if err == nil {
			t.Error("another fault is hidden")
		}
	}
	s.chat = voiceless{says: "From there."}
	for d, err := range s.Chat(t.Context(), llm.Request{}) {
		if err != nil || d.Text != "From there." {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if told[len(told)-1] != nil {
		t.Errorf("the condition stays: %v", told)
	}
}
