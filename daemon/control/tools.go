package control

import (
	"context"
	"net/http"

	"hearthd/daemon/api"
)

// toolbox is what hearthd can do. A run that went wrong is an outcome; an error
// says that there was none.
type toolbox interface {
	Tools() []api.Tool
	RunTool(ctx context.Context, run api.ToolRun) (api.ToolOutcome, error)
}

func (s *Server) toolRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		list := s.opt.Tools.Tools()
		if list == nil {
			list = []api.Tool{}
		}
		answer(w, http.StatusOK, list)
	})
	mux.HandleFunc("POST /v1/tools/run", command(func(ctx context.Context, b api.ToolRun) (any, error) {
		if b.Name == "" {
			return nil, badRequest("name is missing")
		}
		return s.opt.Tools.RunTool(ctx, b)
	}))
}
