package realtime

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
)

// TestAimockIsUnderstood talks to @copilotkit/aimock, a server that nobody here wrote.
// HEARTHD_TEST_AIMOCK is its base URL; it runs with llm/realtime/testdata/aimock.json:
//
//	npx -p @copilotkit/aimock llmock --fixtures llm/realtime/testdata/aimock.json --port 4010
func TestAimockIsUnderstood(t *testing.T) {
	url := os.Getenv("HEARTHD_TEST_AIMOCK")
	if url == "" {
		t.Skip("HEARTHD_TEST_AIMOCK is not the base URL of an aimock, such as http://127.0.0.1:4010/v1")
	}
	c, err := New(ClientOptions{
		Options: Options{URL: url, Key: "sesame", Model: "gpt-realtime", Voice: "marin", Log: slog.New(slog.NewTextHandler(io.Discard, nil))},
		Idle:    time.Minute, Changed: func(error) {},
		Persona: func(context.Context) Persona {
			return Persona{Instructions: "Be short.", Tools: []llm.ToolSpec{{Name: "look", Description: "Looks.", Parameters: []byte(`{"type":"object"}`)}}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer ended.Wait()
	defer cancel()
	for _, q := range []struct {
		asks, answer string
		calls        []string
	}{
		{"hello there", "Hello! How can I help you today?", nil},
		{"look outside", "It rains.", []string{"look"}},
		{"goodbye", "Goodbye! Have a great day!", nil},
	} {
		turn, err := c.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := turn.Ask(q.asks); err != nil {
			t.Fatal(err)
		}
		var h heard
		for d, err := range turn.Answer(ctx, limit, limit) {
			h.add(d, err)
			if d.Call != nil {
				turn.Result(d.Call.ID, "rain")
			}
		}
		turn.Cut(time.Hour)
		if h.err != nil || h.text != q.answer || !slices.Equal(h.calls, q.calls) {
			t.Errorf("%s: %+v", q.asks, h)
		}
	}
}
