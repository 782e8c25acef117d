package control

import (
	"context"
	"net/http"
)

// configuration is the daemon's own.
type configuration interface {
	// Show gives what holds and what the files say.
	Show(ctx context.Context) (Configuration, error)
	// Reload reads the files anew. Mistakes in them are no error.
	Reload(ctx context.Context) (Reloaded, error)
}

// Setting is one key of the configuration.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // YAML on one line
	Default string `json:"default"`
	Origin  string `json:"origin"` // FILE:LINE, a variable, or "default"
}

// Configuration is the answer to GET /v1/config.
type Configuration struct {
	File    string    `json:"file"` // empty: there is none
	Running []Setting `json:"running"`
	// Disk is what a start would find now; it is empty when that has Problems.
	Disk     []Setting `json:"disk"`
	Problems []string  `json:"problems"`
	// Live are the keys of both that differ and need no restart, Restart the others.
	Live    []string `json:"live"`
	Restart []string `json:"restart"`
}

// Reloaded is the answer to POST /v1/reload. With Problems nothing has changed.
type Reloaded struct {
	Applied  []string `json:"applied"` // keys
	Restart  []string `json:"restart"` // keys that changed and wait for a restart
	Problems []string `json:"problems,omitempty"`
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
