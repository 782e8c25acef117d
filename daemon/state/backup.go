package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"

	"hearthd/daemon/bundle"
	"hearthd/memory"
)

// snapshotPrefix begins the names of folders that hold a copy of the memory while a
// backup is made.
const snapshotPrefix = ".snapshot-"

// dropSnapshots removes the copies that a process left behind which was killed during a backup.
func (f *Folder) dropSnapshots() {
	left, err := filepath.Glob(filepath.Join(f.dir, snapshotPrefix+"*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		f.log.Warn("remove copies that a backup left", "component", "memory", "error", err)
	}
}

// Backup yields the files that a household would miss: the memory as it is at one moment, the wake
// words and the calendar.
func (f *Folder) Backup(ctx context.Context, give func(name string, size int64, from io.Reader) error) error {
	dir, err := os.MkdirTemp(f.dir, snapshotPrefix)
	if err != nil { // a disk that has gone read-only is when a backup is wanted most
		dir, err = os.MkdirTemp(f.other, snapshotPrefix)
	}
	if err != nil {
		return fmt.Errorf("make backup: %w", err)
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, path.Base(bundle.Memory))
	if err := f.store.Snapshot(ctx, copied); err != nil {
		return err
	}
	if err := giveFile(bundle.Memory, copied, give); err != nil {
		return err
	}
	words, err := os.ReadDir(f.file(bundle.Words))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make backup: %w", err)
	}
	for _, e := range words {
		name := path.Join(bundle.Words, e.Name())
		if _, err := bundle.Limit(name); err != nil || !e.Type().IsRegular() {
			continue // left over from an installation that was interrupted
		}
		if err := giveFile(name, filepath.Join(f.file(bundle.Words), e.Name()), give); err != nil {
			return err
		}
	}
	return giveFile(bundle.Calendar, f.file(bundle.Calendar), give)
}

// giveFile yields a file, if it exists.
func giveFile(name, file string, give func(string, int64, io.Reader) error) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make backup: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("make backup: %w", err)
	}
	return give(name, info.Size(), f)
}

// Check opens the database at path as a start would, which brings it up to date, and says what is
// wrong with it. It must not be in use; a database that cannot be used is kept under another name.
func Check(ctx context.Context, path string) error {
	s, err := memory.Open(ctx, memory.Options{
		Path: path, KeepTurns: math.MaxInt32, KeepNotes: math.MaxInt32, MaxBytes: math.MaxInt64,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	err = s.Close()
	if r := s.Replaced(); r != nil {
		err = errors.Join(r.Cause, err)
	}
	return err
}
