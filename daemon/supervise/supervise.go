// Package supervise runs the parts of the daemon: it starts them in order, stops
// them in reverse, restarts those that may be restarted and ends all when one
// fails that may not. It owns one goroutine per part and waits for each.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// Policy says what happens when a part ends while the group still runs.
type Policy int

const (
	// Fatal ends the group with the part's error.
	Fatal Policy = iota
	// Restart runs the part again after a pause that doubles from 100 ms to 30 s.
	Restart
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 30 * time.Second
	// A part that ran this long before it ended begins again with the first pause.
	healthyRun = time.Minute
)

// Part is one thing that runs. Run blocks until ctx ends and gives back all
// that it took.
type Part struct {
	Name   string
	Policy Policy
	Run    func(ctx context.Context) error
}

// Group is an ordered list of parts.
type Group struct {
	log   *slog.Logger
	parts []Part
}

// New returns an empty group.
func New(log *slog.Logger) *Group { return &Group{log: log} }

// Add appends a part. It starts after those before it and stops before them.
func (g *Group) Add(p Part) { g.parts = append(g.parts, p) }

// Run starts the parts and blocks until ctx ends or a Fatal part does. Then it
// stops the parts from the last to the first, waiting for each, and returns the
// error that ended the group, or nil when it was ctx.
func (g *Group) Run(ctx context.Context) error {
	type running struct {
		cancel context.CancelFunc
		done   chan struct{}
	}
	failed := make(chan error, len(g.parts))
	started := make([]running, 0, len(g.parts))
	// Parts must outlive ctx until their turn to stop has come.
	base := context.WithoutCancel(ctx)
	for _, p := range g.parts {
		pctx, cancel := context.WithCancel(base)
		r := running{cancel: cancel, done: make(chan struct{})}
		started = append(started, r)
		go func() {
			defer close(r.done)
			if err := g.keep(pctx, p); err != nil {
				failed <- err
			}
		}()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	for i := len(started) - 1; i >= 0; i-- {
		started[i].cancel()
		<-started[i].done
	}
	close(failed)
	for late := range failed {
		err = errors.Join(err, late)
	}
	return err
}

// keep runs p by its policy until ctx ends.
func (g *Group) keep(ctx context.Context, p Part) error {
	pause := firstPause
	for {
		begun := time.Now()
		err := guarded(ctx, p)
		if ctx.Err() != nil {
			if err != nil && !errors.Is(err, context.Canceled) {
				return fmt.Errorf("stop %s: %w", p.Name, err)
			}
			return nil
		}
		if p.Policy == Fatal {
			if err == nil {
				err = errors.New("ended by itself")
			}
			return fmt.Errorf("run %s: %w", p.Name, err)
		}
		if time.Since(begun) > healthyRun {
			pause = firstPause
		}
		g.log.Warn("part ended, restarting it", "component", p.Name, "error", err, "pause_ms", pause.Milliseconds())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// guarded turns a panic of p's goroutine into an error, so that a part that may
// be restarted does not take the timers of the house with it.
func guarded(ctx context.Context, p Part) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return p.Run(ctx)
}
