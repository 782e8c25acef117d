package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/llmtest/gguf"
	"hearthd/rigs/llmtest/real"
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

// findOllama finds a real Ollama, which ends with the test unless it is somebody's own.
func findOllama(t testing.TB) (*real.Server, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// Not TempDir: the server goes on writing until the last cleanup.
	dir, err := os.MkdirTemp("", "hearthd-ollama-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := real.Find(ctx, dir)
	if err == nil {
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return s, err
}

// realOllama is one with the model of a household, or the test is skipped. Tests run beside each
// other, perhaps on one server.
func realOllama(t *testing.T) (s *real.Server, model string) {
	t.Helper()
	s, err := findOllama(t)
	if errors.Is(err, real.ErrNone) {
		t.Skip(err)
	}
	check(t, err)
	model = "hearthd-" + strings.ToLower(t.Name())
	check(t, s.Create(t.Context(), model, household(), false))
	t.Cleanup(func() { dropModel(t, s, model) })
	return s, model
}

// dropModel takes a model of a test from a server that goes on.
func dropModel(t *testing.T, s *real.Server, model string) {
	if s.Own() {
		return
	}
	if err := s.Delete(context.Background(), model); err != nil {
		t.Error(err)
	}
}

// thinksForReal is a kitchen that thinks with a real Ollama, and has a search.
func thinksForReal(t *testing.T) *kitchen {
	t.Helper()
	s, name := realOllama(t)
	vectors := "hearthd-meanings-" + strings.ToLower(t.Name())
	t.Cleanup(func() { dropModel(t, s, vectors) })
	check(t, s.CreateEmbedder(t.Context(), vectors, append([][]string{{"bakes", "baking", "oven"}, {"rye", "cereal"}, {"saturday", "weekend"}}, synonyms()...)))

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

const kinds = 120

// synonyms are kinds of things with two made-up names each.
func synonyms() [][]string {
	all := make([][]string, kinds)
	for i := range all {
		for _, ending := range []string{"um", "ox"} {
			all[i] = append(all[i], string([]byte{"bdfgklmnprst"[i%12], "aeiou"[i/12%5], "bdfgklmnprst"[i/60], 'a'})+ending)
		}
	}
	return all
}

// TestRealEmbeddingsFindParaphrasedNotes plants notes in the running daemon and asks for
// each in words of which none stands in it. The embedding model is a real one to Ollama;
// what its vectors mean is known by construction.
func TestRealEmbeddingsFindParaphrasedNotes(t *testing.T) {
	k := thinksForReal(t)
	const planted, others = 40, 160
	rnd := rand.New(rand.NewPCG(7, 8))
	names := synonyms()
	say := func(about []int, synonym int) string {
		var words []string
		for _, i := range about {
			words = append(words, names[i][synonym])
		}
		return strings.Join(words, " ")
	}
	var file bytes.Buffer
	var questions, notes []string
	for i := range planted + others {
		about := rnd.Perm(kinds)[:4]
		note := say(about, 0)
		check(t, json.NewEncoder(&file).Encode(map[string]string{"kind": "note", "text": note}))
		if i < planted {
			questions, notes = append(questions, say(about[:3], 1)), append(notes, note)
		}
	}
	path := filepath.Join(k.dir, "notes.jsonl")
	check(t, os.WriteFile(path, file.Bytes(), 0o600))
	k.prints([]string{"memory", "import", path}, "200 entries")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !strings.Contains(k.prints([]string{"memory", "search", "--limit", "10", questions[0]}), notes[0]) {
		select { // the notes are embedded once the room is quiet
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the notes got no vectors")
		}
	}
	found := 0
	for i, q := range questions {
		if strings.Contains(k.prints([]string{"memory", "search", "--limit", "10", q}), notes[i]) {
			found++
		}
	}
	t.Logf("%d of %d planted notes are among the first ten", found, planted)
	if found < planted*95/100 {
		t.Errorf("%d of %d planted notes are among the first ten", found, planted)
	}
	doc := k.ask("Please speak of " + questions[0] + ".")
	if doc.Recalled == 0 {
		t.Errorf("the prompt has no notes: %+v", doc)
	}
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
	if doc := k.ask("Forget everything about rye."); doc.Outcome != "answered" || doc.Answer != "Forgotten." {
		k.t.Errorf("to forget: %+v", doc)
	}
	if out := k.prints([]string{"memory", "export"}); strings.Contains(out, note) {
		k.t.Errorf("forgotten, and exported: %q", out)
	}
	// The next reflection would be due by then.
	for begun := time.Now(); time.Since(begun) < 25*time.Second; <-time.After(time.Second) {
		files, err := filepath.Glob(filepath.Join(k.dir, "state", "hearthd.db*"))
		if err != nil || len(files) == 0 {
			k.t.Fatal("no database: ", err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err == nil && bytes.Contains(bytes.ToLower(b), []byte("rye")) {
				k.t.Fatalf("%s still has the word, %v after it was forgotten", name, time.Since(begun))
			}
		}
	}
}
