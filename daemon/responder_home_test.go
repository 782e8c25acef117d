package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/responder"
	"hearthd/llm"
	"hearthd/rigs/llmtest"
	"hearthd/tools"
)

// What stays at home is not told to the responder afterwards, as text.
func TestWhatStaysAtHomeIsNotTold(t *testing.T) {
	const answer = "Vienna at nine."
	p := newParlour(t, llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "Yes."}
	}), llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return llmtest.OllamaSay(answer) }),
		func(c *config.Config) { c.Route.AtHome = []string{"home", "knowledge"} })
	p.asks()
	doc, _ := p.turn()
	if doc.Route != "local" {
		t.Fatalf("%+v", doc)
	}
	p.asks()
	p.turn()
	for _, e := range p.sent("conversation.item.create") {
		if text := fmt.Sprint(e); strings.Contains(text, answer) || strings.Contains(text, parlourHeard) {
			t.Errorf("the responder was told %v", e["item"])
		}
	}
	house := p.d.assistant
	if h := house.responder.Own().Persona(t.Context()); len(h.History) != 0 ||
		slices.ContainsFunc(h.Tools, func(s llm.ToolSpec) bool { return s.Name == "convert_unit" }) {
		t.Errorf("a new session would be told %v, and of %v", h.History, h.Tools)
	}
	for domain, withheld := range map[string]bool{"knowledge": true, "astronomy": true, "home": false} {
		out := house.exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{ID: "1", Name: responder.ConsultTool,
			Arguments: fmt.Appendf(nil, `{"domain":%q,"query":"the wifi password"}`, domain)}})
		if strings.Contains(out.Result.Text, "keeps that to itself") != withheld {
			t.Errorf("%s answers the responder: %+v", domain, out)
		}
	}
}

// What must stay at home does so without a thinker that could answer it.
func TestWhatStaysAtHomeNeedsNoThinker(t *testing.T) {
	p := newParlour(t, llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "Yes."}
	}), llmtest.NewOllama(t, "small", func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return nil }),
		func(c *config.Config) { c.Thinker.URL, c.Route.AtHome = "", []string{"home", "knowledge"} })
	p.asks()
	if doc, _ := p.turn(); doc.Route == "cloud" {
		t.Errorf("%+v", doc)
	}
}
