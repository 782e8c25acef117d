package control

import (
	"context"
	"net/http"

	"hearthd/daemon/api"
)

// configuration is the daemon's own.
type configuration interface {
	// Show gives what holds and what the files say.
	Show(ctx context.Context) (api.Configuration, error)
	// Reload reads the files anew. Mistakes in them are no error.
	Reload(ctx context.Context) (api.Reloaded, error)
}

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
