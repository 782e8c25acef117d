package control

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// eventQueue is how far a reader of events may fall behind.
	eventQueue = 256
	// eventWrite is how long one write to it may take.
	eventWrite = 10 * time.Second
	// eventBeat keeps a quiet stream open and notices a reader that is gone.
	eventBeat = 15 * time.Second
)

// events streams every event as a server-sent event whose data is its JSON. A
// reader that falls behind is told how many events it missed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	sub := s.opt.Bus.Subscribe("control", eventQueue)
	defer sub.Close()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(text string) bool {
		if err := out.SetWriteDeadline(time.Now().Add(eventWrite)); err != nil {
			return false
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	if !send(": hearthd\n\n") {
		return
	}
	beat := time.NewTicker(eventBeat)
	defer beat.Stop()
	var missed uint64
	for {
		text := ": \n\n"
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
		case e := <-sub.C():
			data, err := json.Marshal(e)
			if err != nil {
				s.opt.Log.Error("encode event", "component", "control", "error", err)
				continue
			}
			text = fmt.Sprintf("data: %s\n\n", data)
		}
		if n := sub.Dropped(); n != missed {
			text = fmt.Sprintf("event: missed\ndata: %d\n\n", n-missed) + text
			missed = n
		}
		if !send(text) {
			return
		}
	}
}

// limited accepts at most cap(slots) connections at once; more wait in the
// kernel's queue.
type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type slotted struct {
	net.Conn
	free func()
}

func (c *slotted) Close() error {
	defer c.free()
	return c.Conn.Close()
}
