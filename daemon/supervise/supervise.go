// Package supervise runs the parts of the daemon. It starts them in order, stops them in reverse,
// restarts those that may be restarted, ends all if any other one fails, and does not wait without
// end for one that hangs. It owns one goroutine per part. It imports nothing of hearthd.
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
	// After a part has run for this long, the pauses of its restarts begin with the first one
	// again.
	healthyRun = time.Minute
)

var errEnded = errors.New("ended by itself")

// Part is one thing that runs. Run blocks until ctx ends, and releases everything before it
// returns. With Restart it is called again after that.
type Part struct {
	Name   string
	Policy Policy
	Run    func(ctx context.Context) error
}

// Run starts the parts in their order, without waiting until one is ready, and blocks until ctx or a Fatal part
// ends. Then it stops the parts
// from the last to the first, within 4 s. It returns the error that ended the group, joined
// with those of stopping; nil if ctx ended it and every part stopped well. If the error
// names parts that did not stop, their goroutines still run, and the process must exit.
func Run(ctx context.Context, log *slog.Logger, parts ...Part) error {
	failed := make(chan error, len(parts)) // each part sends one at most
	started := make([]running, 0, len(parts))
	// Not ctx: each part runs on until it is its turn to stop.
	base := context.WithoutCancel(ctx)
	for _, p := range parts {
		pctx, cancel := context.WithCancel(base)
		r := running{name: p.Name, cancel: cancel, done: make(chan struct{})}
		started = append(started, r)
		go func() {
			defer close(r.done)
			if err := keep(pctx, log, p); err != nil {
				failed <- err
			}
		}()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	hang := stop(base, started)
	for {
		select {
		case late := <-failed:
			err = errors.Join(err, late)
			continue
		default:
		}
		return errors.Join(err, hang)
	}
}

// keep runs p by its policy until ctx ends.
func keep(ctx context.Context, log *slog.Logger, p Part) error {
	pause, told := firstPause, ""
	for {
		begun := time.Now()
		err := guarded(ctx, p)
		if ctx.Err() != nil {
			if err != nil && !errors.Is(err, context.Canceled) {
				return fmt.Errorf("stop %s: %w", p.Name, err)
			}
			return nil
		}
		if err == nil {
			err = errEnded
		}
		if p.Policy == Fatal {
			return fmt.Errorf("run %s: %w", p.Name, err)
		}
		if time.Since(begun) > healthyRun {
			pause = firstPause
		}
		level := slog.LevelWarn
		if err.Error() == told { // such as a port that another program has for good
			level = slog.LevelDebug
		}
		told = err.Error()
		log.Log(ctx, level, "part ended, restarting it", "component", p.Name, "error", err, "pause_ms", pause.Milliseconds())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// guarded turns a panic of p's goroutine into an error, so that a part that may be restarted
// does not end the whole daemon, and its timers.
func guarded(ctx context.Context, p Part) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return p.Run(ctx)
}
