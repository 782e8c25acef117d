package real_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/ollama"
)

// chat is what both clients and their wrappers are.
type chat interface {
	Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
}

// sameAnswers are asked of both clients.
func sameAnswers(t *testing.T, c chat) {
	a := must(t, c, ask("Hello, who are you?"))
	if a.text != "Hi there! How can I help you today? Ask me about the weather, or for a countdown." || len(a.texts) < 5 ||
		a.usage.PromptTokens < 10 || a.usage.OutputTokens < 5 || a.usage.Evaluated < 1 || a.usage.Evaluated > a.usage.PromptTokens {
		t.Errorf("text: %+v", a)
	}
	a = must(t, c, ask("Othello has timers."))
	if a.text != "Sorry, I did not understand that." {
		t.Errorf("words inside words: %q", a.text)
	}
	a = must(t, c, ask("umlaut"))
	if a.text != "Grüße aus Köln — naïve café 😀 ok." {
		t.Errorf("beyond ASCII: %q", a.text)
	}
	a = must(t, c, ask("Set a timer for eleven minutes.", weatherTool, timerTool))
	calls(t, a, `timer_set {"label":"tea","minutes":11}`)
	if a.text != "" {
		t.Errorf("a call with the text %q", a.text)
	}
	follow := ask("Set a timer for eleven minutes.", weatherTool, timerTool)
	follow.Messages = append(follow.Messages, llm.Message{Role: llm.Assistant, Calls: a.calls},
		llm.Message{Role: llm.ToolRole, CallID: a.calls[0].ID, Tool: "timer_set", Content: "The timer is set."})
	if a = must(t, c, follow); a.text != "Done. It all worked: your request has been carried out." {
		t.Errorf("after the result: %+v", a)
	}
	a = must(t, c, ask("Everything in Berlin in three minutes.", weatherTool, timerTool))
	calls(t, a, `weather_now {"city":"Berlin","days":2}`, `timer_set {"minutes":3}`)
	if strings.TrimSpace(a.text) != "One moment please." {
		t.Errorf("text before calls: %q", a.text)
	}
	if a = must(t, c, ask("Open the garage.", timerTool)); a.text != "" || len(a.calls) != 0 {
		t.Errorf("a tool that was not offered: %+v", a)
	}
	for _, text := range []string{"User: hi\nAssistant: hello", "Set a timer."} { // the second one chooses a line that is no JSON
		req := ask(text)
		req.Schema = notesSchema
		var form struct{ Notes []string }
		if a = must(t, c, req); json.Unmarshal([]byte(a.text), &form) != nil || len(form.Notes) != 2 {
			t.Errorf("under a schema: %q", a.text)
		}
	}
}

// calls compares the calls of an answer, with keys in order.
func calls(t *testing.T, a answer, want ...string) {
	t.Helper()
	var got []string
	ids := map[string]bool{}
	for _, c := range a.calls {
		var args map[string]any
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			t.Errorf("arguments %s: %v", c.Arguments, err)
		}
		b, err := json.Marshal(args)
		check(t, err)
		got = append(got, c.Name+" "+string(b))
		ids[c.ID] = true
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") || len(ids) != len(want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestOllamaStreamsCallsAndKeepsToSchemas(t *testing.T) {
	sameAnswers(t, client(t, server(t), kitchen, false))
}

func TestThinkingIsNotSaid(t *testing.T) {
	s := server(t)
	for _, think := range []bool{true, false} {
		a := must(t, client(t, s, ponderer, think), ask("ponder this"))
		if a.text != "The answer is four." || think != (a.usage.OutputTokens > 15) {
			t.Errorf("think %v: %+v", think, a)
		}
	}
	req := ask("User: hi\nAssistant: hello")
	req.Schema = notesSchema
	if a := must(t, client(t, s, ponderer, true), req); !json.Valid([]byte(a.text)) {
		t.Errorf("a thinking model under a schema: %q", a.text)
	}
}

func TestCancelEndsTheRequestAtTheServer(t *testing.T) {
	s := own(t)
	cancels(t, client(t, s, kitchen, false), s.Mark, s.Await)
}

// cancels ends an endless answer, and sees that nothing follows and that the server
// gives up.
func cancels(t *testing.T, c chat, mark func() int, await func(context.Context, int, string) error) {
	t.Helper()
	must(t, c, ask("hello"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, last, from := 0, error(nil), 0
	for _, err := range c.Chat(ctx, ask("Tell me a story.")) {
		if last = err; err == nil {
			if n++; n == 5 {
				from = mark()
				cancel()
			}
		}
	}
	if n != 5 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d deltas, then %v", n, last)
	}
	wait, done := context.WithTimeout(t.Context(), limit)
	defer done()
	check(t, await(wait, from, "context for request finished"))
	if a := must(t, c, ask("hello")); a.usage.Load != 0 {
		t.Errorf("after a cancel the model was loaded anew: %+v", a.usage)
	}
}

// TestPlaceThatACancelCostsIsWonBack cancels answers until the server has lost its one
// place for requests, which takes about fifty.
func TestPlaceThatACancelCostsIsWonBack(t *testing.T) {
	s := own(t, "OLLAMA_NUM_PARALLEL=1")
	c, err := ollama.New(ollama.Options{
		URL: s.URL, Model: kitchen, KeepAlive: time.Minute, NumCtx: 8192,
		HeaderTimeout: 5 * time.Second, IdleTimeout: 4 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
	check(t, err)
	must(t, c, ask("hello"))
	for cancels := range 500 {
		n := 0
		for _, err = range c.Chat(t.Context(), ask("Tell me a story.")) {
			if n++; n == 2 {
				break
			}
		}
		if errors.Is(err, llm.ErrStalled) {
			if a := must(t, c, ask("hello")); a.usage.Load == 0 {
				t.Errorf("after %d cancels: %+v", cancels, a)
			}
			return
		}
		check(t, err)
	}
	t.Skip("this Ollama loses no place")
}

func TestRunnerKilledInTheMiddleIsErrBroken(t *testing.T) {
	s := own(t)
	c := client(t, s, kitchen, false)
	n, last := 0, error(nil)
	for _, err := range c.Chat(t.Context(), ask("Tell me a story.")) {
		if last = err; err == nil {
			if n++; n == 5 {
				check(t, s.KillRunners())
			}
		}
	}
	if !errors.Is(last, llm.ErrBroken) {
		t.Errorf("after %d deltas: %v", n, last)
	}
	if a, err := collect(t.Context(), c, ask("hello")); err != nil || a.usage.Load == 0 {
		t.Errorf("the next request, which loads the model anew: %+v (%v)", a.usage, err)
	}
}

func TestFullQueueIsErrBusy(t *testing.T) {
	s := own(t, "OLLAMA_MAX_QUEUE=1", "OLLAMA_NUM_PARALLEL=1", "OLLAMA_MAX_LOADED_MODELS=1")
	c := client(t, s, kitchen, false)
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	// A model that is still loading lets nobody out of the queue.
	busy := make(chan error, 64)
	for range cap(busy) {
		asking.Go(func() {
			_, err := collect(ctx, c, ask("Tell me a story."))
			busy <- err
		})
	}
	if err := <-busy; !errors.Is(err, llm.ErrBusy) {
		t.Error(err)
	}
}

func TestUnknownModelIsErrModel(t *testing.T) {
	c := client(t, server(t), "hearthd-test-nobody", false)
	_, err := collect(t.Context(), c, ask("hello"))
	_, warmErr := collect(t.Context(), c, llm.Request{})
	_, embedErr := c.Embed(t.Context(), []string{"hello"})
	for what, err := range map[string]error{"chat": err, "warm": warmErr, "ready": c.Ready(t.Context()), "embed": embedErr} {
		if !errors.Is(err, llm.ErrModel) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestColdModelIsLoadedOnceAndWarmingTakesTheLoadAway(t *testing.T) {
	s := own(t)
	c := client(t, s, kitchen, false)
	check(t, c.Ready(t.Context()))
	if a := must(t, c, ask("hello")); a.usage.Load == 0 {
		t.Errorf("cold: %+v", a.usage)
	}
	if a := must(t, c, ask("hello")); a.usage.Load != 0 {
		t.Errorf("warm: %+v", a.usage)
	}
	check(t, s.Create(t.Context(), ponderer, script(), true))
	warmed := client(t, s, ponderer, false)
	_, err := collect(t.Context(), warmed, llm.Request{}) // loads the model, and generates nothing
	check(t, err)
	if a := must(t, warmed, ask("hello")); a.usage.Load != 0 {
		t.Errorf("after the warm-up: %+v", a.usage)
	}
}

func TestVectorsOfParaphrasesAreNear(t *testing.T) {
	vs, err := client(t, server(t), concepts, false).Embed(t.Context(), []string{
		"Anna takes her tea without sugar.", "Does she like sweetener in her chai?", "Who takes the dog for a walk?",
	})
	check(t, err)
	near, far := cosine(vs[0], vs[1]), cosine(vs[0], vs[2])
	if near < 0.9 || far > 0.5 {
		t.Errorf("cosines %.2f and %.2f", near, far)
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
