package control

import (
	"net/http"
)

func (s *Server) log(r *http.Request) (any, error) {
	turn, err := turnOf(r.URL.Query().Get("turn"), "turn: want the id of one")
	return s.opt.Lines.Lines(turn), err
}
