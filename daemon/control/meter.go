package control

import (
	"context"
	"net/http"
)

// meter streams readings while somebody looks.
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
