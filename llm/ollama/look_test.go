package ollama

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
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
	if err := warm(t.Context(), c); err != nil {
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

// A server elsewhere could have the house ask addresses inside.
func TestServerThatSendsElsewhereIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it was asked")
	}))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	if v, err := client(t, s.URL).Version(t.Context()); err == nil {
		t.Errorf("version %q", v)
	}
	if _, _, _, err := collect(t.Context(), client(t, s.URL), question); err == nil {
		t.Error("it answers")
	}
}
