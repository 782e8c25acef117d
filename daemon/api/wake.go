package api

import "encoding/json"

// Word is a wake word of the configuration, or a model that is installed.
type Word struct {
	Model string `json:"model"` // as wake.words names it
	Name  string `json:"name"`  // as events show it
	Type  string `json:"type"`  // model, enrolled or server
	// Configured says that the configuration names it. Kind and Route are its.
	Configured bool   `json:"configured"`
	Kind       string `json:"kind,omitempty"`  // wake or stop
	Route      string `json:"route,omitempty"` // local or cloud, empty: any
	Error      string `json:"error,omitempty"` // why it is not heard
}

// EnrollStep is one step of an enrolment.
type EnrollStep struct {
	// State is "say" (the person is to say the word now), "heard" (a recording was
	// judged) or "done" (the word is kept).
	State    string  `json:"state"`
	Good     int     `json:"good"` // recordings that agree so far
	Of       int     `json:"of"`   // how many are needed
	Problem  string  `json:"problem,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`    // length of the word
	Level    float64 `json:"level_dbfs,omitempty"` // of the word
	Distance float32 `json:"distance,omitempty"`   // to the nearest other recording: 0 alike, 1 unlike
	Spread   float32 `json:"spread,omitempty"`     // done: mean distance of the recordings
	Model    string  `json:"model,omitempty"`      // done: as wake.words names it
}

// Tune is the body of POST /v1/wake/tune: a phrase that is tuned with the talk that the box hears.
type Tune struct {
	Phrase  string  `json:"phrase"`
	Server  string  `json:"server"` // a hearth-speech
	Minutes float64 `json:"minutes"`
}

// TuneStep is how far that has come.
type TuneStep struct {
	Minutes float64 `json:"minutes"` // of talk
	Cutoff  float64 `json:"cutoff"`
	Alarms  int     `json:"alarms"` // how often talk was taken for the phrase, with lower cutoffs
	Done    bool    `json:"done,omitempty"`
}

// Install is the body of POST /v1/wake/install.
type Install struct {
	Name     string          `json:"name"`
	Manifest json.RawMessage `json:"manifest"`
	Network  []byte          `json:"network"` // base64
}

// Enroll is the body of POST /v1/wake/enroll.
type Enroll struct {
	Name string `json:"name"`
}
