package ollama

import (
	"errors"
	"log/slog"
	"testing"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

func thinking(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Options{URL: url, Model: model, NumCtx: 2048, Think: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAModelThatCannotThinkIsNotAskedTo begins with a probe, and then without one.
func TestAModelThatCannotThinkIsNotAskedTo(t *testing.T) {
	o := llmtest.NewOllama(t, model, nil)
	c := thinking(t, o.URL)
	if err := c.Ready(t.Context()); !errors.Is(err, llm.ErrNoThinking) {
		t.Errorf("the probe says %v", err)
	}
	if text, _, _, err := collect(t.Context(), c, question); err != nil || text != "Ready." {
		t.Errorf("%q (%v)", text, err)
	}
	c = thinking(t, o.URL)
	if _, _, _, err := collect(t.Context(), c, question); !errors.Is(err, llm.ErrNoThinking) {
		t.Errorf("the first request ends with %v", err)
	}
	if text, _, _, err := collect(t.Context(), c, question); err != nil || text != "Ready." {
		t.Errorf("the next one: %q (%v)", text, err)
	}
}
