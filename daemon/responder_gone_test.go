package daemon

import (
	"context"
	"log/slog"
	"os/exec"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
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

func TestResponderWhoseModelIsGoneIsAnsweredAtHomeInTheSameTurn(t *testing.T) {
	for _, how := range []llmtest.RealtimeGone{llmtest.RealtimeGoneStatus, llmtest.RealtimeGoneEvent,
		llmtest.RealtimeGoneClose} {
		cloud := llmtest.NewRealtime(t,
			func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{Text: "Yes."} })
		cloud.Gone(how, "The model `talk-9` does not exist. Use `talk-10`.")
		p := newParlour(t, cloud, llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
			return llmtest.OllamaSay("At home.")
		}), func(c *config.Config) { c.Responder.Model = "talk-9" })
		p.asks()
		if doc, _ := p.turn(); doc.Route != "local" || doc.Outcome != "answered" || doc.Answer != "At home." {
			t.Errorf("%d: %+v", how, doc)
		}
		if got := p.d.told("responder"); !strings.Contains(got, "talk-9") ||
			!strings.Contains(got, "responder.model") ||
			how != llmtest.RealtimeGoneClose && !strings.Contains(got, "talk-10") {
			t.Errorf("%d: the condition says %q", how, got)
		}
		if got := p.d.conditions.List(); len(got) < 2 || !strings.Contains(got[0].Text+got[1].Text,
			"What talk-9 costs is not known") {
			t.Errorf("%d: %+v", how, got)
		}
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
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- supervise.Run(ctx, slog.New(slog.DiscardHandler), p.d.engines.Parts()...) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	stream, err := p.d.assistant.hears.Open(t.Context())
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
