package control

import (
	"context"
	"fmt"
	"net/http"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// consolePath tells the token of the console.
const consolePath = "/v1/console"

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", s.status)
	mux.HandleFunc("GET /v1/timers", s.timers)
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("GET /v1/meter", s.meter)
	mux.HandleFunc("GET /v1/live", s.live)
	mux.HandleFunc("GET /v1/turns", s.turns)
	mux.HandleFunc("GET /v1/turns/{turn}/sound", s.sound)
	mux.HandleFunc("POST /v1/turns/erase", command(func(_ context.Context, b api.Erase) (any, error) { return s.erase(b) }))
	mux.HandleFunc("GET /v1/log", s.log)
	mux.HandleFunc("GET "+consolePath, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, s.opt.Console())
	})
	mux.HandleFunc("GET /v1/mqtt/client", func(w http.ResponseWriter, _ *http.Request) {
		b, err := s.opt.Broker()
		if err != nil {
			answer(w, http.StatusNotFound, api.Failure{Error: err.Error()})
			return
		}
		answer(w, http.StatusOK, b)
	})
	mux.HandleFunc("GET /v1/wake", s.words)
	mux.HandleFunc("POST /v1/wake/enroll", s.enroll)
	mux.HandleFunc("POST "+installPath, command(func(ctx context.Context, b api.Install) (any, error) {
		return s.opt.Wake.Install(ctx, b.Name, b.Manifest, b.Network)
	}))
	mux.HandleFunc("GET /v1/lists", s.lists)
	s.speakerRoutes(mux)
	mux.HandleFunc("POST /v1/mqtt/withdraw", command(func(ctx context.Context, _ struct{}) (any, error) {
		return nil, s.opt.Withdraw(ctx)
	}))
	mux.HandleFunc("GET /v1/fleet", s.fleet)
	mux.HandleFunc("POST /v1/probe", command(func(ctx context.Context, b api.Probe) (any, error) {
		return s.opt.Probe(ctx, b.Check, b.Cold)
	}))
	s.memoryRoutes(mux)
	s.handRoutes(mux)
	s.toolRoutes(mux)
	s.configRoutes(mux)
	mux.HandleFunc("GET /v1/backup", s.backup)
	return bounded(mux)
}

// speakerRoutes are what people say and have said.
func (s *Server) speakerRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/say", s.announce(false))
	mux.HandleFunc("POST /v1/announce", s.announce(true))
	mux.HandleFunc("POST /v1/ask", command(func(ctx context.Context, b api.Ask) (any, error) {
		return s.opt.Speaker.AskAs(ctx, b.As, b.Text, b.Question)
	}))
	mux.HandleFunc("POST /v1/listen", command(func(ctx context.Context, _ struct{}) (any, error) {
		return nil, s.opt.Speaker.Listen(ctx)
	}))
	mux.HandleFunc("POST /v1/stop", command(func(ctx context.Context, _ struct{}) (any, error) {
		return nil, s.opt.Speaker.Stop(ctx)
	}))
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

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	st, err := s.opt.Status(r.Context())
	if err != nil {
		fail(w, r, fmt.Errorf("read status: %w", err))
		return
	}
	// Lists that are empty are [] for those who read them, not null.
	if st.Conditions == nil {
		st.Conditions = []health.Condition{}
	}
	if st.Timers == nil {
		st.Timers = []event.Timer{}
	}
	answer(w, http.StatusOK, st)
}

func (s *Server) lists(w http.ResponseWriter, r *http.Request) {
	lists, err := s.opt.Lists(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, lists)
}

func (s *Server) fleet(w http.ResponseWriter, r *http.Request) {
	boxes, err := s.opt.Fleet(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, boxes)
}

func (s *Server) timers(w http.ResponseWriter, r *http.Request) {
	st, err := s.opt.Status(r.Context())
	switch {
	case err != nil:
		fail(w, r, fmt.Errorf("read timers: %w", err))
	case st.Timers == nil:
		answer(w, http.StatusOK, []event.Timer{})
	default:
		answer(w, http.StatusOK, st.Timers)
	}
}
