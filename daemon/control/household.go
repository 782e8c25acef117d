package control

import (
	"context"
	"fmt"
	"net/http"

	"hearthd/daemon/api"
)

const (
	maxNames    = 100
	maxSentence = 1000 // bytes
	maxDevice   = 600  // bytes of an ID
)

func (s *Server) householdRoutes(mux *http.ServeMux) {
	by := s.opt.Household
	deviceRoutes(mux, by)
	mux.HandleFunc("POST /v1/timers/cancel", command(func(ctx context.Context, b api.CancelTimer) (any, error) {
		there, err := by.CancelTimer(ctx, b.ID)
		if err == nil && !there {
			return nil, badRequest("id: there is no such timer")
		}
		return nil, err
	}))
	mux.HandleFunc("POST /v1/lists", command(func(ctx context.Context, b api.ListChange) (any, error) {
		if b.List == "" || len(b.Add)+len(b.Remove) == 0 || len(b.Add)+len(b.Remove) > maxNames {
			return nil, badRequest(fmt.Sprintf("want a list, and 1 to %d names to add or remove", maxNames))
		}
		return by.ChangeList(ctx, b)
	}))
	mux.HandleFunc("POST /v1/stations/read", order(func(context.Context) error {
		by.ReadStations()
		return nil
	}))
	mux.HandleFunc("POST /v1/policy", command(func(ctx context.Context, b api.Policy) (any, error) {
		if b.Policy != "auto" && b.Policy != "local" {
			return nil, badRequest("policy: want auto or local")
		}
		return nil, by.SetPolicy(ctx, b.Policy)
	}))
	mux.HandleFunc("POST /v1/dnd", command(func(ctx context.Context, b api.DND) (any, error) {
		if b.On == nil {
			return nil, badRequest("on is missing")
		}
		return nil, by.SetDND(ctx, *b.On)
	}))
	mux.HandleFunc("GET /v1/hearing", question(func(*http.Request) (any, error) { return by.Hearing(), nil }))
	mux.HandleFunc("GET /v1/engines", question(func(*http.Request) (any, error) { return by.Engines() }))
	mux.HandleFunc("POST /v1/engines/install", command(func(context.Context, struct{}) (any, error) {
		return nil, by.InstallSpeech()
	}))
	mux.HandleFunc("POST /v1/hearing", command(func(_ context.Context, b api.Hearing) (any, error) {
		if err := by.Tune(b); err != nil {
			return nil, badRequest(err.Error())
		}
		return by.Hearing(), nil
	}))
}

// deviceRoutes are the devices, and what a sentence would do to them.
func deviceRoutes(mux *http.ServeMux, by household) {
	mux.HandleFunc("GET /v1/devices", question(func(*http.Request) (any, error) {
		list, skipped := by.Devices()
		list, _ = orNone(list, nil)
		skipped, _ = orNone(skipped, nil)
		return api.Devices{Devices: list, Skipped: skipped}, nil
	}))
	mux.HandleFunc("POST /v1/devices/entrance", command(func(ctx context.Context, b api.EntranceMark) (any, error) {
		if b.ID == "" || len(b.ID) > maxDevice || b.Auto != (b.Is == nil) {
			return nil, badRequest("want an id, and either is or auto")
		}
		return nil, by.SetEntrance(ctx, b.ID, b.Is)
	}))
	mux.HandleFunc("POST /v1/intents/try", command(func(_ context.Context, b api.Sentence) (any, error) {
		if b.Text == "" || len(b.Text) > maxSentence {
			return nil, badRequest(fmt.Sprintf("text: want 1 to %d bytes", maxSentence))
		}
		return by.Explain(b.Text), nil
	}))
}
