package mqtt

import (
	"errors"
	"net"
	"sync"
	"time"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	"hearthd/daemon/mqtt/contract"
)

// acceptPause is how long the embedded broker waits when the system has no
// connection to give, as when all file descriptors are in use.
const acceptPause = 100 * time.Millisecond

// guests is a listener for the embedded broker, which by itself would wait at
// its end for a connection that never said anything, keep such a connection for
// ever, and stop listening for good after one failed accept. How many there may be
// is for the listener beneath it.
type guests struct {
	net.Listener
	closed chan struct{}

	mu    sync.Mutex
	conns map[*guest]struct{} // nil once closed
}

func newGuests(l net.Listener) *guests {
	return &guests{Listener: l, conns: make(map[*guest]struct{}), closed: make(chan struct{})}
}

type guest struct {
	net.Conn
	all *guests
}

// Accept gives connections that have connectLimit to introduce themselves; the
// broker then sets deadlines of its own.
func (g *guests) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		switch {
		case err == nil:
			if admitted := g.admit(c); admitted != nil {
				return admitted, nil
			}
		case errors.Is(err, net.ErrClosed):
			return nil, err
		default:
			select {
			case <-g.closed:
				return nil, net.ErrClosed
			case <-time.After(acceptPause):
			}
		}
	}
}

// admit is nil when the broker ends.
func (g *guests) admit(c net.Conn) net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns == nil || c.SetDeadline(time.Now().Add(connectLimit)) != nil {
		_ = c.Close() // nothing was written to it
		return nil
	}
	n := &guest{Conn: c, all: g}
	g.conns[n] = struct{}{}
	return n
}

// Close lets the peer read what was written to it, for as long as farewell: to
// close at once, with something of the peer's unread, would take that back.
func (c *guest) Close() error {
	c.all.mu.Lock()
	delete(c.all.conns, c)
	c.all.mu.Unlock()
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return c.Conn.Close()
	}
	time.AfterFunc(farewell, func() { _ = c.Conn.Close() }) // nobody is left to tell
	return nil
}

// Close ends the listener and every connection that is still open, once.
func (g *guests) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns == nil {
		return nil
	}
	close(g.closed)
	for c := range g.conns {
		_ = c.Conn.Close() // its reader gets the error
	}
	g.conns = nil
	return g.Listener.Close()
}

// goodbye is a hook that notes who was sent "offline": the embedded broker closes
// its connections without a look at what waits to be written to them.
type goodbye struct {
	server.HookBase
	topic string
	bell  chan struct{} // cap 1; rung when told grew

	mu   sync.Mutex
	told map[string]bool // client ids
}

func newGoodbye(topic string) *goodbye {
	return &goodbye{topic: topic, bell: make(chan struct{}, 1), told: make(map[string]bool)}
}

// ID is the hook's name.
func (g *goodbye) ID() string { return "goodbye" }

// Provides tells the broker what to call.
func (g *goodbye) Provides(event byte) bool { return event == server.OnPacketSent }

// OnPacketSent runs when the bytes were written.
func (g *goodbye) OnPacketSent(c *server.Client, p packets.Packet, _ []byte) {
	if p.FixedHeader.Type != packets.Publish || p.TopicName != g.topic {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if string(p.Payload) != contract.Offline {
		clear(g.told)
		return
	}
	g.told[c.ID] = true
	select {
	case g.bell <- struct{}{}:
	default:
	}
}

// wait returns when all who listen on s were told, or after farewell.
func (g *goodbye) wait(s *server.Server) {
	limit := time.NewTimer(farewell)
	defer limit.Stop()
	for !g.all(s) {
		select {
		case <-g.bell:
		case <-limit.C:
			return
		}
	}
}

func (g *goodbye) all(s *server.Server) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id := range s.Topics.Subscribers(g.topic).Subscriptions {
		if !g.told[id] {
			return false
		}
	}
	return true
}
