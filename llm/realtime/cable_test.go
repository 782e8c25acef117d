package realtime

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"hearthd/rigs/llmtest"
)

// cable is a network in memory, on which a client and its server can be in one bubble
// of time. It listens for the server.
type cable struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func() // once
	fault  atomic.Int32
}

// What is wrong with a cable.
const (
	nothing int32 = iota
	silent        // what the client sends is lost, and nobody tells it
	stuck         // what the client sends is not taken
)

// onCable runs a rig in a bubble.
func onCable(t *testing.T, answer func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer, test func(*rig, *cable)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cable{conns: make(chan net.Conn), closed: make(chan struct{})}
		c.close = sync.OnceFunc(func() { close(c.closed) })
		r := &rig{T: t, server: llmtest.NewRealtimeOn(t, c, answer)}
		r.via = &http.Client{Transport: &http.Transport{DialContext: c.dial}}
		test(r.run(), c)
	})
}

func (c *cable) Accept() (net.Conn, error) {
	select {
	case conn := <-c.conns:
		return conn, nil
	case <-c.closed:
		return nil, net.ErrClosed
	}
}

func (c *cable) Close() error { c.close(); return nil }

func (c *cable) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (c *cable) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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
	c    *cable
	out  chan struct{}
	pull func() // once
}

func (p *plug) Write(b []byte) (int, error) {
	switch p.c.fault.Load() {
	case silent:
		return len(b), nil
	case stuck:
		<-p.out
		return 0, net.ErrClosed
	}
	return p.Conn.Write(b)
}

func (p *plug) Close() error {
	p.pull()
	return p.Conn.Close()
}
