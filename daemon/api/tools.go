package api

import "encoding/json"

// Tool is one thing that hearthd can do.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Origin      string          `json:"origin"` // "built in", its manifest, or its server
	Triggers    []string        `json:"triggers,omitempty"`
	TimeoutS    float64         `json:"timeout_s,omitempty"` // 0: the usual one
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
	Confirmed bool            `json:"confirmed,omitempty"` // somebody said yes to the question of an earlier run
	// Question is that question; if the run would ask another one now, that one is asked.
	Question string `json:"question,omitempty"`
}

// ToolOutcome is the result of a run.
type ToolOutcome struct {
	Outcome  string `json:"outcome"` // "ok", "asked", or what went wrong
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // to which a person has to say yes before it is done
	Data     any    `json:"data,omitempty"`
	Sources  any    `json:"sources,omitempty"`
	Foreign  bool   `json:"foreign,omitempty"` // words of Text are from outside the house
	TookMS   int64  `json:"took_ms"`
}

// ToolChange is a tool of a server (MCP) whose description has changed since the owner agreed to
// it. It is not offered until they agree again.
type ToolChange struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"` // as the server calls it
	Hash        string `json:"hash"`
	New         bool   `json:"new,omitempty"` // there was none of that name
	Description string `json:"description"`
}

// ToolAcceptance agrees to a ToolChange.
type ToolAcceptance struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash"`
}
