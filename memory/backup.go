package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hearthd/config/files"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	backupSuffix = ".backup"
	olderSuffix  = ".backup.older"
	partSuffix   = ".part"
)

// Checkpoint writes the log back into the database and empties it. It is for
// idle times: the file grows by what is written between two of them. While nothing
// was written it does not wake the database.
func (s *Store) Checkpoint(ctx context.Context) error {
	if info, err := os.Stat(s.path + "-wal"); err == nil && info.Size() == 0 {
		return nil
	}
	var busy, log, done int
	if err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done); err != nil {
		return fmt.Errorf("checkpoint: %w", classify(err))
	}
	if busy != 0 {
		return fmt.Errorf("checkpoint: %w", errBusy)
	}
	return nil
}

// Backup writes a compact copy of the database beside it, unless nothing has changed since the last
// one. The previous backup is kept too. It reports whether it wrote one. Open goes back to the
// newest that is intact when the database is damaged. What is forgotten meanwhile waits for the copy, to delete it.
func (s *Store) Backup(ctx context.Context) (bool, error) {
	s.copying.Lock()
	defer s.copying.Unlock()
	changes := s.written.Load()
	backup, part := s.path+backupSuffix, s.path+backupSuffix+partSuffix
	if _, err := os.Stat(backup); err == nil && changes == s.backedUp.Load() {
		return false, nil
	}
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("back up: %w", classify(err))
	}
	if err := s.Snapshot(ctx, part); err != nil {
		return false, fmt.Errorf("back up: %w", err)
	}
	if err := os.Rename(backup, s.path+olderSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("back up: %w", classify(err))
	}
	if err := errors.Join(os.Rename(part, backup), files.Sync(filepath.Dir(backup))); err != nil {
		return false, fmt.Errorf("back up: %w", classify(err))
	}
	s.backedUp.Store(changes)
	return true, nil
}

// Snapshot writes a compact copy of the database to path, where nothing is yet, as it
// is at one moment. It reads beside the one connection of the Store, so that nobody
// waits for it to write.
func (s *Store) Snapshot(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(s.path))
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := compact(ctx, db, path); err != nil {
		return fmt.Errorf("copy database: %w", classify(err))
	}
	return nil
}

// compact writes a copy of a database to path, where nothing is yet, for its owner alone:
// SQLite makes a file as readable as the umask allows, and takes an empty one as it is.
func compact(ctx context.Context, db *sql.DB, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// lost reports whether there is a backup and no database, or an empty one. A process that was
// killed while a backup took the place of a damaged database leaves it so.
func lost(path string) bool {
	info, err := os.Stat(path)
	if !errors.Is(err, os.ErrNotExist) && (err != nil || info.Size() > 0) {
		return false
	}
	for _, suffix := range []string{backupSuffix, olderSuffix} {
		if _, err := os.Stat(path + suffix); err == nil {
			return true
		}
	}
	return false
}

// BackedUp reports whether there is a backup, of whatever age.
func (s *Store) BackedUp() bool {
	_, err := os.Stat(s.path + backupSuffix)
	return err == nil
}

// restore puts a copy of the backup in the place of a database, in one step, and returns the time
// of the backup; the zero time when there is none. Whether it is intact shows when it is opened.
func restore(backup, path string) (time.Time, error) {
	in, err := os.Open(backup)
	if errors.Is(err, os.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return time.Time{}, err
	}
	part := path + backupSuffix + partSuffix // which erasing deletes too
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return time.Time{}, err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return time.Time{}, errors.Join(err, os.Remove(part))
	}
	return info.ModTime(), errors.Join(os.Rename(part, path), files.Sync(filepath.Dir(path)))
}
