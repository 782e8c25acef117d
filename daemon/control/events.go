package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// eventQueue is how many events a reader may fall behind. All timers may ring at once.
const eventQueue = 4096

// events streams every event as a server-sent event whose data is its JSON. A
// reader that falls behind is told how many events it missed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	s.follow(r.Context(), st)
}

// follow sends the events, until the reader is gone or ctx ends. When the server ends, the stream
// is handed to the next one.
func (s *Server) follow(ctx context.Context, st *stream) {
	sub := s.opt.Bus.Subscribe("control", eventQueue)
	defer sub.Close()
	catchUp := func() {
		if n := sub.Lost(); n > 0 {
			st.send(fmt.Sprintf("event: missed\ndata: %d\n\n", n))
		}
	}
	for st.begin(); st.ok; {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errEnding) {
				s.keep(st)
			}
			return
		case <-st.beat.C:
			catchUp()
			st.send(": \n\n")
		case e := <-sub.C():
			catchUp()
			st.data(e)
		}
	}
}

// errEnding is the cause in the contexts of requests when the server ends.
var errEnding = errors.New("the server ends")

// meter streams readings as long as somebody looks.
func (s *Server) meter(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	readings := s.opt.Meter(ctx)
	for st.begin(); st.ok; {
		select {
		case <-ctx.Done():
			return
		case <-st.beat.C:
			st.send(": \n\n")
		case m := <-readings:
			m.Wave = nil // for pages
			st.data(m)
		}
	}
}
