package ollama

import (
	"testing"

	"hearthd/rigs/llmtest"
)

// TestModelThatFallsSilentAfterACutIsLoadedAnew cuts an answer, waits in vain for the
// next one, and sees that the one after it unloads the model first; a silence without a
// cut is only a slow model.
func TestModelThatFallsSilentAfterACutIsLoadedAnew(t *testing.T) {
	for name, cuts := range map[string]bool{"cut": true, "not cut": false} {
		t.Run(name, func(t *testing.T) {
			answers := [][]llmtest.OllamaChunk{{llmtest.OllamaText("Once")}, {llmtest.OllamaStall()},
				llmtest.OllamaSay("Yes.")}
			if cuts {
				answers[0] = append(answers[0], llmtest.OllamaStall())
			} else {
				answers[0] = llmtest.OllamaSay("Once")
			}
			onCable(t, func(t *testing.T, o *llmtest.Ollama, c *Client) {
				for range c.Chat(t.Context(), question) {
					if cuts {
						break
					}
				}
				if err := warm(t.Context(), c); err != nil { // which answers however many places are lost
					t.Fatal(err)
				}
				if _, _, _, err := collect(t.Context(), c, question); err == nil {
					t.Fatal("the silence is no error")
				}
				if text, _, _, err := collect(t.Context(), c, question); err != nil || text != "Yes." {
					t.Fatalf("%q (%v)", text, err)
				}
				var unloads int
				for _, r := range o.Requests() {
					if len(r.Messages) == 0 && string(r.KeepAlive) == `"0s"` {
						unloads++
					}
				}
				if unloads == 1 != cuts {
					t.Errorf("the model is unloaded %d times", unloads)
				}
			}, answers...)
		})
	}
}
