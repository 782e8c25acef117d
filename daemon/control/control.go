// Package control serves the control API: HTTP with JSON and server-sent events
// on a unix socket, for hearthctl and whatever else runs on the box. It owns the
// goroutines of its HTTP server and waits for them, and no buffer but the bodies
// of the requests. It must not import the dialogue: commands go through an
// interface, facts come from the event bus.
package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// New checks the options.
func New(opt Options) (*Server, error) {
	if slices.Contains([]bool{
		opt.Listener == nil, opt.Speaker == nil, opt.Bus == nil, opt.Status == nil, opt.Meter == nil,
		opt.Wake == nil, opt.Memory == nil, opt.Thinkers == nil, opt.Lists == nil, opt.Tools == nil,
		opt.Servers == nil, opt.Withdraw == nil, opt.Fleet == nil, opt.Configuration == nil,
		opt.Probe == nil, opt.Console == nil, opt.Broker == nil, opt.Backup == nil, opt.Turns == nil,
		opt.Sounds == nil, opt.Log == nil, opt.Household == nil, opt.Lines == nil,
	}, true) {
		return nil, errors.New("new control server: a part is missing")
	}
	s := &Server{opt: opt, streams: make(chan struct{}, maxStreams), pages: make(chan struct{}, maxPages)}
	s.handler = s.routes()
	return s, nil
}

// Handler answers the requests of the API, for other listeners beside the socket.
func (s *Server) Handler() http.Handler { return s.handler }

// Run serves until ctx ends; requests and event streams end with it. It closes
// the listener, so it runs once.
func (s *Server) Run(ctx context.Context) error {
	// What ends with the server can be told from what a client ended.
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	defer end(nil)
	var streams sync.WaitGroup
	for _, c := range s.opt.Kept {
		streams.Go(func() { s.resume(base, c) })
	}
	err := Serve(base, newLimited(s.opt.Listener, maxClients), nil, s.handler, s.opt.Log.With("component", "control"))
	end(err)
	streams.Wait()
	if err != nil {
		return fmt.Errorf("serve control socket: %w", err)
	}
	return nil
}
