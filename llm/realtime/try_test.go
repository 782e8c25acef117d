package realtime

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearthd/rigs/llmtest"
)

func TestTryOpensASessionAndSendsNoAudio(t *testing.T) {
	s := llmtest.NewRealtime(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{} })
	s.WantKey("sesame")
	o := Options{URL: s.URL, Key: "sesame", Model: "gpt-realtime", Voice: "marin", Language: "en",
		Log: slog.New(slog.DiscardHandler)}
	if err := Try(t.Context(), o); err != nil {
		t.Error(err)
	}
	o.Key = "simsalabim"
	if err := Try(t.Context(), o); !errors.Is(err, ErrKey) {
		t.Errorf("another key: %v", err)
	}
	if v := s.Violations(); len(v) > 0 {
		t.Errorf("broke the protocol: %q", v)
	}
	for _, e := range s.Events() {
		if !strings.Contains(string(e), `"session.update"`) {
			t.Errorf("sent %s", e)
		}
	}
}

// A service elsewhere could have the house ask addresses inside.
func TestServiceThatSendsElsewhereIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it was asked")
	}))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer s.Close()
	if _, err := connect(t.Context(), &Options{URL: s.URL, Model: "m", Key: "k"}, nil); err == nil {
		t.Error("it is connected")
	}
}
