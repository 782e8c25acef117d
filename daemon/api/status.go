package api

import (
	"time"

	"hearthd/daemon/doctor"
	"hearthd/daemon/event"
)

// Status is the answer to GET /v1/status.
type Status struct {
	Node    string      `json:"node"`
	Time    time.Time   `json:"time"` // now, in the time zone of the household
	Wake    string      `json:"wake"` // what opens a turn, as wake.engine
	Version string      `json:"version"`
	State   event.State `json:"state"`
	Muted   bool        `json:"muted"`
	Volume  int         `json:"volume"` // percent
	Turns   uint64      `json:"turns"`  // id of the last turn
	// Policy says what may go to the responder, "auto" or "local"; empty: there is none.
	Policy      string            `json:"policy,omitempty"`
	DND         bool              `json:"dnd,omitempty"`
	Transcripts bool              `json:"transcripts,omitempty"` // events carry words
	Recordings  int               `json:"recordings,omitempty"`  // utterances that are kept; 0: none is
	UptimeS     int64             `json:"uptime_s"`
	Frames      uint64            `json:"frames"`          // captured since the start
	Dropped     uint64            `json:"dropped"`         // samples that found the capture ring full
	Broker      string            `json:"broker"`          // "connected", "connecting" or "off"
	Boxes       []string          `json:"boxes,omitempty"` // the others of the household that are there
	Conditions  []event.Condition `json:"conditions"`
	Timers      []event.Timer     `json:"timers"`
	Ringing     []event.Timer     `json:"ringing,omitempty"` // what rings now, even if the speaker does not work
	Media       event.Media       `json:"media"`
	Responder   *Spending         `json:"responder,omitempty"`
	// Heard says how many of the last turns each recogniser has heard, where there are several.
	Heard map[string]int `json:"heard,omitempty"`
}

// Spending is what the responder has cost, in units of Currency.
type Spending struct {
	Day      float64 `json:"day"`
	Month    float64 `json:"month"`
	Daily    float64 `json:"daily_budget"`
	Monthly  float64 `json:"monthly_budget"`
	Currency string  `json:"currency"`
}

// Console says where the web page is, and how to log in.
type Console struct {
	URLs    []string `json:"urls"` // none: there is no page
	Token   string   `json:"token,omitempty"`
	Metrics string   `json:"metrics,omitempty"` // the token that opens /metrics alone
	Problem string   `json:"problem,omitempty"` // why it is not there
}

// Probed is how a daemon identifies itself, with the result of the check that it was asked for.
type Probed struct {
	PID      int              `json:"pid"`
	Begun    time.Time        `json:"begun"`
	StateDir string           `json:"state_dir"`
	Findings []doctor.Finding `json:"findings"`
}

// Box is a box on the broker, as its retained topics describe it.
type Box struct {
	Node       string            `json:"node"`
	House      string            `json:"house,omitempty"`
	Version    string            `json:"version"`
	Online     bool              `json:"online"`
	State      string            `json:"state"`
	Conditions []event.Condition `json:"conditions"`
	LastTurn   *LastTurn         `json:"last_turn,omitempty"`
}

// LastTurn is a turn without its words, which the broker may keep.
type LastTurn struct {
	Route        string    `json:"route"`
	Intent       string    `json:"intent,omitempty"`
	Thinker      string    `json:"thinker,omitempty"`
	Source       string    `json:"source"`
	WokenBy      string    `json:"woken_by"`
	Outcome      string    `json:"outcome"`
	Turn         uint64    `json:"turn"`
	Time         time.Time `json:"time"`
	FirstSoundMS int64     `json:"first_sound_ms,omitempty"`
	TotalMS      int64     `json:"total_ms"`
}

// Broker is how programs of this machine join the embedded broker.
type Broker struct {
	Host     string `json:"host"`
	Port     string `json:"port"`
	User     string `json:"user"`
	Password string `json:"password"`
}

// Setting is one key of the configuration.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // YAML on one line
	Default string `json:"default"`
	Origin  string `json:"origin"` // FILE:LINE, a variable, or "default"
}

// Configuration is the answer to GET /v1/config.
type Configuration struct {
	File    string    `json:"file"` // empty: there is none
	Running []Setting `json:"running"`
	// Disk is what a start would find now in the files; it is empty when that has Problems.
	Disk     []Setting `json:"disk"`
	Problems []string  `json:"problems"`
	// Live are the keys that differ between the two and need no restart, Restart the others.
	Live    []string `json:"live"`
	Restart []string `json:"restart"`
}

// Reloaded is the answer to POST /v1/reload. With Problems nothing has changed.
type Reloaded struct {
	Applied  []string `json:"applied"` // keys
	Restart  []string `json:"restart"` // keys that changed and wait for a restart
	Problems []string `json:"problems,omitempty"`
	// Came and Gone are the declared tools and the intents that there are now, and were not before, or no longer.
	Came []string `json:"came,omitempty"`
	Gone []string `json:"gone,omitempty"`
}

// LogLine is one line of the log.
type LogLine struct {
	Seq       uint64    `json:"seq"` // grows by one
	Time      time.Time `json:"time"`
	Level     string    `json:"level"`
	Component string    `json:"component,omitempty"`
	Turn      uint64    `json:"turn,omitempty"`
	Message   string    `json:"message"`
	Text      string    `json:"text,omitempty"` // the rest, as KEY=VALUE
}
