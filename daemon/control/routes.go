package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// consolePath is where hearthctl reads the address and the token of the console.
const consolePath = "/v1/console"

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", question(func(r *http.Request) (any, error) { return s.status(r, "status") }))
	mux.HandleFunc("GET /v1/timers", question(func(r *http.Request) (any, error) {
		st, err := s.status(r, "timers")
		return st.Timers, err
	}))
	mux.HandleFunc("GET /v1/media", question(func(r *http.Request) (any, error) {
		st, err := s.status(r, "media")
		return st.Media, err
	}))
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("GET /v1/meter", s.meter)
	mux.HandleFunc("GET /v1/live", s.live)
	mux.HandleFunc("GET /v1/turns", question(s.turns))
	mux.HandleFunc("GET /v1/turns/{turn}/sound", s.sound)
	mux.HandleFunc("POST /v1/turns/erase", command(s.erase))
	mux.HandleFunc("GET /v1/log", question(s.log))
	mux.HandleFunc("GET "+consolePath, question(func(*http.Request) (any, error) { return s.opt.Console(), nil }))
	mux.HandleFunc("GET /v1/mqtt/client", question(func(*http.Request) (any, error) { return s.opt.Broker() }))
	mux.HandleFunc("GET /v1/wake", question(func(r *http.Request) (any, error) {
		return orNone(s.opt.Wake.List(r.Context()))
	}))
	mux.HandleFunc("POST /v1/wake/enroll", steps(s, s.enrolWord))
	mux.HandleFunc("POST /v1/wake/tune", steps(s, s.tunePhrase))
	mux.HandleFunc("GET /v1/voice", question(func(r *http.Request) (any, error) {
		return orNone(s.opt.Voices.List(r.Context()))
	}))
	mux.HandleFunc("POST /v1/voice/enroll", steps(s, s.enrolVoice))
	mux.HandleFunc("POST /v1/voice/remove", command(func(ctx context.Context, b api.Person) (any, error) {
		return nil, s.opt.Voices.Remove(ctx, b.Person)
	}))
	mux.HandleFunc("POST "+installPath, command(func(ctx context.Context, b api.Install) (any, error) {
		return s.opt.Wake.Install(ctx, b.Name, b.Manifest, b.Network)
	}))
	mux.HandleFunc("GET /v1/lists", question(func(r *http.Request) (any, error) { return s.opt.Lists(r.Context()) }))
	s.speakerRoutes(mux)
	mux.HandleFunc("POST /v1/mqtt/withdraw", order(s.opt.Withdraw))
	mux.HandleFunc("GET /v1/fleet", question(func(r *http.Request) (any, error) { return s.opt.Fleet(r.Context()) }))
	mux.HandleFunc("POST /v1/probe", command(func(ctx context.Context, b api.Probe) (any, error) {
		return s.opt.Probe(ctx, b.Check, b.Cold)
	}))
	s.memoryRoutes(mux)
	s.householdRoutes(mux)
	s.toolRoutes(mux)
	s.configRoutes(mux)
	mux.HandleFunc("GET /v1/backup", s.backup)
	return bounded(mux)
}

// speakerRoutes are the routes for speaking and for what was said.
func (s *Server) speakerRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/say", s.announce(false))
	mux.HandleFunc("POST /v1/announce", s.announce(true))
	mux.HandleFunc("POST /v1/ask", command(func(ctx context.Context, b api.Ask) (any, error) {
		until, done := untilHungUp(ctx, s.opt.Speaker.Stop)
		defer done()
		turn, err := s.opt.Speaker.AskAs(until, b.As, b.Text, b.Question)
		if err != nil && ctx.Err() != nil && !errors.Is(err, refusal.ErrUnbegun) {
			err = ctx.Err()
		}
		return turn, err
	}))
	mux.HandleFunc("POST /v1/listen", order(s.opt.Speaker.Listen))
	mux.HandleFunc("POST /v1/stop", order(s.opt.Speaker.Stop))
	mux.HandleFunc("POST /v1/mute", command(func(ctx context.Context, b api.Mute) (any, error) {
		if b.Muted == nil {
			return nil, badRequest("muted is missing")
		}
		return nil, s.opt.Speaker.SetMuted(ctx, *b.Muted)
	}))
	mux.HandleFunc("POST /v1/volume", command(func(ctx context.Context, b api.Volume) (any, error) {
		if b.Percent == nil {
			return nil, badRequest("percent is missing")
		}
		return nil, s.opt.Speaker.SetVolume(ctx, *b.Percent)
	}))
}

// announce speaks a text; chime is whether it usually has one.
func (s *Server) announce(chime bool) http.HandlerFunc {
	return command(func(ctx context.Context, b api.Speech) (any, error) {
		if b.Priority != "" && b.Priority != "normal" && b.Priority != "urgent" {
			return nil, badRequest("priority is neither normal nor urgent")
		}
		with := chime
		if b.Chime != nil {
			with = *b.Chime
		}
		return nil, s.opt.Speaker.Announce(ctx, b.Text, with, b.Priority == "urgent")
	})
}

// status reads the whole state. what names the part that the request wants, for the error.
func (s *Server) status(r *http.Request, what string) (st api.Status, err error) {
	if st, err = s.opt.Status(r.Context()); err != nil {
		return st, fmt.Errorf("read %s: %w", what, err)
	}
	st.Conditions, _ = orNone(st.Conditions, nil)
	st.Timers, _ = orNone(st.Timers, nil)
	return st, nil
}

func (s *Server) configRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/config", question(func(r *http.Request) (any, error) {
		return s.opt.Configuration.Show(r.Context())
	}))
	mux.HandleFunc("POST /v1/reload", command(func(ctx context.Context, _ struct{}) (any, error) {
		return s.opt.Configuration.Reload(ctx)
	}))
}

func (s *Server) toolRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/tools", question(func(*http.Request) (any, error) {
		return orNone(s.opt.Tools.Tools(), nil)
	}))
	mux.HandleFunc("GET /v1/tools/changes", question(func(*http.Request) (any, error) {
		return s.opt.Tools.ToolChanges(), nil
	}))
	mux.HandleFunc("POST /v1/tools/accept", command(func(ctx context.Context, b api.ToolAcceptance) (any, error) {
		return nil, s.opt.Tools.AcceptTool(ctx, b)
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
