package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/llm/llmtest/gguf"
	"hearthd/llm/llmtest/real"
)

// household is what the real Ollama's model says to one household. The words that
// choose a line occur neither in tools nor in their results.
func household() gguf.Script {
	return gguf.Script{
		Context: 16384,
		Corpus:  real.Corpus,
		Slots:   map[string]map[string]string{"seconds": {"": "300", "ten": "600", "eleven": "660"}},
		Lines: []gguf.Line{
			{Name: "unknown", Triggers: []string{"", gguf.MarkUser}, Text: "I have nothing to say to that."},
			{Name: "bread", Triggers: []string{"bread"}, Text: "Bread is flour, water and patience. Some people add salt."},
			{Name: "oven", Triggers: []string{"oven"}, Text: gguf.Call([2]string{"timer_set", `{"duration_s": {seconds}, "label": "roast"}`})},
			{Name: "done", Triggers: []string{gguf.MarkTool}, Text: "Very well, I will tell you in time."},
			{Name: "search", Triggers: []string{"pumps"}, Text: gguf.Call([2]string{"web_search", `{"query": "heat pumps old house"}`})},
			{Name: "again", Triggers: []string{"radiators"}, Text: gguf.Call([2]string{"web_search", `{"query": "flow temperature"}`})},
			{Name: "synthesis", Triggers: []string{"fifty-five"}, Text: "A brine pump suits an old house best. Keep the water below that limit."},
			{Name: "notes", Triggers: []string{"Assistant:"}, Form: true, Text: `{"notes": ["Anna bakes rye every Saturday."]}`},
		},
	}
}

// search is a tool that finds one thing after the other.
const search = `#!/bin/sh
read query
case "$query" in
*flow*) echo "Old houses need fifty-five degrees." ;;
*) echo "Mind the radiators." ;;
esac
`

// thinksForReal is a kitchen that thinks with a real Ollama, and has a search.
func thinksForReal(t *testing.T) *kitchen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Not TempDir: the server goes on writing until the last cleanup.
	dir, err := os.MkdirTemp("", "hearthd-ollama-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := real.Find(ctx, dir)
	if errors.Is(err, real.ErrNone) {
		t.Skip(err)
	}
	check(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	const name, vectors = "hearthd-test-household", "hearthd-test-meanings"
	check(t, s.Create(ctx, name, household(), false))
	if !s.Own() {
		t.Cleanup(func() {
			if err := errors.Join(s.Delete(context.Background(), name), s.Delete(context.Background(), vectors)); err != nil {
				t.Error(err)
			}
		})
	}
	check(t, s.CreateEmbedder(ctx, vectors, [][]string{{"bakes", "baking", "oven"}, {"rye", "cereal"}, {"saturday", "weekend"}}))

	k := newKitchen(t)
	tools := filepath.Join(k.dir, "tools.d")
	check(t, os.Mkdir(tools, 0o700))
	program := filepath.Join(k.dir, "search.sh")
	check(t, os.WriteFile(program, []byte(search), 0o700))
	manifest, err := json.Marshal(map[string]any{
		"name": "web_search", "description": "Searches the web.", "command": []string{program},
		"parameters": map[string]any{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}}, "required": []string{"query"}},
	})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(tools, "search.json"), manifest, 0o600))
	k.begin("HEARTHD_THINKER_URL="+s.URL, "HEARTHD_THINKER_MODEL="+name, "HEARTHD_THINKER_EMBED_MODEL="+vectors, "HEARTHD_MEMORY_REFLECT=true")
	return k
}

// prints runs hearthctl, which must succeed and print all of want.
func (k *kitchen) prints(args []string, want ...string) string {
	k.t.Helper()
	status, out, stderr := k.ctl(k.t.(*testing.T), args...)
	for _, w := range want {
		if status != 0 || !strings.Contains(out, w) {
			k.t.Errorf("hearthctl %q: %d, %q lacks %q (%s)", args, status, out, w, stderr)
		}
	}
	return out
}

func TestRealOllamaThinksActsSearchesAndRemembers(t *testing.T) {
	k := thinksForReal(t)
	k.prints([]string{"thinkers"}, "research:", "web_search", "knowledge:")
	k.prints([]string{"ask", "What", "is", "bread?"}, "Bread is flour, water and patience.")

	doc := k.ask("Turn my attention to the oven when ten minutes are over, with a timer please.")
	if doc.Outcome != "answered" || doc.Route != "local" || doc.Answer != "Very well, I will tell you in time." ||
		len(doc.Tools) != 1 || doc.Tools[0] != (ToolUse{"timer_set", "ok"}) {
		t.Errorf("a request for a tool: %+v", doc)
	}
	if got := k.status().Timers; len(got) != 1 || got[0].Label != "roast" {
		t.Errorf("timers %+v", got)
	}

	doc = k.ask("Please look into heat pumps for me.")
	if doc.Outcome != "answered" || !strings.Contains(doc.Answer, "I will look into that") {
		t.Errorf("a long job: %+v", doc)
	}
	k.event("the announcement of what was found", func(h happening) bool {
		return strings.Contains(string(h.raw), "A brine pump suits an old house best.")
	})

	k.remembers("Anna bakes rye every Saturday.")
}

// remembers waits until a note is kept, and sees that it can be found, exported and
// forgotten.
func (k *kitchen) remembers(note string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	for !strings.Contains(k.prints([]string{"memory", "list"}), note) { // the room has to be quiet for 20 seconds
		if ctx.Err() != nil {
			k.t.Fatalf("nothing is noted: %q", k.prints([]string{"memory", "list"}))
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	k.prints([]string{"memory", "search", "rye"}, note)
	k.prints([]string{"memory", "export"}, note)
	k.prints([]string{"memory", "forget", "rye"}, "")
	if out := k.prints([]string{"memory", "export"}); strings.Contains(out, note) {
		k.t.Errorf("forgotten, and exported: %q", out)
	}
}
