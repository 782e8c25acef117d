package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/rigs/llmtest"

	"hearthd/llm"
)

func TestEachFailureHasItsSentinel(t *testing.T) {
	for name, tc := range map[string]struct {
		answer []llmtest.OllamaChunk
		want   error
	}{
		"stream without done": {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight")}, errCut},
		"empty stream":        {nil, llm.ErrBroken},
		"connection cut":      {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"), llmtest.OllamaCut()}, errCut},
		"runner died": {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"),
			llmtest.OllamaError("llama runner process has terminated")}, llm.ErrBroken},
		"line that is no JSON": {
			[]llmtest.OllamaChunk{llmtest.OllamaRaw("<html>" + strings.Repeat("x", 5000)), llmtest.OllamaDone(1, 1, 0)},
			llm.ErrBroken},
		"line of a wrong type": {[]llmtest.OllamaChunk{llmtest.OllamaRaw(`{"message":7}`)}, llm.ErrBroken},
		"endless line":         {[]llmtest.OllamaChunk{llmtest.OllamaText("Eight"), llmtest.OllamaEndless()}, llm.ErrBroken},
		"queue full": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(503,
			`{"error":"server busy, please try again."}`)}, llm.ErrBusy},
		"status without body": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(503, "")}, llm.ErrBusy},
		"proxy of none":       {[]llmtest.OllamaChunk{llmtest.OllamaStatus(502, "<html>")}, llm.ErrUnreachable},
		"out of memory": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(500,
			`{"error":"model requires more system memory"}`)}, llm.ErrBroken},
		"no tools": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(400,
			`{"error":"registry.ollama.ai/library/kitchen:latest does not support tools"}`)}, llm.ErrRefused},
		"unauthorized":   {[]llmtest.OllamaChunk{llmtest.OllamaStatus(401, `{"error":"unauthorized"}`)}, llm.ErrKey},
		"another server": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(404, "404 page not found")}, llm.ErrUnreachable},
		"model went away": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(404,
			`{"error":"model \"kitchen\" not found, try pulling it first"}`)}, llm.ErrModel},
		"endless error": {[]llmtest.OllamaChunk{llmtest.OllamaStatus(500, strings.Repeat("no ", 1<<20))},
			llm.ErrBroken},
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
	for what, err := range map[string]error{"chat": err, "warm": warm(t.Context(), c), "ready": c.Ready(t.Context())} {
		if !errors.Is(err, llm.ErrModel) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestNoServerIsErrUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	c := client(t, url)
	if err := c.Ready(t.Context()); !errors.Is(err, llm.ErrUnreachable) {
		t.Error(err)
	}
	if err := warm(t.Context(), c); !errors.Is(err, llm.ErrUnreachable) {
		t.Error(err)
	}
}

func TestServerThatIsNoOllamaIsErrUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	if err := client(t, s.URL).Ready(t.Context()); !errors.Is(err, llm.ErrUnreachable) {
		t.Error(err)
	}
}

// onCable has a server and its client in one bubble of time.
func onCable(t *testing.T, test func(t *testing.T, o *llmtest.Ollama, c *Client), answers ...[]llmtest.OllamaChunk) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cable, n := llmtest.NewCable(), 0
		o := llmtest.NewOllamaOn(t, cable, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk {
			n++
			return answers[n-1]
		})
		c := client(t, o.URL)
		c.http = cable.Client().Transport
		test(t, o, c)
	})
}

func TestStalledServerIsErrStalled(t *testing.T) {
	for name, answer := range map[string][]llmtest.OllamaChunk{
		"before the first line": {llmtest.OllamaStall()},
		"after the first line":  {llmtest.OllamaText("Eight"), llmtest.OllamaStall()},
	} {
		t.Run(name, func(t *testing.T) {
			onCable(t, func(t *testing.T, o *llmtest.Ollama, c *Client) {
				if _, _, _, err := collect(t.Context(), c, question); !errors.Is(err, llm.ErrStalled) {
					t.Fatal(err)
				}
				<-o.Aborts()
			}, answer)
		})
	}
}

func TestSlowConsumerIsNoStall(t *testing.T) {
	onCable(t, func(t *testing.T, _ *llmtest.Ollama, c *Client) {
		for _, err := range c.Chat(t.Context(), question) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * c.opt.IdleTimeout) // the voice speaks meanwhile
		}
	}, llmtest.OllamaSay("One.", "Two."))
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

// BenchmarkCancel says how long the server still works on a request after the caller
// gave up: until its handler sees the connection closed.
func BenchmarkCancel(b *testing.B) {
	o, c := serve(b, llmtest.OllamaText("Once"), llmtest.OllamaStall())
	var took []time.Duration
	for b.Loop() {
		for range 100 {
			begun := cutShort(b, c)
			<-o.Aborts()
			took = append(took, time.Since(begun))
		}
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "median-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}

// cutShort cancels an answer at its first word, and says when.
func cutShort(b *testing.B, c *Client) (at time.Time) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for d := range c.Chat(ctx, question) {
		if d.Text != "" {
			at = time.Now()
			cancel()
		}
	}
	return at
}

func TestCancelWhileWaitingClosesTheRequest(t *testing.T) {
	onCable(t, func(t *testing.T, o *llmtest.Ollama, c *Client) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Second, cancel)
		if _, _, _, err := collect(ctx, c, question); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		<-o.Aborts()
	}, []llmtest.OllamaChunk{llmtest.OllamaText("Once"), llmtest.OllamaStall()})
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
	if _, _, _, err := collect(ctx, c, question); !errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, llm.ErrStalled) {
		t.Error(err)
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
