package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxCarried bounds the database that is copied into memory, in bytes: a Pi of
// 512 MB has room for it beside everything else.
const maxCarried = 48 << 20

// carry copies the database of one folder, with the log that belongs to it, into
// another: alarms have to ring too when the disk was found full or read-only. One
// that stands there already is newer and stays.
func carry(from, to, name string) error {
	if _, err := os.Stat(filepath.Join(to, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The log first: without its database it is ignored.
	for _, name := range []string{name + "-wal", name} {
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("carry %q: %w", name, err)
		}
	}
	return nil
}

// copyFile copies a file of maxCarried bytes at most, or leaves nothing.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxCarried+1))
	if n > maxCarried {
		err = errors.Join(err, fmt.Errorf("larger than %d bytes", maxCarried))
	}
	if err = errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, os.Remove(to))
	}
	return err
}
