package memory

import (
	"context"
	"embed"
	"fmt"
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

// identify gives the version of the database, 0 for a new one, and refuses one that another
// program wrote, or a newer hearthd in a form that this one, which knows so many versions,
// does not understand.
func (s *Store) identify(ctx context.Context, known int) (version int, err error) {
	var id, objects int
	row := s.db.QueryRowContext(ctx, `SELECT a.application_id, u.user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id a, pragma_user_version u`)
	if err := row.Scan(&id, &version, &objects); err != nil {
		return 0, err
	}
	switch {
	case id == 0 && objects == 0: // a new one
	case id != applicationID:
		return 0, fmt.Errorf("%w: application id %#x", ErrForeign, id)
	case version > known:
		oldest, found, err := s.setting(ctx, "oldest_reader")
		if err != nil {
			return 0, err
		}
		if !found || oldest > known {
			return 0, fmt.Errorf("%w: version %d, which takes one that knows %d, known are %d", ErrNewer, version, oldest, known)
		}
	}
	if version < 0 {
		return 0, fmt.Errorf("%w: its version is %d", ErrAltered, version)
	}
	return version, nil
}

// apply runs a migration in a transaction of its own, with the version that it makes.
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
