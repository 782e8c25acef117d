package control

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
)

// maxModel bounds the body of a wake word that is installed: a network of 4 MiB
// in base64, and its manifest.
const maxModel = 6 << 20

// wakeWords is who keeps the wake words.
type wakeWords interface {
	// List names the words of the configuration, and the models that are installed.
	List(ctx context.Context) ([]Word, error)
	// Install keeps a microWakeWord model under a name: its manifest, JSON, and its
	// network. A model that could not be heard is refused, and replaces nothing.
	Install(ctx context.Context, name string, manifest, network []byte) (Word, error)
	// Enroll records a word a few times and keeps it. The sequence ends with the
	// step done, or with an error.
	Enroll(ctx context.Context, name string) iter.Seq2[EnrollStep, error]
}

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

type installBody struct {
	Name     string          `json:"name"`
	Manifest json.RawMessage `json:"manifest"`
	Network  []byte          `json:"network"` // base64
}

type enrollBody struct {
	Name string `json:"name"`
}

func (s *Server) words(w http.ResponseWriter, r *http.Request) {
	list, err := s.opt.Wake.List(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	if list == nil {
		list = []Word{}
	}
	answer(w, http.StatusOK, list)
}

// enroll streams the steps of an enrolment. Whoever hangs up ends it. What went
// wrong is an event with an error instead of a state.
func (s *Server) enroll(w http.ResponseWriter, r *http.Request) {
	var b enrollBody
	if err := decode(r.Body, &b); err != nil {
		fail(w, r, err)
		return
	}
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	st.begin()
	for step, err := range s.opt.Wake.Enroll(r.Context(), b.Name) {
		if err != nil {
			st.data(failure{err.Error()})
			return
		}
		if st.data(step); !st.ok {
			return
		}
	}
}
