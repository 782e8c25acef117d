package ollama

import (
	"errors"
	"testing"

	"hearthd/llm"
	"hearthd/llm/llmtest"
)

func TestServerTellsItsVersionAndWhetherTheModelIsLoaded(t *testing.T) {
	s := llmtest.NewOllama(t, model, nil)
	c := client(t, s.URL)
	if v, err := c.Version(t.Context()); err != nil || v != "0.24.0" {
		t.Errorf("%q, %v", v, err)
	}
	loaded := func(want bool) {
		t.Helper()
		if got, _, err := c.Loaded(t.Context()); err != nil || got != want {
			t.Errorf("loaded %v, %v, want %v", got, err, want)
		}
	}
	loaded(false)
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	loaded(true)
	if err := c.Unload(t.Context()); err != nil {
		t.Fatal(err)
	}
	loaded(false)
}

func TestVersionOfNoServerIsUnreachable(t *testing.T) {
	if _, err := client(t, "http://127.0.0.1:1").Version(t.Context()); !errors.Is(err, llm.ErrUnreachable) {
		t.Errorf("%v", err)
	}
}
