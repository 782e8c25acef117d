package control

import (
	"context"
	"iter"
	"net/http"

	"hearthd/daemon/api"
)

// maxModel bounds the body of a wake word that is installed: a network of 4 MiB
// in base64, and its manifest.
const maxModel = 6 << 20

// wakeWords is who keeps the wake words.
type wakeWords interface {
	// List names the words of the configuration, and the models that are installed.
	List(ctx context.Context) ([]api.Word, error)
	// Install keeps a microWakeWord model under a name: its manifest, JSON, and its
	// network. A model that could not be heard is refused, and replaces nothing.
	Install(ctx context.Context, name string, manifest, network []byte) (api.Word, error)
	// Enroll records a word a few times and keeps it. The sequence ends with the
	// step done, or with an error.
	Enroll(ctx context.Context, name string) iter.Seq2[api.EnrollStep, error]
}

func (s *Server) words(w http.ResponseWriter, r *http.Request) {
	list, err := s.opt.Wake.List(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	if list == nil {
		list = []api.Word{}
	}
	answer(w, http.StatusOK, list)
}

// enroll streams the steps of an enrolment. Whoever hangs up ends it. What went
// wrong is an event with an error instead of a state.
func (s *Server) enroll(w http.ResponseWriter, r *http.Request) {
	var b api.Enroll
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
			st.data(api.Failure{Error: err.Error()})
			return
		}
		if st.data(step); !st.ok {
			return
		}
	}
}
