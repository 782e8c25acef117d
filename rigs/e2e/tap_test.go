package e2e

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// tap is a fixed address in front of a server that comes and goes. It counts
// what goes to the server.
type tap struct {
	Address string
	bytes   atomic.Int64
	heard   func(p []byte) // what goes there, as it comes

	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	server string // empty: nobody is there
	conns  map[net.Conn]bool
	closed bool
}

// newTap passes connections on to server until the test ends.
func newTap(t testing.TB, server string) *tap {
	t.Helper()
	return newListener(t, server, func([]byte) {})
}

// newListener is a tap that calls heard, on the goroutine of a connection, with what
// goes to server.
func newListener(t testing.TB, server string, heard func(p []byte)) *tap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	p := &tap{Address: l.Addr().String(), listener: l, server: server, heard: heard, conns: map[net.Conn]bool{}}
	p.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.pass(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.turn("")
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.running.Wait()
	})
	return p
}

// turn breaks all connections and sends later ones to server; with none, they
// are closed at once.
func (p *tap) turn(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// keep notes c, unless nobody may be connected.
func (p *tap) keep(c net.Conn) (server string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == "" || p.closed {
		return "", false
	}
	p.conns[c] = true
	return p.server, true
}

func (p *tap) pass(c net.Conn) {
	defer c.Close()
	server, ok := p.keep(c)
	if !ok {
		return
	}
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer s.Close()
	if _, ok := p.keep(s); !ok {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(c, s) // either end may leave
		c.Close()
	}()
	_, _ = io.Copy(s, io.TeeReader(c, p))
	s.Close()
	<-back
}

// Write is told what goes to the server.
func (p *tap) Write(data []byte) (int, error) {
	p.bytes.Add(int64(len(data)))
	p.heard(data)
	return len(data), nil
}
