package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/llm/llmtest"
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
func collect(ctx context.Context, c *Client, req llm.Request) (text string, calls []llm.ToolCall, u *llm.Usage, err error) {
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
	if diff := cmp.Diff(&llm.Usage{PromptTokens: 41, OutputTokens: 3, Load: 3 * time.Second}, usage); diff != "" {
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
	if string(got.KeepAlive) != `"30m0s"` || got.Think == nil || *got.Think || got.Stream == nil || !*got.Stream || got.Options["num_ctx"] != 8192.0 {
		t.Errorf("keep_alive %s, think %v, stream %v, options %v", got.KeepAlive, got.Think, got.Stream, got.Options)
	}
	first, second := got.Messages[1].ToolCalls[0], got.Messages[1].ToolCalls[1]
	if first.ID != "a" || string(first.Function.Arguments) != `{"minutes":4}` || string(second.Function.Arguments) != `{}` || second.Function.Index != 1 {
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
	_, c := serve(t, llmtest.OllamaTool(0, "weather", `{"city":"Rome"}`), llmtest.OllamaTool(1, "timer", `{"minutes":4}`),
		llmtest.OllamaDone(1, 1, 0))
	_, calls, _, err := collect(t.Context(), c, question)
	if err != nil || len(calls) != 2 {
		t.Fatalf("calls %v, error %v", calls, err)
	}
	if calls[0].ID == "" || calls[0].ID == calls[1].ID || calls[0].Name != "weather" || string(calls[1].Arguments) != `{"minutes":4}` {
		t.Errorf("calls %v", calls)
	}
}

func TestEachFailureHasItsSentinel(t *testing.T) {
	for name, tc := range map[string]struct {
		answer []llmtest.OllamaChunk
		want   error
	}{
		"stream without done": {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight")}, ErrBroken},
		"empty stream":        {nil, ErrBroken},
		"connection cut":      {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"), llmtest.OllamaCut()}, ErrBroken},
		"runner died":         {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"), llmtest.OllamaError("llama runner process has terminated")}, ErrBroken},
		"line that is no JSON": {
			[]llmtest.OllamaChunk{llmtest.OllamaRaw("<html>" + strings.Repeat("x", 5000)), llmtest.OllamaDone(1, 1, 0)}, ErrBroken},
		"line of a wrong type": {[]llmtest.OllamaChunk{llmtest.OllamaRaw(`{"message":7}`)}, ErrBroken},
		"endless line":         {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"), llmtest.OllamaEndless()}, ErrBroken},
		"queue full":           {[]llmtest.OllamaChunk{llmtest.OllamaStatus(503, `{"error":"server busy, please try again."}`)}, ErrBusy},
		"status without body":  {[]llmtest.OllamaChunk{llmtest.OllamaStatus(503, "")}, ErrBusy},
		"out of memory":        {[]llmtest.OllamaChunk{llmtest.OllamaStatus(500, `{"error":"model requires more system memory"}`)}, ErrBroken},
		"no tools": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(400,
			`{"error":"registry.ollama.ai/library/kitchen:latest does not support tools"}`)}, ErrRefused},
		"unauthorized":    {[]llmtest.OllamaChunk{llmtest.OllamaStatus(401, `{"error":"unauthorized"}`)}, ErrRefused},
		"another server":  {[]llmtest.OllamaChunk{llmtest.OllamaStatus(404, "404 page not found")}, ErrUnreachable},
		"model went away": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(404, `{"error":"model \"kitchen\" not found, try pulling it first"}`)}, ErrModel},
		"endless error":   {[]llmtest.OllamaChunk{llmtest.OllamaStatus(500, strings.Repeat("no ", 1<<20))}, ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := serve(t, tc.answer...)
			_, _, _, err := collect(t.Context(), c, question)
			if !errors.Is(err, tc.want) {
				t.Fatalf("error %v, want %v", err, tc.want)
			}
			if len(err.Error()) > 400 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestUnknownModelIsErrModel(t *testing.T) {
	o := llmtest.NewOllama(t, "another", nil)
	c := client(t, o.URL)
	_, _, _, err := collect(t.Context(), c, question)
	for what, err := range map[string]error{"chat": err, "warm": c.Warm(t.Context()), "ready": c.Ready(t.Context())} {
		if !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestNoServerIsErrUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	c := client(t, url)
	if err := c.Ready(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	if err := c.Warm(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
}

func TestServerThatIsNoOllamaIsErrUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	if err := client(t, s.URL).Ready(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
}

func TestReadyAndWarmAgainstAServerWithTheModel(t *testing.T) {
	o, c := serve(t)
	if err := c.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Warm(t.Context()); err != nil {
		t.Error(err)
	}
	got := o.Requests()[0]
	if len(got.Messages) != 0 || got.Options["num_ctx"] != 8192.0 || string(got.KeepAlive) != `"30m0s"` {
		t.Errorf("warm-up asked for %+v", got)
	}
}

func TestStalledServerIsErrStalled(t *testing.T) {
	for name, answer := range map[string][]llmtest.OllamaChunk{
		"before the first line": {llmtest.OllamaStall()},
		"after the first line":  {llmtest.OllamaText("Eight"), llmtest.OllamaStall()},
	} {
		t.Run(name, func(t *testing.T) {
			o, c := serve(t, answer...)
			c.opt.HeaderTimeout, c.opt.IdleTimeout = 50*time.Millisecond, 50*time.Millisecond
			if _, _, _, err := collect(t.Context(), c, question); !errors.Is(err, ErrStalled) {
				t.Fatal(err)
			}
			<-o.Aborts()
		})
	}
}

func TestSlowConsumerIsNoStall(t *testing.T) {
	_, c := serve(t, llmtest.OllamaSay("One.", "Two.")...)
	c.opt.IdleTimeout = 20 * time.Millisecond
	for _, err := range c.Chat(t.Context(), question) {
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * c.opt.IdleTimeout) // the voice speaks meanwhile
	}
}

func TestCancelClosesTheRequestAndYieldsNothingMore(t *testing.T) {
	o, c := serve(t, llmtest.OllamaText("Once"), llmtest.OllamaText(" upon"), llmtest.OllamaStall())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var texts int
	var last error
	for d, err := range c.Chat(ctx, question) {
		if d.Text != "" {
			texts++
			cancel()
		}
		last = err
	}
	if texts != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d deltas, error %v", texts, last)
	}
	<-o.Aborts()
}

func TestCancelWhileWaitingClosesTheRequest(t *testing.T) {
	o, c := serve(t, llmtest.OllamaText("Once"), llmtest.OllamaStall())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, _, _, err := collect(ctx, c, question); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-o.Aborts()
}

func TestToStopRangingClosesTheRequest(t *testing.T) {
	o, c := serve(t, llmtest.OllamaText("Once"), llmtest.OllamaStall())
	for range c.Chat(t.Context(), question) {
		break
	}
	<-o.Aborts()
}

func TestDeadlineOfTheCallerIsKept(t *testing.T) {
	_, c := serve(t, llmtest.OllamaStall())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, _, _, err := collect(ctx, c, question); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrStalled) {
		t.Error(err)
	}
}

func TestBadSchemaNamesItsTool(t *testing.T) {
	_, c := serve(t)
	_, _, _, err := collect(t.Context(), c, llm.Request{Tools: []llm.ToolSpec{{Name: "oven", Parameters: json.RawMessage(`[]`)}}})
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

// FuzzAnswer feeds the client what a broken or hostile server might send.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"message":{"role":"assistant","content":"hi"},"done":false}` + "\n" + `{"done":true}`))
	f.Add([]byte(`{"message":{"tool_calls":[{"function":{"name":"x","arguments":{"a":[1,{"b":null}]}}}]},"done":true}`))
	f.Add([]byte(`{"error":"no"}`))
	f.Add([]byte(`{"message":{"tool_calls":[{"function":{"name":"x","arguments":"{}"}}]}}`))
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(body); err != nil {
			f.Log(err)
		}
	}))
	f.Cleanup(s.Close)
	c := client(f, s.URL)
	f.Fuzz(func(t *testing.T, b []byte) {
		body = b
		_, calls, usage, err := collect(t.Context(), c, question)
		if (err == nil) != (usage != nil) {
			t.Errorf("usage %v with error %v", usage, err)
		}
		for _, call := range calls {
			if !json.Valid(call.Arguments) {
				t.Errorf("arguments %q", call.Arguments)
			}
		}
	})
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
