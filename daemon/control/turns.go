package control

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"hearthd/audio"
	"hearthd/daemon/api"
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

// sound gives what began a turn as a WAV file.
func (s *Server) sound(w http.ResponseWriter, r *http.Request) {
	turn, err := strconv.ParseUint(r.PathValue("turn"), 10, 64)
	if err != nil {
		fail(w, r, badRequest("want the id of a turn"))
		return
	}
	samples, ok := s.opt.Sounds.Sound(turn)
	if !ok {
		answer(w, http.StatusNotFound, api.Failure{Error: "nothing is recorded of this turn"})
		return
	}
	var wav bytes.Buffer
	if err := audio.EncodeWAV(&wav, audio.Chunk{Rate: audio.Rate, Samples: samples}); err != nil {
		fail(w, r, err)
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return
	}
	w.Header().Set("Content-Type", "audio/wav")
	w.Header().Set("Cache-Control", "no-store")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wav.Bytes()))
}

// erase drops recordings.
func (s *Server) erase(b api.Erase) (any, error) {
	if b.All == (b.Turn != 0) {
		return nil, badRequest("want a turn, or all")
	}
	return map[string]int{"erased": s.opt.Sounds.Erase(b.Turn)}, nil
}
