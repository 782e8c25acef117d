package memory

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// defaultKeepTurns is a few months of a busy kitchen and under 10 MB.
const defaultKeepTurns = 5000

// Options says where the store is.
type Options struct {
	Path      string // the database file; its folder is made when it is missing
	KeepTurns int    // newest turns that are kept; 0 means 5000
	KeepNotes int    // newest notes that are kept; 0 means 1,000,000
	// MaxBytes bounds what the database holds, free pages and log not counted; the
	// oldest notes and turns go first. 0 means 300 MiB, 1 MiB is the least.
	MaxBytes int64
	Log      *slog.Logger
}

// Open opens the database at o.Path, or begins one. A file that cannot be used (it is damaged, was
// altered or not written by hearthd, or has a form that only a newer hearthd understands) is kept
// aside under its name with a timestamp, and the backup or a new database takes its place: see
// Replaced. Errors match errReadOnly, ErrFull or errBusy where that is the cause.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Path == "" || o.Log == nil || o.KeepTurns < 0 || o.KeepNotes < 0 ||
		o.MaxBytes < 0 || o.MaxBytes > 0 && o.MaxBytes < minMaxBytes {
		return nil, errors.New("open store: a path, a logger, and KeepTurns and KeepNotes of 0 or more " +
			"and MaxBytes of 0, or 1 MiB or more, are needed")
	}
	o.KeepTurns, o.KeepNotes = cmp.Or(o.KeepTurns, defaultKeepTurns), cmp.Or(o.KeepNotes, defaultKeepNotes)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o750); err != nil {
		return nil, fmt.Errorf("open store %q: %w", o.Path, classify(err))
	}
	if lost(o.Path) {
		o.Log.Error("database is missing beside its backup", "path", o.Path)
		return o.replace(ctx, "", errDamaged)
	}
	s, err := open(ctx, o)
	if err == nil {
		return s, nil
	}
	if !errors.Is(err, errDamaged) && !errors.Is(err, errAltered) &&
		!errors.Is(err, errForeign) && !errors.Is(err, ErrNewer) {
		return nil, fmt.Errorf("open store %q: %w", o.Path, err)
	}
	kept, asideErr := keepAside(o.Path)
	if asideErr != nil {
		return nil, fmt.Errorf("open store %q: %w", o.Path, errors.Join(err, asideErr))
	}
	o.Log.Error("unusable database kept aside", "path", o.Path, "kept", kept, "error", err)
	return o.replace(ctx, kept, err)
}

// replace opens what takes the place of a database that cannot be used.
func (o Options) replace(ctx context.Context, kept string, cause error) (*Store, error) {
	s, restored, err := openBackup(ctx, o, cause)
	if err != nil {
		return nil, fmt.Errorf("open new store %q: %w", o.Path, err)
	}
	s.replaced = &Replaced{Path: o.Path, Kept: kept, Cause: cause, Restored: restored}
	return s, nil
}

// openBackup opens what takes the place of an unusable database: if it was damaged or altered, the
// newest backup that is intact; otherwise a new one.
func openBackup(ctx context.Context, o Options, cause error) (*Store, time.Time, error) {
	if errors.Is(cause, errDamaged) || errors.Is(cause, errAltered) {
		for _, suffix := range []string{backupSuffix, olderSuffix} {
			made, err := restore(o.Path+suffix, o.Path)
			if err == nil && made.IsZero() {
				continue
			}
			var s *Store
			if err == nil {
				s, err = open(ctx, o)
			}
			if err == nil {
				o.Log.Warn("backup restored", "path", o.Path+suffix, "made", made)
				return s, made, nil
			}
			o.Log.Error("backup cannot be used", "path", o.Path+suffix, "error", err)
			if err := removeDatabase(o.Path); err != nil {
				return nil, time.Time{}, err
			}
		}
	}
	s, err := open(ctx, o)
	return s, time.Time{}, err
}

// removeDatabase removes a file with what SQLite put beside it.
func removeDatabase(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func open(ctx context.Context, o Options) (*Store, error) {
	// SQLite would create the file readable by everybody; it gives the -wal and
	// -shm files the mode of the database.
	f, err := os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, classify(err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(o.Path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, keepTurns: o.KeepTurns, keepNotes: o.KeepNotes, maxBytes: o.MaxBytes, path: o.Path}
	s.backedUp.Store(-1)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(classify(err), db.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	migrations, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := s.identify(ctx, len(migrations))
	if err != nil {
		return err
	}
	// Before the check of the pages, because that check executes what tables and indexes are
	// defined with.
	if err := unexpected(ctx, s.db, version, migrations); err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		if err := s.apply(ctx, migrations[version], version+1); err != nil {
			return fmt.Errorf("apply %q: %w", migrations[version], err)
		}
	}
	return nil
}

// check looks at every page and every index, so that damage is met here and not while
// somebody waits for an answer. It takes about 5 ms per megabyte (121 MB: 0.6 s,
// measured 2026-11 on the development machine; without the indexes 0.4 s).
func (s *Store) check(ctx context.Context) error {
	var verdict string
	if err := s.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, verdict)
	}
	return nil
}

// keepAside renames the database and what belongs to it. The suffix goes
// before -wal and -shm, so that sqlite3 can still open the three together.
func keepAside(path string) (string, error) {
	kept := path + ".kept-" + time.Now().UTC().Format("20060102T150405.000Z")
	if err := os.Rename(path, kept); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		err := os.Rename(path+suffix, kept+suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return kept, nil
}
