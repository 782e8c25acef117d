package e2e

// Status is what the demo and the tests read of the daemon's status.
type Status struct {
	State      string      `json:"state"`
	Muted      bool        `json:"muted"`
	Volume     int         `json:"volume"`
	Frames     uint64      `json:"frames"`
	Dropped    uint64      `json:"dropped"`
	Broker     string      `json:"broker"`
	Conditions []Condition `json:"conditions"`
	Timers     []Timer     `json:"timers"`
	Ringing    []Timer     `json:"ringing"`
	Boxes      []string    `json:"boxes"`

	Heard map[string]int `json:"heard"` // turns, by the recogniser
}

// Condition is a standing problem.
type Condition struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Has reports whether the condition code holds.
func (s *Status) Has(code string) bool {
	for _, c := range s.Conditions {
		if c.Code == code {
			return true
		}
	}
	return false
}

// Timer is a timer, an alarm or a reminder.
type Timer struct {
	Kind  string `json:"kind"`
	Label string `json:"label"`
}

// Turn is what the demo and the tests read of the document of a turn.
type Turn struct {
	ID         uint64    `json:"turn"`
	Source     string    `json:"source"`
	WokenBy    string    `json:"woken_by"`
	HeardBy    string    `json:"heard_by"` // the recogniser, where there are several
	Route      string    `json:"route"`
	Intent     string    `json:"intent"`
	Outcome    string    `json:"outcome"`
	Reason     string    `json:"reason"`
	Transcript string    `json:"transcript"`
	Answer     string    `json:"answer"`
	Question   string    `json:"question"` // to which a yes is wanted
	Tools      []ToolUse `json:"tools"`
	Stages     Stages    `json:"stages_ms"`
	Recalled   int       `json:"recalled"`
	Cost       float64   `json:"cost"`
}

// ToolUse is a tool call of a turn.
type ToolUse struct {
	Tool    string `json:"tool"`
	Outcome string `json:"outcome"`
}

// Stages are how long each stage of a turn took, in milliseconds.
type Stages struct {
	Endpoint   int `json:"endpoint"`
	STT        int `json:"stt"`
	Route      int `json:"route"`
	Tool       int `json:"tool"`
	TTS        int `json:"tts"`
	Play       int `json:"play"`
	FirstSound int `json:"first_sound"`
	Total      int `json:"total"`
}
