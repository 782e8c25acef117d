package control

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// LogLine is one line of the log.
type LogLine struct {
	Seq       uint64    `json:"seq"` // grows by one
	Time      time.Time `json:"time"`
	Level     string    `json:"level"`
	Component string    `json:"component,omitempty"`
	Turn      uint64    `json:"turn,omitempty"`
	Message   string    `json:"message"`
	Text      string    `json:"text,omitempty"` // the rest, as KEY=VALUE
}

// logTail is the end of the log.
type logTail interface {
	// Lines gives what is kept, the oldest first: all, or that of a turn.
	Lines(turn uint64) []LogLine
	// Watch gives further lines until ctx ends. One that is not taken in time is
	// dropped.
	Watch(ctx context.Context) <-chan LogLine
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
