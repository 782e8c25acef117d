package control

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// maxListed bounds the entries of one answer; an export has no bound.
	maxListed = 1000
	// maxImported bounds the entries of one request.
	maxImported = 100
)

// Memory is one thing that is remembered. Kind is "note", "fact" or "person".
type Memory struct {
	Kind     string    `json:"kind"`
	ID       int64     `json:"id,omitempty"` // of a note
	Person   string    `json:"person,omitempty"`
	Name     string    `json:"name,omitempty"`     // of a fact
	Category string    `json:"category,omitempty"` // of a fact: personal, preference, knowledge or general
	Fixed    bool      `json:"fixed,omitempty"`    // a fact that may not be changed
	Text     string    `json:"text"`
	Source   string    `json:"source,omitempty"` // of a note
	Time     time.Time `json:"time,omitzero"`    // of a person: when they were last active
	// Of a person, whose Text is the summary of all conversations:
	Called   string   `json:"called,omitempty"`
	Place    string   `json:"place,omitempty"`
	Units    string   `json:"units,omitempty"`
	Tickers  []string `json:"tickers,omitempty"`
	Topics   []string `json:"topics,omitempty"`
	Sessions int      `json:"sessions,omitempty"`
}

// Forget says what is to be forgotten: one of its fields.
type Forget struct {
	About      string  `json:"about,omitempty"`
	Notes      []int64 `json:"notes,omitempty"`
	Everything bool    `json:"everything,omitempty"`
	Fact       *Fact   `json:"fact,omitempty"`
}

// Fact names one fact. Person is empty for one of the household.
type Fact struct {
	Person string `json:"person,omitempty"`
	Name   string `json:"name"`
}

// memories is what is remembered.
type memories interface {
	// Remembered gives what is remembered, the newest first, or what answers a
	// search, the best first.
	Remembered(ctx context.Context, search string, limit int) ([]Memory, error)
	// Export gives all of it.
	Export(ctx context.Context) iter.Seq2[Memory, error]
	// Import adds entries, and gives how many were new or changed.
	Import(ctx context.Context, entries []Memory) (int, error)
	// Forget erases, and gives how many entries are gone.
	Forget(ctx context.Context, what Forget) (int, error)
}

// Thinker is one of the thinkers.
type Thinker struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Origin      string   `json:"origin"` // its file, or "built in"
	Model       string   `json:"model"`
	Tools       []string `json:"tools"` // that are installed
	CacheS      float64  `json:"cache_s"`
	Background  bool     `json:"background,omitempty"`
	Live        bool     `json:"live"` // it has what it needs
}

func (s *Server) memoryRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/thinkers", func(w http.ResponseWriter, r *http.Request) {
		list := s.opt.Thinkers()
		if list == nil {
			list = []Thinker{}
		}
		answer(w, http.StatusOK, list)
	})
	mux.HandleFunc("GET /v1/memory", s.remembered)
	mux.HandleFunc("GET /v1/memory/export", s.export)
	mux.HandleFunc("POST /v1/memory/import", command(func(ctx context.Context, b importBody) (any, error) {
		if len(b.Entries) == 0 || len(b.Entries) > maxImported {
			return nil, badRequest("entries: want 1 to " + strconv.Itoa(maxImported))
		}
		n, err := s.opt.Memory.Import(ctx, b.Entries)
		return counted{n}, err
	}))
	mux.HandleFunc("POST /v1/memory/forget", command(func(ctx context.Context, b Forget) (any, error) {
		if one(b.About != "", len(b.Notes) > 0, b.Everything, b.Fact != nil) {
			n, err := s.opt.Memory.Forget(ctx, b)
			return counted{n}, err
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

type importBody struct {
	Entries []Memory `json:"entries"`
}

type counted struct {
	Entries int `json:"entries"`
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
		list = []Memory{}
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
			_ = enc.Encode(failure{err.Error()})
			return
		}
		if enc.Encode(m) != nil {
			return // the client hung up
		}
	}
}
