package control

import (
	"context"
	"net/http"
	"strconv"

	"hearthd/daemon/api"
)

// logTail is the end of the log.
type logTail interface {
	// Lines gives what is kept, the oldest first: all, or that of a turn.
	Lines(turn uint64) []api.LogLine
	// Watch gives further lines until ctx ends. One that is not taken in time is
	// dropped.
	Watch(ctx context.Context) <-chan api.LogLine
}

func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	var turn uint64
	if text := r.URL.Query().Get("turn"); text != "" {
		var err error
		if turn, err = strconv.ParseUint(text, 10, 64); err != nil {
			fail(w, r, badRequest("turn: want the id of one"))
			return
		}
	}
	answer(w, http.StatusOK, s.opt.Lines.Lines(turn))
}
