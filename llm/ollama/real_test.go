package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest/gguf"
	"hearthd/rigs/llmtest/real"
)

// realClient is a client of a real Ollama, with the model HEARTHD_TEST_MODEL, which can
// call tools, or else a scripted one. unknown: with a model that is not there.
func realClient(t *testing.T, unknown bool) *Client {
	t.Helper()
	// Not TempDir: the server goes on writing until the last cleanup.
	dir, err := os.MkdirTemp("", "hearthd-ollama-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := real.Find(t.Context(), dir)
	if errors.Is(err, real.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	name := os.Getenv("HEARTHD_TEST_MODEL")
	switch {
	case unknown:
		name = "hearthd-test-nobody"
	case name == "":
		name = "hearthd-test-client"
		if err := s.Create(t.Context(), name, clientScript(), false); err != nil {
			t.Fatal(err)
		}
		if !s.Own() {
			t.Cleanup(func() {
				if err := s.Delete(context.Background(), name); err != nil {
					t.Error(err)
				}
			})
		}
	}
	c, err := New(Options{URL: s.URL, Model: name, KeepAlive: time.Minute, NumCtx: 4096,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clientScript is what a model says to the questions of these tests.
func clientScript() gguf.Script {
	return gguf.Script{
		Corpus: real.Corpus,
		Slots:  map[string]map[string]string{"city": {"": "Paris", "rome": "Rome"}},
		Lines: []gguf.Line{
			{Name: "hello", Triggers: []string{"", gguf.MarkUser}, Text: "Hello there, what can I do for you?"},
			{Name: "weather", Triggers: []string{"weather"},
				Text: gguf.Call([2]string{"get_weather", `{"city": "{city}"}`})},
			{Name: "result", Triggers: []string{gguf.MarkResult}, Text: "It is warm and sunny there."},
			{Name: "story", Triggers: []string{"story"}, Loop: true, Text: "And then the dragon flew on. "},
		},
	}
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

func TestRealServerIsReadyAndWarms(t *testing.T) {
	c := realClient(t, false)
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := warm(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, _, usage, err := collect(t.Context(), c, ask("hello"))
	if err != nil || usage.Load != 0 {
		t.Fatalf("after the warm-up: usage %+v, error %v", usage, err)
	}
}

func TestRealServerStreams(t *testing.T) {
	c := realClient(t, false)
	var pieces []string
	var usage *llm.Usage
	for d, err := range c.Chat(t.Context(), ask("hello")) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != "" {
			pieces = append(pieces, d.Text)
		}
		usage = d.Usage
	}
	if len(pieces) < 2 || usage == nil || usage.PromptTokens == 0 || usage.OutputTokens == 0 {
		t.Fatalf("%d pieces, usage %+v", len(pieces), usage)
	}
	t.Logf("%q %+v", pieces, *usage)
}

func TestRealServerCallsAToolAndReadsItsResult(t *testing.T) {
	c := realClient(t, false)
	req := ask("weather in Rome")
	req.Tools = []llm.ToolSpec{{Name: "get_weather", Description: "the weather now", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
	_, calls, _, err := collect(t.Context(), c, req)
	if err != nil || len(calls) != 1 || calls[0].Name != "get_weather" {
		t.Fatalf("calls %+v, error %v", calls, err)
	}
	var args struct{ City string }
	if err := json.Unmarshal(calls[0].Arguments, &args); err != nil || args.City != "Rome" {
		t.Errorf("arguments %s", calls[0].Arguments)
	}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Calls: calls},
		llm.Message{Role: llm.ToolRole, CallID: calls[0].ID, Tool: calls[0].Name,
			Content: "It is 20 degrees and sunny."})
	text, calls, _, err := collect(t.Context(), c, req)
	if err != nil || text == "" || len(calls) != 0 {
		t.Fatalf("text %q, calls %v, error %v", text, calls, err)
	}
	t.Logf("%q", text)
}

func TestRealServerIsFreeAgainAfterCancel(t *testing.T) {
	c := realClient(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range c.Chat(ctx, ask("Tell me a story that never ends.")) {
		if err != nil {
			if n != 3 || !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d deltas: %v", n, err)
			}
			break
		}
		if n++; n == 3 {
			cancel()
		}
	}
	// With one slot in the server this waits until the story is given up.
	if _, _, _, err := collect(t.Context(), c, ask("hello")); err != nil {
		t.Fatal(err)
	}
}

func TestRealServerDoesNotHaveTheModel(t *testing.T) {
	c := realClient(t, true)
	_, _, _, err := collect(t.Context(), c, ask("hello"))
	for what, err := range map[string]error{"chat": err, "warm": warm(t.Context(), c), "ready": c.Ready(t.Context())} {
		if !errors.Is(err, llm.ErrModel) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
