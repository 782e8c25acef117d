package control

import (
	"context"
	"encoding/json"
	"net/http"
)

// Tool is one thing that hearthd can do.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Origin      string          `json:"origin"` // "built in", its manifest, or its server
	Triggers    []string        `json:"triggers,omitempty"`
	TimeoutS    float64         `json:"timeout_s,omitempty"` // 0: that of all tools
	CooldownS   float64         `json:"cooldown_s,omitempty"`
	Confirm     bool            `json:"confirm,omitempty"` // it may ask a person first
	Person      bool            `json:"person,omitempty"`  // it needs to know who asks
	ReadOnly    bool            `json:"read_only,omitempty"`
}

// ToolRun asks for one run of a tool.
type ToolRun struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	As        string          `json:"as,omitempty"`        // one of memory.people; empty: the household
	Confirmed bool            `json:"confirmed,omitempty"` // the question of an earlier run was answered with yes
	// Question is that question; if it is another one by now, it is asked.
	Question string `json:"question,omitempty"`
}

// ToolOutcome is what came of a run.
type ToolOutcome struct {
	Outcome  string `json:"outcome"` // "ok", "asked", or what went wrong
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // to which a person has to say yes before it is done
	Data     any    `json:"data,omitempty"`
	Sources  any    `json:"sources,omitempty"`
	Foreign  bool   `json:"foreign,omitempty"` // words of Text are from outside the house
	TookMS   int64  `json:"took_ms"`
}

// toolbox is what hearthd can do. A run that went wrong is an outcome; an error
// says that there was none.
type toolbox interface {
	Tools() []Tool
	RunTool(ctx context.Context, run ToolRun) (ToolOutcome, error)
}

func (s *Server) toolRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		list := s.opt.Tools.Tools()
		if list == nil {
			list = []Tool{}
		}
		answer(w, http.StatusOK, list)
	})
	mux.HandleFunc("POST /v1/tools/run", command(func(ctx context.Context, b ToolRun) (any, error) {
		if b.Name == "" {
			return nil, badRequest("name is missing")
		}
		if b.Confirmed && b.Question == "" {
			return nil, badRequest("question is missing: what is confirmed is the answer to one")
		}
		return s.opt.Tools.RunTool(ctx, b)
	}))
}
