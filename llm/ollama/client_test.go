package ollama

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

const model = "kitchen"

func client(t testing.TB, url string) *Client {
	t.Helper()
	c, err := New(Options{
		URL: url, Model: model, KeepAlive: 30 * time.Minute, NumCtx: 8192,
		HeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve starts a server that gives every chat request the same answer.
func serve(t testing.TB, answer ...llmtest.OllamaChunk) (*llmtest.Ollama, *Client) {
	t.Helper()
	o := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return answer })
	return o, client(t, o.URL)
}

var question = llm.Request{Messages: []llm.Message{
	{Role: llm.System, Content: "Be brief."},
	{Role: llm.User, Content: "How long do eggs take?"},
}}

// collect ranges to the end.
// warm loads the model, and has it generate nothing.
func warm(ctx context.Context, c *Client) error {
	_, _, _, err := collect(ctx, c, llm.Request{})
	return err
}

func collect(ctx context.Context, c *Client, req llm.Request) (text string, calls []llm.ToolCall, u *llm.Usage,
	err error) {
	for d, e := range c.Chat(ctx, req) {
		if e != nil {
			return text, calls, u, e
		}
		text += d.Text
		if d.Call != nil {
			calls = append(calls, *d.Call)
		}
		if d.Usage != nil {
			u = d.Usage
		}
	}
	return text, calls, u, nil
}

func TestChatStreamsTextAndEndsWithUsage(t *testing.T) {
	_, c := serve(t, llmtest.OllamaThought("hmm"), llmtest.OllamaText("Eight"), llmtest.OllamaText(" minutes."),
		llmtest.OllamaDone(41, 3, 3*time.Second), llmtest.OllamaText(" Or ten."))
	text, _, usage, err := collect(t.Context(), c, question)
	if err != nil || text != "Eight minutes." {
		t.Fatalf("text %q, error %v", text, err)
	}
	if diff := cmp.Diff(&llm.Usage{PromptTokens: 41, Evaluated: 41, OutputTokens: 3, Load: 3 * time.Second},
		usage); diff != "" {
		t.Error(diff)
	}
}

func TestUsageOfAWarmModelHasNoLoad(t *testing.T) {
	_, c := serve(t, llmtest.OllamaText("Yes."), llmtest.OllamaDone(1, 1, 3*time.Millisecond))
	_, _, usage, err := collect(t.Context(), c, question)
	if err != nil || usage == nil || usage.Load != 0 {
		t.Fatalf("usage %+v, error %v", usage, err)
	}
}

func TestRequestSaysEverythingExplicitly(t *testing.T) {
	o, c := serve(t, llmtest.OllamaSay("Done.")...)
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.User, Content: "tea"},
			{Role: llm.Assistant, Calls: []llm.ToolCall{
				{ID: "a", Name: "timer", Arguments: json.RawMessage(`{"minutes":4}`)},
				{ID: "b", Name: "timer", Arguments: json.RawMessage(`{"minutes":`)},
			}},
			{Role: llm.ToolRole, Tool: "timer", CallID: "a", Content: "Set."},
			{Role: llm.ToolRole, Tool: "timer", CallID: "b", Content: "Those are no arguments."},
		},
		Tools: []llm.ToolSpec{
			{Name: "timer", Description: "set a timer", Parameters: json.RawMessage(
				`{"type":"object","properties":{"minutes":{"type":"integer"},"label":{"type":"string","enum":["tea","egg"]}},"required":["minutes"]}`)},
			{Name: "clock"},
		},
	}
	if _, _, _, err := collect(t.Context(), c, req); err != nil {
		t.Fatal(err)
	}
	got := o.Requests()[0]
	if string(got.KeepAlive) != `"30m0s"` || got.Think == nil || *got.Think || got.Stream == nil || !*got.Stream ||
		got.Options["num_ctx"] != 8192.0 {
		t.Errorf("keep_alive %s, think %v, stream %v, options %v", got.KeepAlive, got.Think, got.Stream, got.Options)
	}
	first, second := got.Messages[1].ToolCalls[0], got.Messages[1].ToolCalls[1]
	if first.ID != "a" || string(first.Function.Arguments) != `{"minutes":4}` ||
		string(second.Function.Arguments) != `{}` || second.Function.Index != 1 {
		t.Errorf("calls %+v", got.Messages[1].ToolCalls)
	}
	if m := got.Messages[2]; m.Role != "tool" || m.ToolName != "timer" || m.ToolCallID != "a" || m.Content != "Set." {
		t.Errorf("result %+v", m)
	}
	if p := string(got.Tools[0].Function.Parameters); p !=
		`{"type":"object","required":["minutes"],"properties":{"minutes":{"type":"integer"},"label":{"type":"string","enum":["tea","egg"]}}}` {
		t.Errorf("schema %s", p)
	}
	if p := string(got.Tools[1].Function.Parameters); p != `{"type":"object","properties":{}}` {
		t.Errorf("empty schema %s", p)
	}
}

func TestToolCallsGetIDsOfTheirOwn(t *testing.T) {
	_, c := serve(t, llmtest.OllamaTool(0, "weather", `{"city":"Rome"}`),
		llmtest.OllamaTool(1, "timer", `{"minutes":4}`),
		llmtest.OllamaDone(1, 1, 0))
	_, calls, _, err := collect(t.Context(), c, question)
	if err != nil || len(calls) != 2 {
		t.Fatalf("calls %v, error %v", calls, err)
	}
	if calls[0].ID == "" || calls[0].ID == calls[1].ID || calls[0].Name != "weather" ||
		string(calls[1].Arguments) != `{"minutes":4}` {
		t.Errorf("calls %v", calls)
	}
}

func TestReadyAndWarmAgainstAServerWithTheModel(t *testing.T) {
	o, c := serve(t)
	if err := c.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if err := warm(t.Context(), c); err != nil {
		t.Error(err)
	}
	got := o.Requests()[0]
	if len(got.Messages) != 0 || got.Options["num_ctx"] != 8192.0 || string(got.KeepAlive) != `"30m0s"` {
		t.Errorf("warm-up asked for %+v", got)
	}
}

func TestBadSchemaNamesItsTool(t *testing.T) {
	_, c := serve(t)
	_, _, _, err := collect(t.Context(), c,
		llm.Request{Tools: []llm.ToolSpec{{Name: "oven", Parameters: json.RawMessage(`[]`)}}})
	if err == nil || !strings.Contains(err.Error(), `"oven"`) {
		t.Error(err)
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	good := Options{URL: "http://127.0.0.1:11434", Model: model, NumCtx: 1, Log: slog.New(slog.DiscardHandler)}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Options){
		"no url":       func(o *Options) { o.URL = "" },
		"no scheme":    func(o *Options) { o.URL = "localhost:11434" },
		"bad url":      func(o *Options) { o.URL = "http://[" },
		"no model":     func(o *Options) { o.Model = "" },
		"no context":   func(o *Options) { o.NumCtx = 0 },
		"bad timeout":  func(o *Options) { o.IdleTimeout = -1 },
		"no logger":    func(o *Options) { o.Log = nil },
		"a file's url": func(o *Options) { o.URL = "file:///etc/passwd" },
	} {
		o := good
		spoil(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkChatToFirstDelta(b *testing.B) {
	_, c := serve(b, llmtest.OllamaSay("Yes.")...)
	for b.Loop() {
		for _, err := range c.Chat(b.Context(), question) {
			if err != nil {
				b.Fatal(err)
			}
			break
		}
	}
}
