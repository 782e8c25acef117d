package control

import (
	"context"
	"net/http"

	"hearthd/daemon/api"
)

func (s *Server) toolRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		list := s.opt.Tools.Tools()
		if list == nil {
			list = []api.Tool{}
		}
		answer(w, http.StatusOK, list)
	})
	mux.HandleFunc("GET /v1/tools/changes", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, s.opt.Servers.ToolChanges())
	})
	mux.HandleFunc("POST /v1/tools/accept", command(func(ctx context.Context, b api.ToolAcceptance) (any, error) {
		return nil, s.opt.Servers.AcceptTool(ctx, b)
	}))
	mux.HandleFunc("POST /v1/tools/run", command(func(ctx context.Context, b api.ToolRun) (any, error) {
		if b.Name == "" {
			return nil, badRequest("name is missing")
		}
		if b.Confirmed && b.Question == "" {
			return nil, badRequest("question is missing: what is confirmed is the answer to one")
		}
		return s.opt.Tools.RunTool(ctx, b)
	}))
}
