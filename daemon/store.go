package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"hearthd/daemon/health"
	"hearthd/memory"
)

// storeName is the file of the memory.
const storeName = "hearthd.db"

// openStore opens the memory. Where the disk is full or read-only, a copy of it in
// the runtime folder, which is in memory, keeps the kitchen going until it is mended.
func (d *base) openStore(ctx context.Context) (*memory.Store, error) {
	open := func(dir string) (*memory.Store, error) {
		return memory.Open(ctx, memory.Options{
			Path: filepath.Join(dir, storeName), KeepTurns: d.cfg.Memory.Turns, KeepNotes: d.cfg.Memory.Notes,
			MaxBytes: int64(d.cfg.Memory.MaxMB) << 20, Log: d.log,
		})
	}
	s, err := open(d.opt.StateDir)
	if err != nil && ctx.Err() == nil {
		d.conditions.Set("memory", health.Error, "The memory cannot be used, and nothing is kept over a restart: "+err.Error()+".")
		if err := carry(d.opt.StateDir, d.opt.RuntimeDir, storeName); err != nil {
			d.log.Warn("memory begins empty", "component", "memory", "error", err)
		}
		s, err = open(d.opt.RuntimeDir)
	}
	if err != nil {
		return nil, err
	}
	if r := s.Replaced(); r != nil {
		d.conditions.Set("memory", health.Error, replacedText(r))
	}
	return s, nil
}

func replacedText(r *memory.Replaced) string {
	switch {
	case r.Kept == "" && !r.Restored.IsZero():
		return fmt.Sprintf("The memory was missing; the backup of %s took its place.", r.Restored.Format("2 January 2006, 15:04"))
	case r.Kept == "":
		return "The memory was missing, its backup cannot be used, and a new one was begun."
	case !r.Restored.IsZero():
		return fmt.Sprintf("The memory was unusable; it is kept as %s and the backup of %s took its place.", r.Kept, r.Restored.Format("2 January 2006, 15:04"))
	case errors.Is(r.Cause, memory.ErrNewer):
		return fmt.Sprintf("The memory is of a newer hearthd; it is kept as %s and a new one was begun. After the next upgrade, stop hearthd and rename it to %s.", r.Kept, r.Path)
	default:
		return fmt.Sprintf("The memory was unusable; it is kept as %s and a new one was begun.", r.Kept)
	}
}
