package control

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearthd/daemon/api"
)

const (
	// maxListed bounds the entries of one answer; an export has no bound.
	maxListed = 1000
	// maxImported bounds the entries of one request.
	maxImported = 100
)

// memories is what is remembered.
type memories interface {
	// Remembered gives what is remembered, the newest first, or what answers a
	// search, the best first.
	Remembered(ctx context.Context, search string, limit int) ([]api.Memory, error)
	// Export gives all of it.
	Export(ctx context.Context) iter.Seq2[api.Memory, error]
	// Import adds entries, and gives how many were new or changed.
	Import(ctx context.Context, entries []api.Memory) (int, error)
	// Forget erases, and gives how many entries are gone.
	Forget(ctx context.Context, what api.Forget) (int, error)
}

func (s *Server) memoryRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/thinkers", func(w http.ResponseWriter, r *http.Request) {
		list := s.opt.Thinkers()
		if list == nil {
			list = []api.Thinker{}
		}
		answer(w, http.StatusOK, list)
	})
	mux.HandleFunc("GET /v1/memory", s.remembered)
	mux.HandleFunc("GET /v1/memory/export", s.export)
	mux.HandleFunc("POST /v1/memory/import", command(func(ctx context.Context, b api.Import) (any, error) {
		if len(b.Entries) == 0 || len(b.Entries) > maxImported {
			return nil, badRequest("entries: want 1 to " + strconv.Itoa(maxImported))
		}
		n, err := s.opt.Memory.Import(ctx, b.Entries)
		return api.Counted{Entries: n}, err
	}))
	mux.HandleFunc("POST /v1/memory/forget", command(func(ctx context.Context, b api.Forget) (any, error) {
		if one(b.About != "", len(b.Notes) > 0, b.Everything, b.Fact != nil) {
			n, err := s.opt.Memory.Forget(ctx, b)
			return api.Counted{Entries: n}, err
		}
		return nil, badRequest("want one of about, notes, fact and everything")
	}))
}

// one reports whether one of them is true, and no more.
func one(all ...bool) bool {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n == 1
}

func (s *Server) remembered(w http.ResponseWriter, r *http.Request) {
	limit, err := limitOf(r.URL.Query())
	if err != nil {
		fail(w, r, err)
		return
	}
	list, err := s.opt.Memory.Remembered(r.Context(), r.URL.Query().Get("search"), limit)
	if err != nil {
		fail(w, r, err)
		return
	}
	if list == nil {
		list = []api.Memory{}
	}
	answer(w, http.StatusOK, list)
}

func limitOf(q url.Values) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return 100, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxListed {
		return 0, badRequest("limit: want 1 to " + strconv.Itoa(maxListed))
	}
	return n, nil
}

// export streams all entries as lines of JSON. One that could not be read is the
// last line, with an error.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	conn := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/jsonl")
	enc := json.NewEncoder(w)
	for m, err := range s.opt.Memory.Export(r.Context()) {
		if derr := conn.SetWriteDeadline(time.Now().Add(writeLimit)); derr != nil {
			return
		}
		if err != nil {
			_ = enc.Encode(api.Failure{Error: err.Error()})
			return
		}
		if enc.Encode(m) != nil {
			return // the client hung up
		}
	}
}
