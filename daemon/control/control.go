// Package control serves the control API: HTTP with JSON and server-sent events
// on a unix socket, for hearthctl and whatever else runs on the box. It owns the
// goroutines of its HTTP server and waits for them. It must not import the
// dialogue: commands go through an interface, facts come from the event bus.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

const (
	maxBody     = 16 << 10 // bytes of a request
	headerLimit = 5 * time.Second
	drainLimit  = 2 * time.Second
	// maxClients bounds the connections that are open at once.
	maxClients = 64
)

// speaker carries out commands.
type speaker interface {
	Say(ctx context.Context, text string) error
	Ask(ctx context.Context, text string) (*event.Turn, error)
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetVolume(ctx context.Context, percent int) error
}

// Status is the answer to GET /v1/status.
type Status struct {
	Node       string             `json:"node"`
	Version    string             `json:"version"`
	State      event.State        `json:"state"`
	Muted      bool               `json:"muted"`
	Volume     int                `json:"volume"` // percent
	Turns      uint64             `json:"turns"`  // id of the last turn
	UptimeS    int64              `json:"uptime_s"`
	Frames     uint64             `json:"frames"`  // captured since the start
	Dropped    uint64             `json:"dropped"` // samples that found the capture ring full
	Broker     string             `json:"broker"`  // "connected", "connecting" or "off"
	Conditions []health.Condition `json:"conditions"`
	Timers     []event.Timer      `json:"timers"`
}

// Options are what the API works with.
type Options struct {
	Listener net.Listener // the unix socket; the server closes it
	Speaker  speaker
	Bus      *event.Bus
	Status   func(ctx context.Context) (Status, error)
	Log      *slog.Logger
}

// Server is the API.
type Server struct {
	opt Options
}

// New checks the options.
func New(opt Options) (*Server, error) {
	if opt.Listener == nil || opt.Speaker == nil || opt.Bus == nil || opt.Status == nil || opt.Log == nil {
		return nil, errors.New("new control server: a part is missing")
	}
	return &Server{opt: opt}, nil
}

// Socket opens the unix socket at path for the owner and the group. What an
// earlier process left there is removed; a daemon that still answers is not
// pushed aside.
func Socket(path string) (net.Listener, error) {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, fmt.Errorf("listen on %q: another hearthd answers there", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open control socket: %w", err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		l.Close()
		return nil, fmt.Errorf("set mode of control socket: %w", err)
	}
	return l, nil
}

// Run serves until ctx ends; event streams end with it.
func (s *Server) Run(ctx context.Context) error {
	srv := &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: headerLimit,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxBody,
		ErrorLog:          slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(newLimited(s.opt.Listener, maxClients)) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve control socket: %w", err)
	case <-ctx.Done():
	}
	dctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainLimit)
	defer cancel()
	if err := srv.Shutdown(dctx); err != nil {
		srv.Close()
	}
	<-served
	return nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", s.status)
	mux.HandleFunc("GET /v1/timers", s.timers)
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("POST /v1/say", command(func(ctx context.Context, b textBody) (any, error) {
		return nil, s.opt.Speaker.Say(ctx, b.Text)
	}))
	mux.HandleFunc("POST /v1/ask", command(func(ctx context.Context, b textBody) (any, error) {
		return s.opt.Speaker.Ask(ctx, b.Text)
	}))
	mux.HandleFunc("POST /v1/listen", command(func(ctx context.Context, _ struct{}) (any, error) {
		return nil, s.opt.Speaker.Listen(ctx)
	}))
	mux.HandleFunc("POST /v1/stop", command(func(ctx context.Context, _ struct{}) (any, error) {
		return nil, s.opt.Speaker.Stop(ctx)
	}))
	mux.HandleFunc("POST /v1/mute", command(func(ctx context.Context, b muteBody) (any, error) {
		if b.Muted == nil {
			return nil, errors.New("muted is missing")
		}
		return nil, s.opt.Speaker.SetMuted(ctx, *b.Muted)
	}))
	mux.HandleFunc("POST /v1/volume", command(func(ctx context.Context, b volumeBody) (any, error) {
		if b.Percent == nil {
			return nil, errors.New("percent is missing")
		}
		return nil, s.opt.Speaker.SetVolume(ctx, *b.Percent)
	}))
	return mux
}

type textBody struct {
	Text string `json:"text"`
}

type muteBody struct {
	Muted *bool `json:"muted"`
}

type volumeBody struct {
	Percent *int `json:"percent"`
}

// command decodes a body strictly, runs do, and answers with its result.
func command[B any](do func(context.Context, B) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body B
		dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&body); err != nil {
			answer(w, http.StatusBadRequest, failure{"read request: " + err.Error()})
			return
		}
		result, err := do(r.Context(), body)
		var refused interface{ Refused() }
		switch {
		case errors.As(err, &refused):
			answer(w, http.StatusConflict, failure{err.Error()})
		case err != nil:
			answer(w, http.StatusBadRequest, failure{err.Error()})
		case result == nil:
			answer(w, http.StatusOK, struct{}{})
		default:
			answer(w, http.StatusOK, result)
		}
	}
}

type failure struct {
	Error string `json:"error"`
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// A client that hung up is the only way this fails.
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	st, err := s.opt.Status(r.Context())
	if err != nil {
		answer(w, http.StatusServiceUnavailable, failure{err.Error()})
		return
	}
	answer(w, http.StatusOK, st)
}

func (s *Server) timers(w http.ResponseWriter, r *http.Request) {
	st, err := s.opt.Status(r.Context())
	if err != nil {
		answer(w, http.StatusServiceUnavailable, failure{err.Error()})
		return
	}
	answer(w, http.StatusOK, st.Timers)
}
