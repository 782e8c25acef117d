package memory

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

// applicationID marks a database as ours: "HRTH".
const applicationID = 0x48525448

// oldestReader is the version of the oldest hearthd that can read and write a database
// as this one leaves it. A new table, or a new column with a default, leaves it as it
// is, so that a household can go back to the version before; raise it with a migration
// that does more.
const oldestReader = 9

// migrationFiles are run in the order of their names; the number of files that
// ran is the database's user_version. A file that was released never changes.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// identify refuses a database that another program wrote, or a newer hearthd in a form
// that this one does not understand.
func (s *Store) identify(ctx context.Context) error {
	var id, version, objects int
	row := s.db.QueryRowContext(ctx, `SELECT a.application_id, u.user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id a, pragma_user_version u`)
	if err := row.Scan(&id, &version, &objects); err != nil {
		return err
	}
	known, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	switch {
	case id == 0 && objects == 0:
		return nil
	case id != applicationID:
		return fmt.Errorf("%w: application id %#x", ErrForeign, id)
	case version > len(known):
		return s.identifyNewer(ctx, version, len(known))
	}
	return nil
}

func (s *Store) identifyNewer(ctx context.Context, version, known int) error {
	oldest := version
	err := s.db.QueryRowContext(ctx, "SELECT value FROM settings WHERE key = 'oldest_reader'").Scan(&oldest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if oldest > known {
		return fmt.Errorf("%w: version %d, which takes one that knows %d, known are %d", ErrNewer, version, oldest, known)
	}
	return nil
}

// migrate runs what has not run yet, each file in its own transaction with the
// version that it makes.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for ; version < len(names); version++ {
		if err := s.apply(ctx, names[version], version+1); err != nil {
			return fmt.Errorf("apply %q: %w", names[version], err)
		}
	}
	return nil
}

func (s *Store) apply(ctx context.Context, name string, version int) error {
	text, err := migrationFiles.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect after Commit
	marks := fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d;
		INSERT OR REPLACE INTO settings (key, value) VALUES ('oldest_reader', %d)`, applicationID, version, oldestReader)
	for _, statement := range []string{string(text), marks} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}
