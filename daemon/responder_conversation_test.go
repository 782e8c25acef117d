package daemon

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/config"
	"hearthd/llm/thinker"
	"hearthd/rigs/llmtest"
)

func TestConversationOfTheCloudGoesOnAtHomeAndIsSummedUp(t *testing.T) {
	t.Parallel() // the summary waits for 20 s of silence
	const aunt, nice, bread, summary, each = "My aunt is called Rosa.", "Nice.", "It is good.", "The aunt is Rosa.", 5
	prompts, mistakes := thinker.LoadPrompts(t.TempDir())
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var mu sync.Mutex
	var merged []string
	cloud := llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: nice, Heard: aunt}
	})
	ollama := llmtest.NewOllama(t, "small", func(r llmtest.OllamaRequest) []llmtest.OllamaChunk {
		switch r.Messages[0].Content {
		case prompts.Summary:
			mu.Lock()
			defer mu.Unlock()
			merged = append(merged, r.Messages[1].Content)
			return llmtest.OllamaSay(summary)
		case prompts.Reflect:
			return llmtest.OllamaSay(`{"notes":[],"topics":[]}`)
		}
		return llmtest.OllamaSay(bread)
	})
	p := newParlour(t, cloud, ollama, func(c *config.Config) {
		c.Memory.Reflect, c.Memory.ReflectAfter = true,
			time.Second
	})
	for range each {
		p.asks()
		if doc, _ := p.turn(); doc.Route != "cloud" || doc.Transcript != aunt || doc.Answer != nice {
			t.Fatalf("%+v", doc)
		}
	}
	cloud.Refuse(http.StatusServiceUnavailable)
	cloud.Drop()
	for range each {
		p.asks()
		if doc, _ := p.turn(); doc.Route != "local" || doc.Transcript != parlourHeard || doc.Answer != bread {
			t.Fatalf("%+v", doc)
		}
	}
	told := 0
	for _, m := range ollama.Requests()[0].Messages {
		if m.Role == "user" && strings.Contains(m.Content, aunt) || m.Role == "assistant" && m.Content == nice {
			told++
		}
	}
	if told != 2*each {
		t.Errorf("at home %d messages of the conversation before are known: %+v", told, ollama.Requests()[0].Messages)
	}
	p.until("summary", func() bool {
		text, err := p.d.recall.Summary(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return text == summary
	})
	mu.Lock()
	defer mu.Unlock()
	if len(merged) != 1 || strings.Count(merged[0], aunt) != each || strings.Count(merged[0], parlourHeard) != each {
		t.Errorf("summed up: %q", merged)
	}
	if p := p.d.assistant.responder.Own().Persona(t.Context()); !strings.Contains(p.Instructions, summary) || !strings.Contains(p.Instructions, "\n\nToday is ") ||
		len(p.History) != 4*each {
		t.Errorf("the next session is told %q and %d messages", p.Instructions, len(p.History))
	}
}

func TestResponderThatConversesNudgesBesideTheConversation(t *testing.T) {
	t.Parallel() // it nudges after 15 s of silence
	const answer, nudge, silence = "Rain.", "Anything else?", 15 * time.Second
	p := newParlour(t, llmtest.NewRealtime(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.Aside {
			return llmtest.RealtimeAnswer{Text: nudge}
		}
		return llmtest.RealtimeAnswer{Text: answer, Heard: "What comes?"}
	}), llmtest.NewOllama(t, "small", nil), func(c *config.Config) { c.Responder.Converse = true })
	p.asks()
	doc, _ := p.turn()
	p.remembered(doc)
	said, _ := p.turn()
	if took := said.Time.Sub(doc.Time); said.Source != "announcement" || said.Answer != nudge || took < silence {
		t.Errorf("after %v: %+v", took, said)
	}
	if whole, once := p.heard(answer + nudge); !whole || !once {
		t.Errorf("%d samples were heard: whole %t, once %t", p.sounded.Load(), whole, once)
	}
	if n := len(p.d.assistant.thinker.History()); n != 2 {
		t.Errorf("the conversation of the house has %d messages", n)
	}
	asked, items := p.sent("response.create"), p.sent("conversation.item.create")
	if len(asked) != 2 || asked[1]["response"].(map[string]any)["conversation"] != "none" || len(items) != 0 {
		t.Errorf("asked for %v, with the items %v", asked, items)
	}
}
