package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

// reads looks into the documents of the house and answers from what they say.
func reads(r llmtest.OllamaRequest) []llmtest.OllamaChunk {
	if r.Messages[len(r.Messages)-1].Role == "tool" {
		return llmtest.OllamaSay("Vinegar ", "does it.")
	}
	return append([]llmtest.OllamaChunk{llmtest.OllamaTool(0, "knowledge_search", `{"query":"lime"}`)}, llmtest.OllamaDone(20, 5, 0))
}

// TestSourcesAndKeptAnswersAreShownAndTold asks the same twice, and then where the
// answer is from.
func TestSourcesAndKeptAnswersAreShownAndTold(t *testing.T) {
	k := newKitchen(t)
	broker := newMosquitto(t, k.dir)
	documents := filepath.Join(k.dir, "state", "knowledge")
	check(t, os.MkdirAll(documents, 0o700))
	file := filepath.Join(documents, "coffee machine.md")
	check(t, os.WriteFile(file, []byte("Remove lime with vinegar once a month."), 0o600))
	old := time.Now().Add(-time.Hour) // a file that is still being written is not read
	check(t, os.Chtimes(file, old, old))
	ollama := llmtest.NewOllama(t, model, reads)
	k.begin(append(broker.environ(), minds(strings.TrimPrefix(ollama.URL, "http://"))...)...)
	k.until("the tool of the documents", func() bool {
		_, out, _ := k.ctl(t, "tools", "list")
		return strings.Contains(out, "knowledge_search")
	})
	house := broker.subscribe()
	house.await("", "hearth/demo/availability online") // retained, unless it comes just now
	b := openBrowser(t)
	b.open(k, "")

	const question, source = "Who removes lime from a coffee machine best?", `"sources":[{"title":"coffee machine.md"}]`
	for _, cached := range []bool{false, true} {
		if doc := k.ask(question); doc.Outcome != "answered" || doc.Answer != "Vinegar does it." || len(doc.Tools) == 1 == cached {
			t.Errorf("cached %v: %+v", cached, doc)
		}
	}
	if n := len(ollama.Requests()); n != 2 { // with the call, and with its result
		t.Errorf("the model was asked %d times", n)
	}
	if first := house.await("0 hearth/demo/turn", source); strings.Contains(first, `"cached"`) {
		t.Errorf("the first answer: %s", first)
	}
	house.await("0 hearth/demo/turn", source, `"cached":true`)
	b.until("what both answers rest on", `[...document.querySelectorAll(".turn .cites")].filter((e) => e.checkVisibility() && e.textContent === "coffee machine.md").length === 2`)
	b.until("which was kept", `[...document.querySelectorAll(".turn")].map((e) => e.textContent.includes("from the cache")).join() === "false,true"`)
	get[string](b, `location.hash = "turns"`)
	b.until("both turns", `document.querySelectorAll(".turn-list details").length === 2`)
	get[bool](b, `document.querySelectorAll(".turn-list details")[0].open = true`)
	b.until("the sources of a turn", `document.querySelector(".turn-list details[open]").textContent.includes("coffee machine.md")`)
	b.content(k)

	from := k.played()
	if doc := k.ask("Where did you get that?"); doc.Intent != "sources_tell" || doc.Answer != "From coffee machine." {
		t.Errorf("asked for the source: %+v", doc)
	}
	k.audible(from)
}
