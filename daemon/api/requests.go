package api

// Speech is the body of POST /v1/say and /v1/announce.
type Speech struct {
	Text     string `json:"text"`
	Chime    *bool  `json:"chime,omitempty"`    // absent: yes for announce, no for say
	Priority string `json:"priority,omitempty"` // "normal", when absent, or "urgent"
}

// Ask is the body of POST /v1/ask.
type Ask struct {
	Text string `json:"text"`
	As   string `json:"as,omitempty"` // one of memory.people; empty: the household
	// Question is the question that the text says yes to, worded as in the turn that asked it.
	Question string `json:"question,omitempty"`
}

// Probe is the body of POST /v1/probe.
type Probe struct {
	Check string `json:"check"` // empty: none, only who runs
	Cold  bool   `json:"cold"`  // the thinker's model may be unloaded
}

// Mute is the body of POST /v1/mute.
type Mute struct {
	Muted *bool `json:"muted"`
}

// Volume is the body of POST /v1/volume.
type Volume struct {
	Percent *int `json:"percent"`
}

// Policy is the body of POST /v1/policy: auto or local.
type Policy struct {
	Policy string `json:"policy"`
}

// DND is the body of POST /v1/dnd.
type DND struct {
	On *bool `json:"on"`
}

// CancelTimer is the body of POST /v1/timers/cancel.
type CancelTimer struct {
	ID int64 `json:"id"`
}

// Sentence is the body of POST /v1/intents/try.
type Sentence struct {
	Text string `json:"text"`
}

// Erase is the body of POST /v1/turns/erase: a turn, or all.
type Erase struct {
	Turn uint64 `json:"turn"`
	All  bool   `json:"all"`
}
