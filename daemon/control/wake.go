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

func (s *Server) enrolWord(ctx context.Context, b api.Enroll) iter.Seq2[api.EnrollStep, error] {
	return s.opt.Wake.Enroll(ctx, b.Name)
}

func (s *Server) enrolVoice(ctx context.Context, b api.Person) iter.Seq2[api.EnrollStep, error] {
	return s.opt.Voices.Enroll(ctx, b.Person)
}

func (s *Server) tunePhrase(ctx context.Context, b api.Tune) iter.Seq2[api.TuneStep, error] {
	return s.opt.Wake.Tune(ctx, b)
}

// steps streams the steps of what a request asks for. A client that hangs up ends it. What went wrong is an event with
// an error.
func steps[B, T any](s *Server, do func(context.Context, B) iter.Seq2[T, error]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body B
		if err := decode(r.Body, &body); err != nil {
			fail(w, r, err)
			return
		}
		st, ok := s.stream(w)
		if !ok {
			return
		}
		defer st.close()
		st.begin()
		for step, err := range do(r.Context(), body) {
			if err != nil {
				st.data(refusal.Failure{Error: err.Error()})
				return
			}
			if st.data(step); !st.ok {
				return
			}
		}
	}
}
