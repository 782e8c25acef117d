package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
)

const model = "kitchen"

// server speaks the endpoint as its reference describes it: it refuses another
// model, another path, a missing key and a history in which a call has no result,
// and answers with the events of script.
func server(t *testing.T, key string, script func(w http.ResponseWriter, body map[string]any)) string {
	t.Helper()
	mux := http.NewServeMux()
	refuse := func(w http.ResponseWriter, status int, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, message)
	}
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		switch {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+r.Header.Get("Authorization"))
			return
		case json.NewDecoder(r.Body).Decode(&body) != nil:
			refuse(w, http.StatusBadRequest, "could not parse the body")
			return
		case body["model"] != model:
			refuse(w, http.StatusNotFound, "The model does not exist")
			return
		case owed(body) != "":
			refuse(w, http.StatusBadRequest, owed(body))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		script(w, body)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// owed says which tool call of a history has no result.
func owed(body map[string]any) string {
	open := map[string]bool{}
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		m := m.(map[string]any)
		if id, ok := m["tool_call_id"].(string); ok {
			if !open[id] {
				return "tool message without its call"
			}
			delete(open, id)
			continue
		}
		if len(open) > 0 {
			return "a tool call has no result"
		}
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			open[c.(map[string]any)["id"].(string)] = true
		}
	}
	return ""
}

func events(lines ...string) func(http.ResponseWriter, map[string]any) {
	return func(w http.ResponseWriter, _ map[string]any) {
		for _, l := range lines {
			fmt.Fprintf(w, "data: %s\n\n", l)
			w.(http.Flusher).Flush()
		}
	}
}

const (
	stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage   = `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":90}}}`
	done    = "[DONE]"
)

func said(text string) string {
	b, _ := json.Marshal(text)
	return `{"choices":[{"index":0,"delta":{"content":` + string(b) + `}}]}`
}

func newClient(t *testing.T, url string, set func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: url, Key: "secret-key", Model: model}
	if set != nil {
		set(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func collect(ctx context.Context, c *Client, req llm.Request) (text string, calls []llm.ToolCall, u *llm.Usage,
	err error) {
	for d, e := range c.Chat(ctx, req) {
		switch {
		case e != nil:
			err = e
		case d.Call != nil:
			calls = append(calls, *d.Call)
		case d.Usage != nil:
			u = d.Usage
		default:
			text += d.Text
		}
	}
	return text, calls, u, err
}

var question = llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "How long?"}}}

func TestTextAndUsageArrive(t *testing.T) {
	c := newClient(t, server(t, "secret-key", events(said("Eight"), said(" minutes."), stopped, usage, done)), nil)
	text, calls, u, err := collect(t.Context(), c, question)
	if err != nil || text != "Eight minutes." || len(calls) != 0 {
		t.Errorf("%q %v (%v)", text, calls, err)
	}
	if diff := cmp.Diff(&llm.Usage{PromptTokens: 100, Evaluated: 10, OutputTokens: 7}, u); diff != "" {
		t.Error(diff)
	}
}

func TestCallsAreJoinedFromTheirFragments(t *testing.T) {
	part := func(index int, name, args string) string {
		return fmt.Sprintf(
			`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"same","type":"function","function":{"name":%q,"arguments":%q}}]}}]}`, index, name, args)
	}
	url := server(t, "", events(part(0, "timer", ""), part(0, "", `{"m":`), part(1, "list", `{"x":1}`),
		part(0, "", `8}`),
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, done))
	_, calls, _, err := collect(t.Context(), newClient(t, url, nil), question)
	if err != nil || len(calls) != 2 || calls[0].Name != "timer" || string(calls[0].Arguments) != `{"m":8}` ||
		calls[1].Name != "list" || string(calls[1].Arguments) != `{"x":1}` || calls[0].ID == calls[1].ID {
		t.Errorf("%+v (%v)", calls, err)
	}
}

func TestHistoryToolsAndSchemaGoOut(t *testing.T) {
	var got map[string]any
	url := server(t, "", func(w http.ResponseWriter, body map[string]any) {
		got = body
		events(said("{}"), stopped, done)(w, body)
	})
	_, _, _, err := collect(t.Context(), newClient(t, url, nil), llm.Request{
		Messages: []llm.Message{
			{Role: llm.User, Content: "two timers"},
			{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "timer", Arguments: json.RawMessage(`{"m":1}`)},
				{ID: "b", Name: "timer", Arguments: json.RawMessage(`broken`)}}},
			{Role: llm.ToolRole, CallID: "a", Tool: "timer", Content: "Set."},
			{Role: llm.ToolRole, CallID: "b", Tool: "timer", Content: "Bad arguments."},
		},
		Tools: []llm.ToolSpec{{Name: "timer", Description: "sets one",
			Parameters: json.RawMessage(`{"type":"object"}`)}},
		Schema: json.RawMessage(`{"type":"object"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"include_usage":true`, `"tool_call_id":"b"`, `"arguments":"{}"`, `"name":"timer"`,
		`"json_schema"`, `"stream":true`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is missing in %s", want, b)
		}
	}
}

func TestErrorsSayWhatTheServerDid(t *testing.T) {
	status := func(code int, body string) func(http.ResponseWriter, map[string]any) {
		return func(w http.ResponseWriter, _ map[string]any) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	for name, tc := range map[string]struct {
		script func(http.ResponseWriter, map[string]any)
		want   error
	}{
		"cut off":   {events(said("Eight")), llm.ErrBroken},
		"no answer": {events(done), llm.ErrBroken},
		"no JSON":   {events("<html>"), llm.ErrBroken},
		"wild index": {events(`{"choices":[{"delta":{"tool_calls":[{"index":7,"function":{"name":"x"}}]}}]}`),
			llm.ErrBroken},
		"long call": {events(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"` +
			strings.Repeat("y", maxArguments+1) + `"}}]}}]}`), llm.ErrBroken},
		"rate limit": {status(429, `{"error":{"message":"slow down secret-key"}}`), llm.ErrRate},
		"quota": {status(429,
			`{"error":{"message":"You exceeded your current plan.","type":"insufficient_quota","code":"insufficient_quota"}}`), llm.ErrQuota},
		"no money":      {status(402, `{"error":{"message":"pay"}}`), llm.ErrQuota},
		"no right":      {status(403, `{"error":{"message":"not you"}}`), llm.ErrKey},
		"overloaded":    {status(503, "busy"), llm.ErrBusy},
		"broken":        {status(500, "oops"), llm.ErrBroken},
		"bad request":   {status(400, `{"error":{"message":"no tools"}}`), llm.ErrRefused},
		"another thing": {status(404, "page not found"), llm.ErrUnreachable},
	} {
		_, _, _, err := collect(t.Context(), newClient(t, server(t, "", tc.script), nil), question)
		if !errors.Is(err, tc.want) || strings.Contains(fmt.Sprint(err), "secret-key") {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
		var of *llm.ServerError
		if !errors.As(err, &of) || of.Server == "" || !strings.Contains(err.Error(), of.Server) {
			t.Errorf("%s: %v does not name its server", name, err)
		}
	}
	wrong := newClient(t, server(t, "other", events()), nil)
	if _, _, _, err := collect(t.Context(), wrong, question); !errors.Is(err, llm.ErrKey) ||
		strings.Contains(err.Error(), "secret-key") {
		t.Errorf("wrong key: %v", err)
	}
	unknown := newClient(t, server(t, "", events()), func(o *Options) { o.Model = "absent" })
	if _, _, _, err := collect(t.Context(), unknown, question); !errors.Is(err, llm.ErrModel) {
		t.Errorf("unknown model: %v", err)
	}
	s := httptest.NewServer(nil)
	s.Close()
	if _, _, _, err := collect(t.Context(), newClient(t, s.URL+"/v1", nil), question); !errors.Is(err,
		llm.ErrUnreachable) {
		t.Errorf("no server: %v", err)
	}
}

func TestRefusalsAreUnderstoodAsServersWriteThem(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   error
	}{
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: kitchen"}}`, llm.ErrModel},
		{404,
			`{"object":"error","message":"The model kitchen does not exist.","type":"NotFoundError","param":null,"code":404}`, llm.ErrModel},
		{400, `{"object":"error","message":"Invalid model: kitchen","type":"invalid_model","param":null,"code":"1500"}`,
			llm.ErrModel},
		{404,
			`[{"error":{"code":404,"message":"models/kitchen is not found for API version v1main","status":"NOT_FOUND"}}]`, llm.ErrModel},
		{404, `{"error":"model 'kitchen' not found"}`, llm.ErrModel},
		{404, `{"detail":"Model kitchen not found"}`, llm.ErrModel},
		{404, `{"message":"model 'kitchen' not found, make sure the correct model ID was used"}`, llm.ErrModel},
		{429,
			`{"error":{"message":"Rate limit reached for kitchen on tokens per min. You can increase your limit by adding a payment method at https://x.example/account/billing.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRate},
		{429,
			`{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.ErrQuota},
		{400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, llm.ErrQuota},
		{403, `{"code":"permission","error":{"message":"Your team has used all available credits."}}`, llm.ErrQuota},
		{400,
			`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.ErrKey},
		{400, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, llm.ErrKey},
		{502, `<html>bad gateway</html>`, llm.ErrUnreachable},
		{504, ``, llm.ErrUnreachable},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.ErrBusy},
		{408, ``, llm.ErrStalled},
		{402, `{"detail":"Pay"}`, llm.ErrQuota},
		{200, "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n", llm.ErrRate},
		{200, "data: {\"error\":{\"code\":402,\"message\":\"no credits\"}}\n\n", llm.ErrQuota},
		{200, "data: {\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slow down\"}}\n\n", llm.ErrRate},
		{200, "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", llm.ErrBusy},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		_, _, _, err := collect(t.Context(), newClient(t, s.URL+"/v1", nil), question)
		if !errors.Is(err, c.want) {
			t.Errorf("%d %s: %v, want %v", c.status, c.body, err, c.want)
		}
		s.Close()
	}
}

func TestAServerThatStallsIsLeft(t *testing.T) {
	for name, before := range map[string]bool{"before": true, "within": false} {
		url := server(t, "", func(w http.ResponseWriter, body map[string]any) {
			if !before {
				events(said("Eight"))(w, body)
			}
			<-t.Context().Done()
		})
		c := newClient(t, url, func(o *Options) {
			o.FirstTimeout, o.IdleTimeout = 300*time.Millisecond, 100*time.Millisecond
		})
		if _, _, _, err := collect(t.Context(), c, question); !errors.Is(err, llm.ErrStalled) {
			t.Errorf("%s the answer: %v", name, err)
		}
	}
}

func TestCancelClosesTheRequest(t *testing.T) {
	gone := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if _, err := io.Copy(io.Discard, r.Body); err != nil { // or net/http does not look for the client's end
			t.Error(err)
		}
		events(said("Eight"))(w, nil)
		<-r.Context().Done()
		close(gone)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var after error
	for d, err := range newClient(t, s.URL+"/v1", nil).Chat(ctx, question) {
		if d.Text != "" {
			cancel()
		}
		after = err
	}
	if !errors.Is(after, context.Canceled) {
		t.Errorf("error %v", after)
	}
	<-gone
}

func TestNewRefusesBadOptions(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m"}, {Model: "m", BaseURL: "ftp://x"},
		{Model: "m", BaseURL: "http://x/v1", IdleTimeout: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestReadyIsAServerThatAnswersAndTakesTheKey(t *testing.T) {
	for status, want := range map[int]error{200: nil, 404: nil, 429: nil, 500: nil, 401: llm.ErrKey, 403: llm.ErrKey,
		502: llm.ErrUnreachable, 503: llm.ErrBusy, 504: llm.ErrUnreachable} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				t.Errorf("asked for %s", r.URL.Path)
			}
			w.WriteHeader(status)
			fmt.Fprint(w, `{"data":[]}`)
		}))
		c, err := New(Options{BaseURL: s.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Ready(t.Context()); !errors.Is(err, want) {
			t.Errorf("status %d: %v, want %v", status, err, want)
		}
		s.Close()
		if err := c.Ready(t.Context()); !errors.Is(err, llm.ErrUnreachable) {
			t.Errorf("without a server: %v", err)
		}
	}
}
