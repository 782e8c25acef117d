// Package server is a server of the Wyoming protocol (package wyoming): it transcribes while somebody
// speaks, speaks sentence by sentence, makes prints of voices and waits for phrases, with the models of a
// shelf. It runs a goroutine for each connection; everything that a client sends is bounded.
//
// A call into an engine cannot be interrupted. One that takes longer than it may ends Run with ErrHung, and
// its goroutine is left behind: the caller has to end the process.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"hearthd/llm/wyoming"
	"hearthd/speech/model"
	"hearthd/speech/shelf"
)

// Shelf has the models.
type Shelf interface {
	Models() ([]*model.Manifest, error)
	Recogniser(name, language string) (shelf.Recogniser, func(), error)
	Voice(name, language string) (shelf.Voice, int, func(), error)
	Printer() (*model.Manifest, shelf.Printer, func(), error)
	Spotter(phrases []model.Phrase) (shelf.Spotter, func(), error)
}

// Limits bound what clients and engines may take.
type Limits struct {
	Connections int           // at a time
	Parallel    int           // calls into engines at a time
	Engine      time.Duration // one call into an engine
	Silent      time.Duration // a client says nothing
	Idle        time.Duration // nobody is connected, after which Run ends; 0: it does not
}

// DefaultLimits are those of a box in a kitchen.
func DefaultLimits() Limits {
	return Limits{Connections: 16, Parallel: 2, Engine: 2 * time.Minute, Silent: 2 * time.Minute}
}

// Options are what a Server serves.
type Options struct {
	Shelf   Shelf
	Version string
	Limits  Limits
	Log     *slog.Logger
}

// ErrHung says that an engine took longer than it may.
var ErrHung = errors.New("an engine did not come back in time")

// Server serves.
type Server struct {
	opt   Options
	slots chan struct{} // one for each call into an engine
	hung  chan struct{} // closed when one took too long
	hang  func()

	mu    sync.Mutex
	conns map[net.Conn]bool
	left  chan struct{} // a connection has ended
}

// New checks the options.
func New(o Options) (*Server, error) {
	l := o.Limits
	if l.Connections < 1 || l.Parallel < 1 || l.Engine <= 0 || l.Silent <= 0 || l.Idle < 0 {
		return nil, fmt.Errorf("speech server: limits %+v", l)
	}
	s := &Server{opt: o, slots: make(chan struct{}, l.Parallel), hung: make(chan struct{}),
		conns: make(map[net.Conn]bool), left: make(chan struct{}, 1)}
	s.hang = sync.OnceFunc(func() { close(s.hung) })
	return s, nil
}

// Run serves those who connect, until ctx ends or nobody has been connected for the idle time. It closes
// the listeners. The error is ErrHung when an engine hangs.
func (s *Server) Run(ctx context.Context, listeners ...net.Listener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	for _, l := range listeners {
		running.Go(func() { s.accept(ctx, cancel, l, &running) })
	}
	hung := s.wait(ctx)
	cancel(nil)
	for _, l := range listeners {
		_ = l.Close() // Accept tells, if anything is wrong
	}
	s.mu.Lock()
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	if hung {
		return ErrHung
	}
	running.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// wait returns when it is time to end, and whether that is because an engine hangs.
func (s *Server) wait(ctx context.Context) (hung bool) {
	idle := time.NewTimer(s.opt.Limits.Idle)
	defer idle.Stop()
	if s.opt.Limits.Idle == 0 {
		idle.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.hung:
			return true
		case <-s.left:
			if s.opt.Limits.Idle > 0 {
				idle.Reset(s.opt.Limits.Idle)
			}
		case <-idle.C:
			s.mu.Lock()
			n := len(s.conns)
			s.mu.Unlock()
			if n == 0 {
				return false
			}
		}
	}
}

// accept takes connections until the listener is closed.
func (s *Server) accept(ctx context.Context, fail context.CancelCauseFunc, l net.Listener, running *sync.WaitGroup) {
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			if err == nil {
				_ = c.Close() // it came too late
			}
			return
		}
		if err != nil {
			fail(fmt.Errorf("accept connection: %w", err))
			return
		}
		running.Go(func() { s.serve(ctx, c) })
	}
}

// serve is the goroutine of one connection.
func (s *Server) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	s.mu.Lock()
	full := len(s.conns) >= s.opt.Limits.Connections
	if !full {
		s.conns[c] = true
	}
	s.mu.Unlock()
	conn := wyoming.NewConn(c)
	v := &visit{s: s, conn: conn}
	if full {
		_ = v.complain(ctx, errFull) // who does not take it is gone
		return
	}
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		select {
		case s.left <- struct{}{}:
		default:
		}
	}()
	defer v.end()
	if err := v.run(ctx); err != nil && ctx.Err() == nil {
		s.opt.Log.Info("connection ended", "error", err)
	}
}

// call runs a call into an engine when there is a place for it. The engine may take its time once.
func (s *Server) call(ctx context.Context, f func() error) error {
	waiting := time.NewTimer(s.opt.Limits.Engine)
	defer waiting.Stop()
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-waiting.C:
		return errSlots
	}
	defer func() { <-s.slots }()
	return s.timed(f)
}

// timed runs a call into an engine, which may take its time once.
func (s *Server) timed(f func() error) error {
	patience := time.AfterFunc(s.opt.Limits.Engine, s.hang)
	defer patience.Stop()
	return f()
}
