package openai

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzAnswer reads what a server may send. Whatever it is, a turn ends with its usage
// or with an error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("data: " + said("Eight minutes.") + "\n\ndata: " + stopped + "\n\ndata: " + usage + "\n\ndata: [DONE]\n\n"))
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a\""}}]}}]}` + "\n\n"))
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":63},{"index":-1}]},"finish_reason":"stop"}]}` + "\n\n"))
	f.Add([]byte("data: {\"error\":{\"message\":\"no\"}}\n\n: beat\n\nevent: x\n"))
	f.Add([]byte(`data: {"choices":[],"usage":{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}}` + "\n\ndata: " + stopped + "\n\n"))
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if _, err := w.Write(body); err != nil {
			f.Log(err)
		}
	}))
	f.Cleanup(s.Close)
	c, err := New(Options{BaseURL: s.URL, Model: model})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		_, calls, u, err := collect(t.Context(), c, question)
		if (err == nil) != (u != nil) {
			t.Errorf("usage %v with error %v", u, err)
		}
		if u != nil && (u.PromptTokens < 0 || u.OutputTokens < 0 || u.Evaluated < 0 || u.Evaluated > u.PromptTokens) {
			t.Errorf("usage %+v", u)
		}
		for i, call := range calls {
			if call.ID == "" || len(call.Arguments) > maxArguments || i >= maxCalls {
				t.Errorf("call %d: %+v", i, call)
			}
		}
	})
}
