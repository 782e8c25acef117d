package control

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/timeline"
)

// turns lists the turns that are kept, with what happened in them.
func (s *Server) turns(r *http.Request) (any, error) {
	in := r.URL.Query()
	limit, err := limitOf(in)
	if err != nil {
		return nil, err
	}
	q := timeline.Query{Limit: limit, Slowest: in.Get("sort") == "slowest"}
	if !slices.Contains([]string{"", "newest", "slowest"}, in.Get("sort")) {
		return nil, badRequest("sort: want newest or slowest")
	}
	if q.Before, err = turnOf(in.Get("before"), "before: want the id of a turn"); err != nil {
		return nil, err
	}
	return s.opt.Turns(q), nil
}

// turnOf reads the id of a turn; an empty text is 0. Any other text that is no id is refused with
// complaint.
func turnOf(text string, complaint badRequest) (uint64, error) {
	id, err := strconv.ParseUint(cmp.Or(text, "0"), 10, 64)
	if err != nil {
		return 0, complaint
	}
	return id, nil
}

// sound serves the recording of the request of a turn, as a WAV file.
func (s *Server) sound(w http.ResponseWriter, r *http.Request) {
	turn, err := turnOf(r.PathValue("turn"), "want the id of a turn")
	samples, ok := s.opt.Sounds.Sound(turn)
	if err == nil && !ok {
		err = notFound("nothing is recorded of this turn")
	}
	if err != nil {
		fail(w, r, err)
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
func (s *Server) erase(_ context.Context, b api.Erase) (any, error) {
	if b.All == (b.Turn != 0) {
		return nil, badRequest("want a turn, or all")
	}
	return map[string]int{"erased": s.opt.Sounds.Erase(b.Turn)}, nil
}

func (s *Server) log(r *http.Request) (any, error) {
	turn, err := turnOf(r.URL.Query().Get("turn"), "turn: want the id of one")
	return s.opt.Lines.Lines(turn), err
}
