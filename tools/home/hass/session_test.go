package hass

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearthd/tools/home"
)

func TestTokenThatIsRefusedIsTold(t *testing.T) {
	_, _, told := run(t, "wrong")
	if err := await(t, told); !errors.Is(err, ErrToken) {
		t.Error(err)
	}
}

func TestConnectionThatIsLostComesBack(t *testing.T) {
	c, a, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	_ = a.conn.CloseNow() // as a restart does
	a.mu.Unlock()
	if err := await(t, told); err == nil {
		t.Error("a lost connection is not told")
	}
	if err := c.Send(t.Context(), "light.kitchen", home.State{home.Main: "on"}); err == nil {
		t.Error("something was sent over no connection")
	}
	if err := await(t, told); err != nil {
		t.Error(err)
	}
}

// The token goes to the Home Assistant of the configuration and nowhere else.
func TestHomeAssistantThatSendsElsewhereIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	told := make(chan error, 10)
	c, err := New(Options{URL: s.URL, Token: "token", Changed: func(err error) { told <- err },
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	if err := await(t, told); err == nil || !strings.Contains(err.Error(), "tools.home.url") {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
