package mqtt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/queue"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// acceptPause is how long the listener waits after a failed accept, as when all file
// descriptors are in use.
const acceptPause = 100 * time.Millisecond

// maxHello bounds the first packet of a client, in bytes: its name, password and last will.
const maxHello = 16 << 10

var errHello = errors.New("the first packet is not a CONNECT, or is too long")

// guardedListener makes up for what the embedded broker lacks: it would keep a connection that
// never sends anything without end, wait for it when the broker closes, and stop listening for good
// after one failed accept. The listener beneath it bounds the number of connections.
type guardedListener struct {
	net.Listener
	closed chan struct{}

	mu    sync.Mutex
	conns map[*guardedConn]struct{} // nil once closed
}

func newGuardedListener(l net.Listener) *guardedListener {
	return &guardedListener{Listener: l, conns: make(map[*guardedConn]struct{}), closed: make(chan struct{})}
}

type guardedConn struct {
	net.Conn
	all *guardedListener
	in  *bufio.Reader // of the broker's one reader; nil until the first packet is checked
}

// Read refuses a first packet that is no CONNECT of a sensible length: the broker allocates whatever length a packet
// claims, for anybody.
func (c *guardedConn) Read(p []byte) (int, error) {
	if c.in == nil {
		c.in = bufio.NewReader(c.Conn)
		if err := c.hello(); err != nil {
			return 0, err
		}
	}
	return c.in.Read(p)
}

// hello looks at the header of the first packet (MQTT 3.1.1, 2.2); no CONNECT is shorter than five bytes.
func (c *guardedConn) hello() error {
	head, err := c.in.Peek(5)
	if len(head) == 0 {
		return err
	}
	if length, n := binary.Uvarint(head[1:]); head[0] != packets.Connect<<4 || n <= 0 || length > maxHello {
		return errHello
	}
	return nil
}

// Accept returns connections that have connectLimit for their first packet; after that the
// broker sets its own deadlines.
func (g *guardedListener) Accept() (net.Conn, error) {
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

// admit returns nil when the listener has been closed.
func (g *guardedListener) admit(c net.Conn) net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns == nil || c.SetDeadline(time.Now().Add(connectLimit)) != nil {
		_ = c.Close() // nothing was written to it
		return nil
	}
	n := &guardedConn{Conn: c, all: g}
	g.conns[n] = struct{}{}
	return n
}

// Close gives the client time to read what was written to it, as long as farewell: closing
// at once, with received data unread, would reset the connection and lose it.
func (c *guardedConn) Close() error {
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
func (g *guardedListener) Close() error {
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

// goodbye is a hook that notes which clients were sent "offline": the embedded broker closes
// its connections even while messages wait to be written to them.
type goodbye struct {
	server.HookBase
	topic string
	bell  queue.Bell // rung when told grew

	mu   sync.Mutex
	told map[string]bool // client ids
}

func newGoodbye(topic string) *goodbye {
	return &goodbye{topic: topic, bell: queue.NewBell(), told: make(map[string]bool)}
}

// ID is the hook's name.
func (g *goodbye) ID() string { return "goodbye" }

// Provides lists the events that the broker calls the hook for.
func (g *goodbye) Provides(event byte) bool { return event == server.OnPacketSent }

// OnPacketSent runs when the packet has been written.
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
	g.bell.Ring()
}

// wait returns when all subscribers were sent "offline", or after farewell.
func (g *goodbye) wait(s *server.Server) {
	limit := time.After(farewell)
	for !g.all(s) {
		select {
		case <-g.bell:
		case <-limit:
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
