// Package files changes files so that after a power cut there is either the old content or the new.
// It has no state, runs no goroutine and imports nothing of hearthd.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Write replaces the file at path by text, or leaves it as it is. An existing file keeps its mode,
// and its owner as far as the process may set it; a new one gets mode, and its folder is made.
func Write(path string, text []byte, mode os.FileMode) error {
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Replace is Write for content that is too long to be held in memory.
func Replace(path string, mode os.FileMode, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(owner.Uid), int(owner.Gid)) // root may
		}
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err = errors.Join(err, w.Flush(), f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return Sync(dir)
}

// Sync makes what was renamed in a folder survive a power cut.
func Sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // some file systems cannot
		err = nil
	}
	return errors.Join(err, d.Close())
}
