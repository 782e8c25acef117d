package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/rigs/llmtest"
)

func TestHouseMayChooseThatTheServiceHearsTheEndOfARequest(t *testing.T) {
	for _, kind := range []string{"semantic_vad", "server_vad"} {
		cloud := llmtest.NewRealtime(t,
			func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{Text: "Yes."} })
		cloud.Detects()
		p := newParlour(t, cloud, llmtest.NewOllama(t, "small", nil), func(c *config.Config) {
			c.Listen.Detector, c.Wake.Engine, c.Responder.Detection = "none", "button", kind
			if problems := c.Validate(); len(problems) > 0 {
				t.Fatal(problems)
			}
		})
		p.until("session", func() bool {
			p.d.assistant.responder.Own().Prepare() // it does not wait for the client to begin
			return len(p.sent("session.update")) > 0
		})
		input := p.sent("session.update")[0]["session"].(map[string]any)["audio"].(map[string]any)["input"].(map[string]any)
		want := map[string]any{"type": kind, "create_response": false, "interrupt_response": false}
		if diff := cmp.Diff(want, input["turn_detection"]); diff != "" {
			t.Error(diff)
		}
		for _, c := range p.d.conditions.List() {
			if c.Code == "detector" {
				t.Errorf("what was chosen is told as a fault: %+v", c)
			}
		}
	}
}

func TestPhraseAndHearingARecordingWantADetector(t *testing.T) {
	c := config.Default()
	c.Listen.Detector = "none"
	if problems := c.Validate(); len(problems) != 1 || problems[0].Key != "wake.engine" {
		t.Errorf("%v", problems)
	}
	if _, err := ears.NewFrontEnd(ears.FrontEndOptions{Setup: engines.Ears(&c, t.TempDir())}); err == nil {
		t.Errorf("%v", err)
	}
}
