package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"
)

// FuzzAnswer takes the events of a stream as go-openai hands them over, one on each
// line. The stream itself is that library's to read.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(strings.Join([]string{said("Eight minutes."), stopped, usage}, "\n")))
	f.Add([]byte(
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a\""}}]}}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":63},{"index":-1}]},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"choices":[],"usage":{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var a answer
		for line := range bytes.Lines(b) {
			var p openai.ChatCompletionStreamResponse
			if json.Unmarshal(line, &p) != nil {
				continue
			}
			if _, err := a.take(p); err != nil {
				break
			}
		}
		if u := a.usage; u.PromptTokens < 0 || u.OutputTokens < 0 || u.Evaluated < 0 || u.Evaluated > u.PromptTokens {
			t.Errorf("usage %+v", u)
		}
		ids := make(map[string]bool)
		for _, c := range a.calls {
			ids[c.ID] = true
		}
		if len(ids) != len(a.calls) || len(a.calls) > maxCalls || ids[""] {
			t.Errorf("calls %+v", a.calls)
		}
	})
}
