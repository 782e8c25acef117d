// Package daemon is the composition root of hearthd: New checks the options, Run
// builds every part, wires them together, and runs them as an ordered list until
// its context ends. It is the only package that knows all the others.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/sharing"
	"hearthd/daemon/state"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/daemon/timers"
	"hearthd/memory"
)

// Daemon is one hearthd.
type Daemon struct {
	*base
	end       context.CancelCauseFunc // of Run
	numbers   atomic.Uint64           // the highest turn id that was ever given
	folder    *state.Folder
	settings  *settings.Settings
	store     *memory.Store
	recall    *recall.Recollection
	sound     *sound
	timers    *timers.Timers
	peers     *sharing.Peers
	assistant *assistant
	dialogue  *dialogue.Dialogue
	turns     *timeline.Recorder
	traces    []supervise.Part // of turns, to a collector
	broker    *mqtt.Bridge
}

// New checks the options and opens nothing.
func New(opt Options) (*Daemon, error) {
	b, err := newBase(opt)
	if err != nil {
		return nil, err
	}
	return &Daemon{base: b}, nil
}

// Run is hearthd from start to stop. It returns nil when ctx ended and all was
// given back.
func (d *Daemon) Run(ctx context.Context) error {
	if err := os.MkdirAll(d.opt.RuntimeDir, 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	ctx, d.end = context.WithCancelCause(ctx)
	defer d.end(nil)
	// First of all, for they show whether another hearthd has these folders.
	var err error
	if d.folder, err = state.Hold(d.opt.StateDir, d.log); err != nil {
		return err
	}
	defer d.folder.Close()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	parts, err := d.build(ctx, socket)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	if err := supervise.Run(ctx, d.log, parts...); err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), ErrRestart) {
		return ErrRestart
	}
	return nil
}
