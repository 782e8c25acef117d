package control

import (
	"net/http"
	"strconv"
)

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
