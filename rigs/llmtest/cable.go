package llmtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// Cable is a network in memory, on which a client and its server can be in one bubble
// of time. It listens for the server.
type Cable struct {
	Fault  atomic.Int32 // what is wrong with it
	conns  chan net.Conn
	closed chan struct{}
	close  func() // once
}

// What is wrong with a cable.
const (
	CableSound  int32 = iota
	CableSilent       // what the client sends is lost, and nobody tells it
	CableStuck        // what the client sends is not taken
)

// NewCable is a sound one.
func NewCable() *Cable {
	c := &Cable{conns: make(chan net.Conn), closed: make(chan struct{})}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	return c
}

// Client is for requests over c.
func (c *Cable) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: c.Dial}}
}

// Accept takes a connection for the server.
func (c *Cable) Accept() (net.Conn, error) {
	select {
	case conn := <-c.conns:
		return conn, nil
	case <-c.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listening.
func (c *Cable) Close() error { c.close(); return nil }

// Addr is no address.
func (c *Cable) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Dial connects a client.
func (c *Cable) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	p := &plug{Conn: here, c: c, out: make(chan struct{})}
	p.pull = sync.OnceFunc(func() { close(p.out) })
	select {
	case c.conns <- there:
		return p, nil
	case <-c.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// plug is the client's end of a connection.
type plug struct {
	net.Conn
	c    *Cable
	out  chan struct{}
	pull func() // once
}

func (p *plug) Write(b []byte) (int, error) {
	switch p.c.Fault.Load() {
	case CableSilent:
		return len(b), nil
	case CableStuck:
		<-p.out
		return 0, net.ErrClosed
	}
	return p.Conn.Write(b)
}

func (p *plug) Close() error {
	p.pull()
	return p.Conn.Close()
}

// serveOn serves h on l until the test ends, and gives its address; no listener is one of the network.
func serveOn(tb testing.TB, l net.Listener, h http.Handler) (url string) {
	s := httptest.NewUnstartedServer(h)
	if l != nil {
		if err := s.Listener.Close(); err != nil {
			tb.Fatal(err)
		}
		s.Listener = l
	}
	s.Start()
	tb.Cleanup(s.Close)
	return s.URL
}
