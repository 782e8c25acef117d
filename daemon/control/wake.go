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
	steps(s, w, s.opt.Wake.Enroll(r.Context(), b.Name))
}

func (s *Server) enrolVoice(w http.ResponseWriter, r *http.Request) {
	var b api.Person
	if err := decode(r.Body, &b); err != nil {
		fail(w, r, err)
		return
	}
	steps(s, w, s.opt.Voices.Enroll(r.Context(), b.Person))
}

// tunePhrase streams how far it has come.
func (s *Server) tunePhrase(w http.ResponseWriter, r *http.Request) {
	var b api.Tune
	if err := decode(r.Body, &b); err != nil {
		fail(w, r, err)
		return
	}
	steps(s, w, s.opt.Wake.Tune(r.Context(), b))
}

// steps streams the steps of something. A client that hangs up ends it. What went wrong is an event with an error.
func steps[T any](s *Server, w http.ResponseWriter, all iter.Seq2[T, error]) {
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
