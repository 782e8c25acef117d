package control

import (
	"context"
	"net/http"
)

func (s *Server) configRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/config", func(w http.ResponseWriter, r *http.Request) {
		c, err := s.opt.Configuration.Show(r.Context())
		if err != nil {
			fail(w, r, err)
			return
		}
		answer(w, http.StatusOK, c)
	})
	mux.HandleFunc("POST /v1/reload", command(func(ctx context.Context, _ struct{}) (any, error) {
		return s.opt.Configuration.Reload(ctx)
	}))
}
