package control

import (
	"context"
	"net/http"
)

func (s *Server) configRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/config", question(func(r *http.Request) (any, error) {
		return s.opt.Configuration.Show(r.Context())
	}))
	mux.HandleFunc("POST /v1/reload", command(func(ctx context.Context, _ struct{}) (any, error) {
		return s.opt.Configuration.Reload(ctx)
	}))
}
