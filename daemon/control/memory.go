package control

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// maxImported bounds the entries of one request.
const maxImported = 100

func (s *Server) memoryRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/thinkers", question(func(*http.Request) (any, error) {
		return orNone(s.opt.Thinkers(), nil)
	}))
	mux.HandleFunc("GET /v1/memory", question(func(r *http.Request) (any, error) {
		limit, err := limitOf(r.URL.Query())
		if err != nil {
			return nil, err
		}
		return orNone(s.opt.Memory.Remembered(r.Context(), r.URL.Query().Get("search"), limit))
	}))
	mux.HandleFunc("GET /v1/memory/export", s.export)
	mux.HandleFunc("POST /v1/memory/import", command(func(ctx context.Context, b api.Import) (any, error) {
		if len(b.Entries) == 0 || len(b.Entries) > maxImported {
			return nil, badRequest("entries: want 1 to " + strconv.Itoa(maxImported))
		}
		n, err := s.opt.Memory.Import(ctx, b.Entries)
		return api.Counted{Entries: n}, err
	}))
	mux.HandleFunc("POST /v1/memory/forget", command(func(ctx context.Context, b api.Forget) (any, error) {
		if exactlyOne(b.About != "", len(b.Notes) > 0, b.Everything, b.Fact != nil) {
			return s.opt.Memory.Forget(ctx, b)
		}
		return nil, badRequest("want one of about, notes, fact and everything")
	}))
}

// exactlyOne reports whether exactly one of them is true.
func exactlyOne(all ...bool) bool {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n == 1
}

// export streams all entries as lines of JSON. One that could not be read is the
// last line, with an error.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl")
	enc := json.NewEncoder(patient{w, http.NewResponseController(w)})
	for m, err := range s.opt.Memory.Export(r.Context()) {
		if err != nil {
			_ = enc.Encode(refusal.Failure{Error: err.Error()})
			return
		}
		if enc.Encode(m) != nil {
			return // the client hung up
		}
	}
}
