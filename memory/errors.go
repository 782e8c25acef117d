package memory

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of the package match one of these where a caller may act on it.
var (
	errDamaged  = errors.New("database is damaged")
	errAltered  = errors.New("database was altered by another program")
	errForeign  = errors.New("database belongs to another program")
	ErrNewer    = errors.New("database was written by a newer hearthd")
	errReadOnly = errors.New("database cannot be written")
	ErrFull     = error(full{})
	errBusy     = errors.New("database is in use by another process")
	ErrTooMany  = errors.New("too many entries")
	ErrTooLong  = errors.New("text is too long or empty")
)

// full is what the system says of files too.
type full struct{}

func (full) Error() string        { return "disk is full" }
func (full) Is(target error) bool { return target == syscall.ENOSPC }

// classify adds the sentinel that stands for the cause of err. Result codes:
// https://www.sqlite.org/rescode.html, the low byte is the primary one.
func classify(err error) error {
	var sq *sqlite.Error
	if !errors.As(err, &sq) {
		switch {
		case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EISDIR):
			return fmt.Errorf("%w: %w", errReadOnly, err)
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		return err
	}
	switch sq.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: %w", errReadOnly, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %w", errBusy, err)
	}
	return err
}
