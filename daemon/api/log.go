package api

import "time"

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
