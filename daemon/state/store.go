package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"hearthd/daemon/bundle"
	"hearthd/daemon/health"
	"hearthd/memory"
)

// Options say how the memory is opened.
type Options struct {
	Memory     memory.Options // but for its path
	Spare      string         // folder in memory, for a disk that cannot be written
	Conditions *health.Conditions
}

// Open opens the memory. Where the disk is full or read-only, a copy of it in the spare
// folder keeps the kitchen going until it is mended.
func (f *Folder) Open(ctx context.Context, o Options) (*memory.Store, error) {
	open := func(path string) (err error) {
		o.Memory.Path = path
		f.store, err = memory.Open(ctx, o.Memory)
		return err
	}
	own := f.file(bundle.Memory)
	err := open(own)
	if err != nil && ctx.Err() == nil {
		o.Conditions.Set("memory", health.Error, "The memory cannot be used, and nothing is kept over a restart: "+err.Error()+".")
		if err := carry(f.dir, o.Spare, filepath.Base(own)); err != nil {
			f.log.Warn("memory begins empty", "component", "memory", "error", err)
		}
		err = open(filepath.Join(o.Spare, filepath.Base(own)))
	}
	if err != nil {
		return nil, err
	}
	if r := f.store.Replaced(); r != nil {
		o.Conditions.Set("memory", health.Error, replacedText(r))
	}
	return f.store, nil
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
