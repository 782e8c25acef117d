package real_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/ollama"
	"hearthd/rigs/llmtest/gguf"
	"hearthd/rigs/llmtest/real"
)

// suite is the server that the tests share; TestMain starts it. Its models are kitchen,
// ponderer (which thinks) and concepts (which embeds).
var suite struct {
	server *real.Server // nil: there is none
	why    error
}

// limit bounds what no test should come near to.
const limit = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hearthd-real-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	suite.server, suite.why = real.Find(context.Background(), dir)
	switch {
	case errors.Is(suite.why, real.ErrNone):
		return m.Run()
	case suite.why == nil:
		suite.why = furnish(suite.server)
	}
	if suite.why != nil {
		fmt.Fprintln(os.Stderr, suite.why)
		return 1
	}
	code := m.Run()
	if err := errors.Join(unfurnish(suite.server), suite.server.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// names of the models, not to meet those of whoever owns the server.
const (
	kitchen  = "hearthd-test-kitchen"
	ponderer = "hearthd-test-ponderer"
	concepts = "hearthd-test-concepts"
)

func furnish(s *real.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return errors.Join(
		s.Create(ctx, kitchen, script(), false),
		s.Create(ctx, ponderer, script(), true),
		s.CreateEmbedder(ctx, concepts, [][]string{{"tea", "chai", "drinks"}, {"sugar", "sweet", "sweetener"}, {"dog", "pet"}, {"walk", "stroll"}}),
	)
}

// unfurnish takes the models away from a server that goes on without the tests.
func unfurnish(s *real.Server) error {
	if s.Own() {
		return nil
	}
	ctx := context.Background()
	return errors.Join(s.Delete(ctx, kitchen), s.Delete(ctx, ponderer), s.Delete(ctx, concepts))
}

func script() gguf.Script {
	return gguf.Script{
		Context: 16384,
		Corpus:  real.Corpus,
		Slots: map[string]map[string]string{
			"number": {"": "5", "three": "3", "ten": "10", "eleven": "11", "eve": "24"},
			"city":   {"": "Paris", "rome": "Rome", "berlin": "Berlin"},
		},
		Lines: []gguf.Line{
			{Name: "unknown", Triggers: []string{"", gguf.MarkUser}, Text: "Sorry, I did not understand that."},
			{Name: "hello", Triggers: []string{"hello"}, Text: "Hi there! How can I help you today? Ask me about the weather, or for a countdown."},
			{Name: "timer", Triggers: []string{"timer"}, Text: gguf.Call([2]string{"timer_set", `{"minutes": {number}, "label": "tea"}`})},
			{Name: "weather", Triggers: []string{"weather"}, Text: gguf.Call([2]string{"weather_now", `{"city": "{city}"}`})},
			{Name: "both", Triggers: []string{"everything"}, Text: "One moment please. " + gguf.Call(
				[2]string{"weather_now", `{"city": "{city}", "days": 2}`}, [2]string{"timer_set", `{"minutes": {number}}`})},
			{Name: "unoffered", Triggers: []string{"garage"}, Text: gguf.Call([2]string{"garage_open", `{"door": "left"}`})},
			{Name: "result", Triggers: []string{gguf.MarkResult}, Text: "Done. It all worked: your request has been carried out."},
			{Name: "ponder", Triggers: []string{"ponder"}, Thought: "Let us reason: two plus two makes four.", Text: "The answer is four."},
			{Name: "story", Triggers: []string{"story"}, Loop: true, Text: "Once upon a time there was a dragon, who told tales without end. "},
			{Name: "notes", Triggers: []string{"Assistant:"}, Form: true, Text: `{"notes": ["Anna takes her tea without sugar.", "The dog is called Rex."]}`},
			{Name: "shuffle", Triggers: []string{"umlaut"}, Text: "Grüße aus Köln — naïve café 😀 ok."},
		},
	}
}

// server gives the shared server.
func server(t testing.TB) *real.Server {
	t.Helper()
	if suite.server == nil {
		t.Skip(suite.why)
	}
	return suite.server
}

// own starts a server that the test may treat badly.
func own(t testing.TB, env ...string) *real.Server {
	t.Helper()
	s, err := real.Start(t.Context(), t.TempDir(), env...)
	if errors.Is(err, real.ErrNone) {
		t.Skip("HEARTHD_TEST_OLLAMA is not set: no Ollama to start and to break")
	}
	check(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	check(t, s.Create(t.Context(), kitchen, script(), false))
	return s
}

func client(t testing.TB, s *real.Server, model string, think bool) *ollama.Client {
	t.Helper()
	c, err := ollama.New(ollama.Options{
		URL: s.URL, Model: model, KeepAlive: time.Minute, NumCtx: 8192, Think: think,
		HeaderTimeout: limit, IdleTimeout: limit, Log: slog.New(slog.DiscardHandler),
	})
	check(t, err)
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is all that came of a request.
type answer struct {
	texts []string
	text  string
	calls []llm.ToolCall
	usage llm.Usage
}

func collect(ctx context.Context, c chat, req llm.Request) (answer, error) {
	var a answer
	for d, err := range c.Chat(ctx, req) {
		if err != nil {
			return a, err
		}
		if d.Text != "" {
			a.texts = append(a.texts, d.Text)
			a.text += d.Text
		}
		if d.Call != nil {
			a.calls = append(a.calls, *d.Call)
		}
		if d.Usage != nil {
			a.usage = *d.Usage
		}
	}
	return a, nil
}

// must collects an answer that nothing is wrong with.
func must(t testing.TB, c chat, req llm.Request) answer {
	t.Helper()
	a, err := collect(t.Context(), c, req)
	check(t, err)
	return a
}

func ask(text string, tools ...llm.ToolSpec) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: text}}, Tools: tools}
}

var (
	timerTool = llm.ToolSpec{Name: "timer_set", Description: "Sets a timer.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"minutes":{"type":"integer"},"label":{"type":"string"}},"required":["minutes"]}`)}
	weatherTool = llm.ToolSpec{Name: "weather_now", Description: "Tells the weather of a city.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}
	notesSchema = json.RawMessage(`{"type":"object","properties":{"notes":{"type":"array","maxItems":5,"items":{"type":"string"}}},"required":["notes"]}`)
)
