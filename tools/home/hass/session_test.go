package hass

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/phrase"
)

func TestTokenThatIsRefusedIsTold(t *testing.T) {
	_, _, told := run(t, "wrong")
	if err := await(t, told); !errors.Is(err, home.ErrRefused) {
		t.Error(err)
	}
}

// Home Assistant counts what it refuses, tells its owner each time, and may end by banning the address.
func TestTokenThatIsRefusedIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(pipes)
		srv := &http.Server{Handler: &assistant{t: t}}
		go func() { _ = srv.Serve(calls) }() // it ends with calls
		defer srv.Close()
		refused := 0
		c, err := New(Options{URL: "http://home", Token: "wrong", Book: phrase.English(), Log: slog.New(slog.DiscardHandler),
			Changed: func(error) { refused++ }})
		if err != nil {
			t.Fatal(err)
		}
		c.http.Transport = &http.Transport{DialContext: calls.dial}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		if err := c.Run(ctx); err != nil || refused != 1 {
			t.Errorf("refused %d times, %v", refused, err)
		}
	})
}

// pipes listens within the process.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p <- far
	return near, nil
}

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

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

// What was under way when the connection ended may have been done. It is told so, and not sent again.
func TestAnOrderThatIsCutOffIsNotSentAgain(t *testing.T) {
	c, a, told := run(t, token)
	if !errors.Is(c.Lost(), home.ErrAway) {
		t.Errorf("before it is there: %v", c.Lost())
	}
	if err := errors.Join(await(t, told), c.Lost()); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.cuts = true
	a.mu.Unlock()
	if err := c.Send(t.Context(), "light.kitchen", home.State{home.Main: "on"}); !errors.Is(err, home.ErrUnanswered) {
		t.Error(err)
	}
	if !errors.Is(c.Lost(), home.ErrAway) {
		t.Errorf("right after the cut: %v", c.Lost())
	}
	err := c.Send(t.Context(), "light.kitchen", home.State{home.Main: "on"})
	if !errors.Is(err, home.ErrAway) || errors.Is(err, home.ErrUnanswered) {
		t.Errorf("sent over no connection: %v", err)
	}
	if err := await(t, told); err == nil {
		t.Error("a lost connection is not told")
	}
	if err := errors.Join(await(t, told), c.Lost()); err != nil {
		t.Error(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.calls) != 1 {
		t.Errorf("called %q", a.calls)
	}
}

// A turn may be cut between two of the devices that it is for. The connection is everybody's.
func TestAnOrderOfATurnThatWasCutLeavesTheConnectionAlone(t *testing.T) {
	c, _, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		err := c.Send(cut, "light.kitchen", home.State{home.Main: "on"})
		if !errors.Is(err, context.Canceled) || errors.Is(err, home.ErrUnanswered) {
			t.Fatalf("what was not sent: %v", err)
		}
	}
	if err := errors.Join(c.Send(t.Context(), "light.kitchen", home.State{home.Main: "on"}), c.Lost()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-told:
		t.Errorf("the connection was lost: %v", err)
	default:
	}
}

// The token goes to the Home Assistant of the configuration and nowhere else.
func TestHomeAssistantThatSendsElsewhereIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	told := make(chan error, 10)
	c, err := New(Options{URL: s.URL, Token: "token", Book: phrase.English(), Changed: func(err error) { told <- err },
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
