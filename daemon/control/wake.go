package control

import (
	"context"
	"iter"
	"net/http"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// voices are those of people who are known by them.
type voices interface {
	List(ctx context.Context) ([]api.Voice, error)
	Enroll(ctx context.Context, person string) iter.Seq2[api.EnrollStep, error]
	Remove(ctx context.Context, person string) error
}

// enrolWord and enrolVoice stream the steps of an enrolment.
func (s *Server) enrolWord(w http.ResponseWriter, r *http.Request) {
	var b api.Enroll
	if err := decode(r.Body, &b); err != nil {
		fail(w, r, err)
		return
	}
	s.steps(w, s.opt.Wake.Enroll(r.Context(), b.Name))
}

func (s *Server) enrolVoice(w http.ResponseWriter, r *http.Request) {
	var b api.Person
	if err := decode(r.Body, &b); err != nil {
		fail(w, r, err)
		return
	}
	s.steps(w, s.opt.Voices.Enroll(r.Context(), b.Person))
}

// steps streams them. A client that hangs up ends the enrolment. What went wrong is an event with an error instead of a
// state.
func (s *Server) steps(w http.ResponseWriter, all iter.Seq2[api.EnrollStep, error]) {
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	st.begin()
	for step, err := range all {
		if err != nil {
			st.data(refusal.Failure{Error: err.Error()})
			return
		}
		if st.data(step); !st.ok {
			return
		}
	}
}
