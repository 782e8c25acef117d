package api

import "time"

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

// Thinker is one of the thinkers.
type Thinker struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Origin      string   `json:"origin"` // its file, or "built in"
	Model       string   `json:"model"`
	Tools       []string `json:"tools"` // that are installed
	CacheS      float64  `json:"cache_s"`
	Background  bool     `json:"background,omitempty"`
	Live        bool     `json:"live"` // all that it needs works
}

// Import is the body of POST /v1/memory/import.
type Import struct {
	Entries []Memory `json:"entries"`
}

// Counted is how many entries were imported or forgotten.
type Counted struct {
	Entries int `json:"entries"`
	// Upgrade: the backup that an upgrade had kept for the way back was forgotten with them.
	Upgrade bool `json:"upgrade,omitempty"`
}
