// Package state is the folder in which a box keeps what it must not lose: the memory, the calendar
// and the wake words. Only one daemon has it at a time. The package opens the memory, in another
// folder where the disk is full or read-only, and makes the backup. It runs no goroutine.
package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"hearthd/daemon/bundle"
	"hearthd/daemon/health"
	"hearthd/memory"
)

// Folder is a state folder that nobody else has.
type Folder struct {
	dir   string
	log   *slog.Logger
	lock  *os.File      // nil: it cannot be opened
	store *memory.Store // nil until Open
	spare bool          // it is in the spare folder
	other string        // the spare folder
}

// Hold keeps other daemons out of a folder until Close: two daemons on one memory would ring every
// timer twice. A folder that cannot be opened is no concern here; whoever needs it reports that.
// Copies that a process left behind which was killed during a backup are removed.
func Hold(dir string, log *slog.Logger) (*Folder, error) {
	f := &Folder{dir: dir, log: log}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, nil
	}
	var err error
	if f.lock, err = os.Open(dir); err != nil {
		return &Folder{dir: dir, log: log}, nil
	}
	err = unix.Flock(int(f.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("use folder %q: another hearthd does; stop that one "+
			"(systemctl stop hearthd.socket hearthd), or set STATE_DIRECTORY to a folder for this one", dir), f.lock.Close())
	}
	f.dropSnapshots()
	return f, nil
}

// Close closes the memory and releases the folder.
func (f *Folder) Close() {
	if f.store != nil {
		if err := f.store.Close(); err != nil {
			f.log.Error("close store", "component", "memory", "error", err)
		}
	}
	if f.lock != nil {
		f.lock.Close()
	}
}

// file is the place in the folder of a file of a backup.
func (f *Folder) file(name string) string { return filepath.Join(f.dir, path.Base(name)) }

// Calendar is the file of the box's own calendar below folder dir.
func Calendar(dir string) string { return filepath.Join(dir, path.Base(bundle.Calendar)) }

// Forgets reports whether the memory was opened in the spare folder, and so is lost with the next restart of the box.
func (f *Folder) Forgets() bool { return f.spare }

// Options say how the memory is opened.
type Options struct {
	Memory     memory.Options // its path is not used
	Spare      string         // folder in memory, for a disk that cannot be written
	Conditions *health.Conditions
}

// Open opens the memory. Where the disk is full or read-only, a copy of it in the spare
// folder keeps the kitchen going until it is mended.
func (f *Folder) Open(ctx context.Context, o Options) (*memory.Store, error) {
	f.other = o.Spare
	open := func(path string) (err error) {
		o.Memory.Path = path
		f.store, err = memory.Open(ctx, o.Memory)
		return err
	}
	own := f.file(bundle.Memory)
	err := open(own)
	if err != nil && ctx.Err() == nil {
		f.spare = true
		o.Conditions.Set("memory", health.Error, "The memory cannot be used, and nothing is kept over a restart: "+
			err.Error()+". Once that is mended: sudo systemctl restart hearthd.")
		if err := copyMemory(f.dir, o.Spare, filepath.Base(own)); err != nil {
			f.log.Warn("a new memory was begun", "component", "memory", "error", err)
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
		return fmt.Sprintf("The memory was missing; the backup of %s took its place.",
			r.Restored.Format("2 January 2006, 15:04"))
	case r.Kept == "":
		return "The memory was missing, its backup cannot be used, and a new one was begun."
	case !r.Restored.IsZero():
		return fmt.Sprintf("The memory was unusable; it is kept as %s and the backup of %s took its place.", r.Kept,
			r.Restored.Format("2 January 2006, 15:04"))
	case errors.Is(r.Cause, memory.ErrNewer):
		return fmt.Sprintf("The memory is of a newer hearthd; it is kept as %s and a new one was begun. After "+
			"the next upgrade, stop hearthd and rename it to %s.", r.Kept, r.Path)
	default:
		return fmt.Sprintf("The memory was unusable; it is kept as %s and a new one was begun.", r.Kept)
	}
}

// maxCarried bounds the database that is copied into memory, in bytes: a Pi of
// 512 MB has room for it beside everything else.
const maxCarried = 48 << 20

// copyMemory copies the database of one folder, with its log, into another, so that alarms ring even
// where the disk was found full or read-only. A database that is there already is newer and stays.
func copyMemory(from, to, name string) error {
	if _, err := os.Stat(filepath.Join(to, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The log first: without its database it is ignored.
	for _, name := range []string{name + "-wal", name} {
		path := filepath.Join(from, name)
		switch info, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && info.Size() > maxCarried:
			return fmt.Errorf("copy %q: larger than %d bytes", name, maxCarried)
		}
		spare := filepath.Join(to, name)
		_ = os.Remove(spare) // left over from a copy that was interrupted; if it cannot be removed, Copy says so
		if err := bundle.Copy(path, spare, 0o600); err != nil {
			return fmt.Errorf("copy %q: %w", name, errors.Join(err, os.Remove(spare)))
		}
	}
	return nil
}
