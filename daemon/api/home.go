package api

// ListChange puts names on a list, or takes them off.
type ListChange struct {
	List   string   `json:"list"`
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// Device is something in the house with a state that can be read or changed.
type Device struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Area    string `json:"area,omitempty"`
	State   any    `json:"state,omitempty"` // as far as it reports one
	Offline bool   `json:"offline,omitempty"`
	Hidden  bool   `json:"hidden,omitempty"` // a setting or a diagnosis, which people do not talk about
	// Entrance is nil for a device that is no way into the house, if nobody marked it.
	Entrance *Entrance `json:"entrance,omitempty"`
}

// Devices is the answer to GET /v1/devices. Skipped are documents that were not understood.
type Devices struct {
	Devices []Device `json:"devices"`
	Skipped []string `json:"skipped"`
}

// EntranceMark is the body of POST /v1/devices/entrance: what the owner says of a device, or that
// they take it back.
type EntranceMark struct {
	ID   string `json:"id"`
	Is   *bool  `json:"is,omitempty"`
	Auto bool   `json:"auto,omitempty"`
}

// Entrance says whether a device lets people into the house, so that a person is asked
// before it opens.
type Entrance struct {
	Is     bool   `json:"is"`
	Why    string `json:"why"`
	Marked bool   `json:"marked,omitempty"` // the owner said so
}

// Engines is what hears and speaks, and the models of speech that are on the box.
type Engines struct {
	Hears   string        `json:"hears"` // stt.engine
	Speaks  string        `json:"speaks"`
	Models  []SpeechModel `json:"models"`
	Mistake string        `json:"mistake,omitempty"` // of a model that cannot be used
	// Command is what gets models onto the box. It writes where only root may, and so is not hearthd's to run.
	Command  string   `json:"command"`
	Installs bool     `json:"installs,omitempty"` // a unit runs the command for who asks hearthd
	Log      []string `json:"log,omitempty"`      // what it has said
}

// SpeechModel is one that hearth-speech can run.
type SpeechModel struct {
	Name      string   `json:"name"`
	Task      string   `json:"task"`
	Languages []string `json:"languages"` // none: many
	Used      bool     `json:"used"`
}

// Hearing is the settings of the gate, which may be tuned while it listens. They hold until the
// next start or reload.
type Hearing struct {
	Threshold  float64 `json:"threshold"` // probabilities
	Release    float64 `json:"release"`
	PreRollMS  int64   `json:"pre_roll_ms"`
	MinMS      int64   `json:"min_speech_ms"`
	SilenceMS  int64   `json:"end_silence_ms"`
	LongestMS  int64   `json:"max_utterance_ms"`
	Configured bool    `json:"configured"` // it is what the files say
}
