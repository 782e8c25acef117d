// Package state is the folder in which a box keeps what it must not lose: the memory, the
// calendar and the wake words. One daemon has it at a time. The package opens the memory,
// in another folder where the disk is full or read-only, and gives a backup. It runs no
// goroutine.
package state

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"hearthd/daemon/bundle"
	"hearthd/memory"
)

// Folder is a state folder that nobody else has.
type Folder struct {
	dir   string
	log   *slog.Logger
	lock  *os.File      // nil: it cannot be opened
	store *memory.Store // nil until Open
}

// Hold keeps other daemons out of a folder until Close: two on one memory would ring every
// timer twice. A folder that cannot be opened is no concern here; whoever needs it says so.
// What a process has left in it that was killed during a backup is removed.
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
		return nil, errors.Join(fmt.Errorf("use folder %q: another hearthd does", dir), f.lock.Close())
	}
	f.dropSnapshots()
	return f, nil
}

// Close closes the memory and gives the folder back.
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

// file is where the folder has a file of a backup.
func (f *Folder) file(name string) string { return filepath.Join(f.dir, path.Base(name)) }

// Calendar is the file of the box's own calendar below folder dir.
func Calendar(dir string) string { return filepath.Join(dir, path.Base(bundle.Calendar)) }
