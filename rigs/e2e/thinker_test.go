package e2e

import (
	"os"
	"strings"
	"testing"

	"hearthd/rigs/llmtest"
)

const model = "test:1b"

// minds makes hearthd think with an Ollama.
func minds(address string) []string {
	return []string{"HEARTHD_THINKER_URL=http://" + address, "HEARTHD_THINKER_MODEL=" + model}
}

// lastUser is what the person said last in a request.
func lastUser(r llmtest.OllamaRequest) string {
	text := ""
	for _, m := range r.Messages {
		if m.Role == "user" {
			text = m.Content
		}
	}
	return text
}

// scripted answers by what was asked, and by whether a tool has answered.
func scripted(r llmtest.OllamaRequest) []llmtest.OllamaChunk {
	last := r.Messages[len(r.Messages)-1]
	switch {
	case last.Role == "tool":
		return llmtest.OllamaSay("I wake you ", "in time.")
	case strings.Contains(lastUser(r), "dough"):
		return append([]llmtest.OllamaChunk{llmtest.OllamaTool(0, "timer_set", `{"duration_s":3000,"label":"dough"}`)}, llmtest.OllamaDone(20, 5, 0))
	case strings.Contains(lastUser(r), "story"):
		var all []string
		for range 20 {
			all = append(all, "Once upon a time there was a baker who lived beside a river. ")
		}
		return llmtest.OllamaSay(all...)
	}
	return llmtest.OllamaSay("Bread is ", "flour, water ", "and time. ", "Some add salt.")
}

func TestThinkerAnswersActsAndIsMissedOnlyForItsOwnRequests(t *testing.T) {
	ollama := llmtest.NewOllama(t, model, scripted)
	address := strings.TrimPrefix(ollama.URL, "http://")
	wire := newTap(t, address)
	k := newKitchen(t)
	k.begin(minds(wire.Address)...)

	from := k.played()
	doc := k.ask("What is bread?")
	if doc.Outcome != "answered" || doc.Route != "local" || doc.Answer != "Bread is flour, water and time. Some add salt." {
		t.Errorf("a question: %+v", doc)
	}
	k.audible(from)
	doc = k.ask("Could the dough timer run for as long as a proof of fifty minutes takes?")
	if doc.Outcome != "answered" || doc.Answer != "I wake you in time." || len(doc.Tools) != 1 || doc.Tools[0] != (ToolUse{"timer_set", "ok"}) {
		t.Errorf("a request for a tool: %+v", doc)
	}
	if got := k.status().Timers; len(got) != 1 || got[0].Label != "dough" {
		t.Errorf("timers %+v", got)
	}

	wire.turn("")
	from = k.played()
	doc = k.ask("What is butter?")
	if doc.Outcome != "failed" || !strings.Contains(doc.Answer, "thinker is not reachable") {
		t.Errorf("with Ollama gone: %+v", doc)
	}
	k.audible(from)
	k.condition("thinker", true)
	k.tellsTime()

	wire.turn(address)
	if doc := k.ask("What is bread?"); doc.Outcome != "answered" || doc.Route != "local" {
		t.Errorf("with Ollama back: %+v", doc)
	}
	k.condition("thinker", false)
}

func TestPersonMayInterruptAnAnswer(t *testing.T) {
	ollama := llmtest.NewOllama(t, model, scripted)
	k := newKitchen(t)
	k.begin(append(minds(strings.TrimPrefix(ollama.URL, "http://")), "HEARTHD_AUDIO_AEC=device")...)
	k.askAside("Tell me a story.")
	k.moves("speaking")
	k.tellsTimeOver()
	doc := k.ask("What is bread?")
	if doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	// The model is told what was heard of the story, be it one word, and no more.
	requests := ollama.Requests()
	heard := ""
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "assistant" && strings.Contains(m.Content, "Once") {
			heard += m.Content
		}
	}
	if heard == "" || strings.Count(heard, "Once") > 4 {
		t.Errorf("the model believes that this was heard: %q", heard)
	}
}

// tellsTimeOver asks for the time into an answer.
func (k *kitchen) tellsTimeOver() {
	k.t.Helper()
	k.say("Hey hearth, what time is it?")
	cut := k.event("barge-in", func(h happening) bool { return h.Type == "barge_in" })
	if cut.PlayedMS <= 0 {
		k.t.Errorf("%s", cut.raw)
	}
	if doc := k.turn("text"); doc.Outcome != "interrupted" || !strings.HasPrefix(doc.Answer, "Once upon") {
		k.t.Errorf("the turn that was cut: %+v", doc)
	}
	if doc := k.turn("voice"); doc.Outcome != "answered" || doc.Intent != "time_now" || doc.WokenBy != "barge_in" {
		k.t.Errorf("the turn that cut: %+v", doc)
	}
}

// TestRealOllamaAnswers asks the model HEARTHD_TEST_MODEL of the server OLLAMA_HOST, or
// else a scripted one.
func TestRealOllamaAnswers(t *testing.T) {
	host, name := os.Getenv("OLLAMA_HOST"), os.Getenv("HEARTHD_TEST_MODEL")
	var k *kitchen
	if host == "" || name == "" {
		k = thinksForReal(t)
	} else {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		k = newKitchen(t)
		k.begin("HEARTHD_THINKER_URL="+host, "HEARTHD_THINKER_MODEL="+name)
	}
	from := k.played()
	doc := k.ask("Hello, please tell me something about bread.")
	if doc.Outcome != "answered" || doc.Route != "local" || doc.Answer == "" {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	t.Logf("%+v", doc)
}
