package control

import (
	"context"
	"net/http"

	"hearthd/daemon/api"
)

func (s *Server) toolRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/tools", question(func(*http.Request) (any, error) { return orNone(s.opt.Tools.Tools(), nil) }))
	mux.HandleFunc("GET /v1/tools/changes", question(func(*http.Request) (any, error) {
		return s.opt.Servers.ToolChanges(), nil
	}))
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
