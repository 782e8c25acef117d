package control

import (
	"net/http"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// enroll streams the steps of an enrolment. A client that hangs up ends it. What went wrong is an
// event with an error instead of a state.
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
			st.data(refusal.Failure{Error: err.Error()})
			return
		}
		if st.data(step); !st.ok {
			return
		}
	}
}
