package realtime

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/coder/websocket"
)

const (
	writeLimit = 5 * time.Second // bounds the sending of one event
	closeLimit = time.Second     // bounds the wait for the service's goodbye
)

// Line carries the events of a session, in the words of the Realtime protocol. One goroutine reads,
// another one writes.
type Line interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, event []byte) error
	// Ping looks whether the service is still there.
	Ping(ctx context.Context) error
	// Close says goodbye to the service, and does not wait long for its answer.
	Close() error
	CloseNow() error
}

// Socket is the line to a service.
type Socket struct {
	conn *websocket.Conn
	line net.Conn // under conn
}

// Read waits for a message.
func (s *Socket) Read(ctx context.Context) ([]byte, error) {
	kind, data, err := s.conn.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errors.New("the service sent a message that is not text")
	}
	return data, err
}

// Write sends a message.
func (s *Socket) Write(ctx context.Context, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, data)
}

// Ping looks whether the service is still there.
func (s *Socket) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// CloseNow breaks the connection.
func (s *Socket) CloseNow() error { return s.conn.CloseNow() }

// Close says goodbye. Then it breaks the connection, which websocket.Conn cannot while it waits for
// the other side's goodbye; tls.Conn would send one itself.
func (s *Socket) Close() error {
	impatient := time.AfterFunc(closeLimit, func() {
		line := s.line
		if t, ok := line.(*tls.Conn); ok {
			line = t.NetConn()
		}
		line.Close() // it is of no use any more, whatever comes of it
	})
	defer impatient.Stop()
	return s.conn.Close(websocket.StatusNormalClosure, "")
}
