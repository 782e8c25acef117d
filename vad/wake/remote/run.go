package remote

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"hearthd/llm/wyoming"
)

const (
	dialTimeout = 5 * time.Second
	// After a failure the next try comes in one second, then in twice the time of
	// the last, up to a minute, each shortened by up to a half at random, so that
	// a house full of speakers does not come at once. After a connection that has
	// lasted for healthy it starts over.
	firstRetry, lastRetry = time.Second, time.Minute
	healthy               = 30 * time.Second
)

// standing is the last state that Options.Reachable was called with.
type standing uint8

const (
	untold standing = iota
	reached
	lost
)

// Run streams to the server until ctx ends, and connects again when it must. It
// returns nil.
func (s *Spotter) Run(ctx context.Context) error {
	for retry := firstRetry; ; retry = min(2*retry, lastRetry) {
		began := time.Now()
		err := s.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.tell(lost, err)
		if time.Since(began) >= healthy {
			retry = firstRetry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retry - rand.N(retry/2)):
		}
	}
}

// tell reports a change of standing.
func (s *Spotter) tell(now standing, err error) {
	if s.standing == now {
		return
	}
	s.standing = now
	if err != nil {
		s.options.Log.Warn("wake server is not reachable", "error", err)
	} else {
		s.options.Log.Info("wake server listens")
	}
	if s.options.Reachable != nil {
		s.options.Reachable(err)
	}
}

// session is one connection, until it fails or ctx ends.
func (s *Spotter) session(ctx context.Context) error {
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	// What a server says after it was left does not matter.
	defer func() { _ = conn.Close() }()
	if err := s.greet(ctx, conn); err != nil {
		return err
	}
	s.discard() // frames from before the last failure
	ctx, fail := context.WithCancelCause(ctx)
	l := &link{spotter: s, conn: conn, fail: fail, answered: make(chan struct{}, 1)}
	var running sync.WaitGroup
	running.Go(func() { fail(l.send(ctx)) })
	running.Go(func() { fail(l.receive(ctx)) })
	s.taking.Store(true)
	s.tell(reached, nil)
	running.Wait()
	s.taking.Store(false)
	return context.Cause(ctx)
}

func (s *Spotter) dial(ctx context.Context) (*wyoming.Conn, error) {
	if s.connect == nil {
		return wyoming.Dial(ctx, s.options.Address, dialTimeout)
	}
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	return wyoming.NewConn(c), nil
}

// discard empties the queue.
func (s *Spotter) discard() {
	for range queueFrames {
		select {
		case <-s.frames:
		default:
			return
		}
	}
}
