package control

import (
	"net/http"
	"strconv"

	"hearthd/daemon/timeline"
)

// turns lists the turns that are kept, with what happened in them.
func (s *Server) turns(w http.ResponseWriter, r *http.Request) {
	in := r.URL.Query()
	limit, err := limitOf(in)
	if err != nil {
		fail(w, r, err)
		return
	}
	q := timeline.Query{Limit: limit}
	switch in.Get("sort") {
	case "", "newest":
	case "slowest":
		q.Slowest = true
	default:
		fail(w, r, badRequest("sort: want newest or slowest"))
		return
	}
	if text := in.Get("before"); text != "" {
		if q.Before, err = strconv.ParseUint(text, 10, 64); err != nil {
			fail(w, r, badRequest("before: want the id of a turn"))
			return
		}
	}
	answer(w, http.StatusOK, s.opt.Turns(q))
}
