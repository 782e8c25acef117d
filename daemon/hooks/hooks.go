// Package hooks runs programs of the household when something happens: an argument list,
// never a shell, with the event as JSON on standard input, in a process group that is
// killed as a whole. One goroutine follows the events, and one for each running program
// waits for it, at most maxRunning; all have ended when Run returns. It imports daemon/event
// and llm/proc.
package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"hearthd/daemon/event"
	"hearthd/llm/proc"
)

const (
	// maxRunning bounds the programs that run at once.
	maxRunning = 4
	// queue is how many events may wait for programs; any more are dropped.
	queue = 64
	// maxOutput is how much of a program's output is logged, in bytes; the rest is read and
	// discarded.
	maxOutput = 1000
	// dropsEvery is how often dropped events are logged at most.
	dropsEvery = time.Minute
)

// Hook is one program.
type Hook struct {
	On      []string // types of events
	Command []string
	Timeout time.Duration
}

// Options say which programs run on which events.
type Options struct {
	Hooks []Hook
	Bus   *event.Bus
	Log   *slog.Logger
}

// Hooks are the hooks of the configuration.
type Hooks struct{ opt Options }

// New checks the options.
func New(o Options) (*Hooks, error) {
	if len(o.Hooks) == 0 || o.Bus == nil || o.Log == nil {
		return nil, errors.New("new hooks: hooks, a bus and a log are needed")
	}
	for _, h := range o.Hooks {
		if err := proc.CheckArgv(h.Command); err != nil {
			return nil, err
		}
		if h.Timeout <= 0 || len(h.On) == 0 {
			return nil, errors.New("new hooks: each needs events and a time limit")
		}
	}
	return &Hooks{o}, nil
}

// Run follows the events until ctx ends, which ends the programs too.
func (h *Hooks) Run(ctx context.Context) error {
	sub := h.opt.Bus.Subscribe("hooks", queue)
	defer sub.Close()
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, maxRunning)
	warned, dropped := time.Time{}, uint64(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-sub.C():
			for _, hook := range h.opt.Hooks {
				if !slices.Contains(hook.On, event.Head(e).Type) {
					continue
				}
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return nil
				}
				running.Go(func() {
					defer func() { <-places }()
					h.run(ctx, hook, e)
				})
			}
		}
		if n := sub.Dropped(); n != dropped && time.Since(warned) >= dropsEvery {
			h.opt.Log.Warn("hooks are too slow, events were dropped", "component", "hooks", "count", n-dropped)
			warned, dropped = time.Now(), n
		}
	}
}

// run runs one program for one event.
func (h *Hooks) run(ctx context.Context, hook Hook, e event.Event) {
	text, err := json.Marshal(e)
	if err != nil {
		h.opt.Log.Error("encode event", "component", "hooks", "error", err)
		return
	}
	begun := time.Now()
	rctx, cancel := context.WithTimeout(ctx, hook.Timeout)
	defer cancel()
	out, err := execute(rctx, hook.Command, append(text, '\n'))
	attrs := []any{
		"component", "hooks", "command", hook.Command[0],
		"event", event.Head(e).Type, "took_ms", time.Since(begun).Milliseconds(),
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(rctx.Err(), context.DeadlineExceeded):
		h.opt.Log.Warn("hook killed, it took too long", attrs...)
	case err != nil:
		h.opt.Log.Warn("hook failed", append(attrs, "error", err)...)
	default:
		h.opt.Log.Debug("hook ran", append(attrs, "output", string(out))...)
	}
}

// execute runs a program to its end and returns the beginning of its output.
func execute(ctx context.Context, argv []string, stdin []byte) ([]byte, error) {
	p, err := proc.Start(ctx, argv, bytes.NewReader(stdin))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(p, maxOutput))
	if err == nil {
		_, err = io.Copy(io.Discard, p)
	}
	return out, errors.Join(err, p.Close())
}
