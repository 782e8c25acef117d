package wyoming

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// listen gives a listener and the first connection that it accepts.
func listen(t *testing.T, network, address string) (net.Listener, <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			conns <- c
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l, conns
}

func TestConnTalksOverTCPAndUnixSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for _, tc := range []struct{ network, listen, prefix string }{
		{"tcp", "127.0.0.1:0", ""},
		{"tcp", "127.0.0.1:0", "tcp://"},
		{"unix", path, "unix:"},
		{"unix", path + "2", "unix://"},
	} {
		l, conns := listen(t, tc.network, tc.listen)
		c, err := Dial(t.Context(), tc.prefix+l.Addr().String(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		peer := <-conns
		if err := c.Send(t.Context(), Event{Type: "ping"}, FrameFormat().Event(AudioChunk, []byte("ab"))); err != nil {
			t.Fatal(err)
		}
		r := NewReader(peer)
		for _, want := range []string{"ping", AudioChunk} {
			if e, err := r.Read(); err != nil || e.Type != want {
				t.Errorf("got %q, %v, want %q", e.Type, err, want)
			}
		}
		peer.Close()
		if _, err := c.Receive(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("receive from a closed peer: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestConnGivesUpASilentPeerWhenItsContextEnds(t *testing.T) {
	l, conns := listen(t, "tcp", "127.0.0.1:0")
	c, err := Dial(t.Context(), l.Addr().String(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer := <-conns
	defer peer.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Receive(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("receive: %v", err)
	}
	// A peer that does not read fills the buffers of the network.
	big := Event{Type: "a", Payload: make([]byte, maxPayload)}
	for range 64 {
		if err = c.Send(ctx, big); err != nil {
			break
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("send: %v", err)
	}
}

func TestDialRefusesBadAddressesAndClosedPorts(t *testing.T) {
	for _, a := range []string{"", "piper", ":10200", "host:", "unix:", "unix:relative", "http://x:1/y"} {
		if CheckAddress(a) == nil {
			t.Errorf("%q was accepted", a)
		}
	}
	l, _ := listen(t, "tcp", "127.0.0.1:0")
	l.Close()
	if _, err := Dial(t.Context(), l.Addr().String(), time.Minute); err == nil {
		t.Error("a closed port was reached")
	}
}
