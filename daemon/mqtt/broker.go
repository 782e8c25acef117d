package mqtt

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

const (
	// maxPacket bounds one packet that the embedded broker takes, in bytes.
	maxPacket = 256 << 10
	// maxBrokerClients bounds who may connect to it.
	maxBrokerClients = 100
	// acceptPause is how long it waits when the system has no connection to give,
	// as when all file descriptors are in use.
	acceptPause = 100 * time.Millisecond
)

// startBroker serves MQTT on address, which must be loopback: there are no
// passwords. The caller closes the server.
func startBroker(address string) (*server.Server, error) {
	caps := server.NewDefaultServerCapabilities()
	caps.MaximumPacketSize = maxPacket
	caps.MaximumClients = maxBrokerClients
	s := server.New(&server.Options{
		Capabilities: caps,
		// Its log lines speak of clients that come and go; the bridge reports
		// what matters.
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err := s.AddHook(new(auth.AllowHook), nil); err != nil {
		return nil, fmt.Errorf("set up embedded broker: %w", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	guests := &guests{Listener: l, conns: make(map[*guest]struct{}), closed: make(chan struct{})}
	if err := s.AddListener(listeners.NewNet("loopback", guests)); err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", errors.Join(err, l.Close()))
	}
	if err := s.Serve(); err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// noBroker says what a person can do when startBroker failed.
func noBroker(address string, err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Sprintf("Another program listens on %s, so the embedded MQTT broker cannot start. If that is a broker, set mqtt.broker to mqtt://%s; if not, choose another mqtt.listen.", address, address)
	}
	return fmt.Sprintf("The embedded MQTT broker cannot listen on %s; see mqtt.listen.", address)
}

// guests is a listener for the embedded broker, which by itself would wait at
// its end for a connection that never said anything, keep such a connection for
// ever, and stop listening for good after one failed accept.
type guests struct {
	net.Listener
	closed chan struct{}

	mu    sync.Mutex
	conns map[*guest]struct{} // nil once closed
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

// admit is nil when there are too many.
func (g *guests) admit(c net.Conn) net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns == nil || len(g.conns) >= maxBrokerClients || c.SetDeadline(time.Now().Add(connectLimit)) != nil {
		_ = c.Close() // nothing was written to it
		return nil
	}
	n := &guest{Conn: c, all: g}
	g.conns[n] = struct{}{}
	return n
}

func (c *guest) Close() error {
	c.all.mu.Lock()
	delete(c.all.conns, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// Close ends the listener and every connection, once.
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
