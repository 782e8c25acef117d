package memory

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"regexp"
	"strings"
)

// applicationID marks a database as ours: "HRTH".
const applicationID = 0x48525448

// oldestReader is the version of the oldest hearthd that can still read and write a database of
// this version. A new table, or a new column with a default, does not raise it, so that a household
// can go back to the previous release; raise it with a migration that changes more.
const oldestReader = 9

// migrationFiles are run in the order of their names; the number of files that
// ran is the database's user_version. A file that was released never changes.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// identify gives the version of the database, 0 for a new one. known is how many versions this
// hearthd understands. It refuses a database that another program wrote, or a newer hearthd in a
// form that is not understood here.
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
		return 0, fmt.Errorf("%w: application id %#x", errForeign, id)
	case version > known:
		oldest, found, err := s.setting(ctx, "oldest_reader")
		if err != nil {
			return 0, err
		}
		if !found || oldest > known {
			return 0, fmt.Errorf("%w: version %d, which takes one that knows %d, known are %d", ErrNewer, version,
				oldest, known)
		}
	}
	if version < 0 {
		return 0, fmt.Errorf("%w: its version is %d", errAltered, version)
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
		INSERT OR REPLACE INTO settings (key, value) VALUES ('oldest_reader', %d)`,
		applicationID, version, oldestReader)
	for _, statement := range []string{string(text), marks} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// object is an entry of the schema of a database.
type object struct{ kind, name, table, sql string }

// unexpected looks for what hearthd did not make: a trigger, a view or an index could run
// SQL of somebody else with each statement of ours. It reads the schema as text and runs
// nothing of it.
func unexpected(ctx context.Context, db *sql.DB, version int, migrations []string) error {
	newer := version > len(migrations)
	ours, err := made(ctx, migrations[:min(version, len(migrations))])
	if err != nil {
		return fmt.Errorf("make schema: %w", err)
	}
	found, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	for name, o := range found {
		mine, ok := ours[name]
		switch {
		case ok && mine == o:
		case newer && o.later(mine):
		case !ok && o.statistics():
		default:
			return fmt.Errorf("%w: it holds the %s %.60q, which hearthd did not make", errAltered, o.kind, o.name)
		}
	}
	for name, o := range ours {
		if _, ok := found[name]; !ok {
			return fmt.Errorf("%w: it lacks the %s %q", errAltered, o.kind, o.name)
		}
	}
	return nil
}

// made is the schema that these migrations produce.
func made(ctx context.Context, migrations []string) (map[string]object, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, name := range migrations {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(ctx, string(text)); err != nil {
			return nil, fmt.Errorf("apply %q: %w", name, err)
		}
	}
	return schemaOf(ctx, db)
}

// maxObjects is far more than hearthd ever made.
const maxObjects = 500

func schemaOf(ctx context.Context, db *sql.DB) (map[string]object, error) {
	list, err := rowsOf(ctx, db, func(r *sql.Rows, o *object) error {
		return r.Scan(&o.kind, &o.name, &o.table, &o.sql)
	}, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema LIMIT ?", maxObjects+1)
	all := make(map[string]object)
	for _, o := range list {
		if _, twice := all[o.name]; twice || len(all) == maxObjects {
			return nil, fmt.Errorf("%w: %.60q stands twice in its schema, or that is too long", errAltered, o.name)
		}
		all[o.name] = o
	}
	return all, err
}

// statistics are what ANALYZE of a curious person leaves.
func (o object) statistics() bool {
	return o.kind == "table" && regexp.MustCompile(`^sqlite_stat[14]$`).MatchString(o.name)
}

// What a newer hearthd may have added that an older one can work with: see oldestReader.
var (
	plainTable = regexp.MustCompile(`(?i)^CREATE TABLE (\w+) \(`)
	plainIndex = regexp.MustCompile(
		`(?i)^CREATE (UNIQUE )?INDEX \w+ ON \w+ ?\(\w+( (ASC|DESC))?(, ?\w+( (ASC|DESC))?)*\)$`)
	runs = regexp.MustCompile(`(?i)\b(CHECK|GENERATED|AS|VIRTUAL|REFERENCES|COLLATE)\b|DEFAULT\s*\(`)
)

// later reports whether o may come from a newer hearthd: a table that executes nothing, an index of
// columns, or a table of ours with columns added at its end.
func (o object) later(ours object) bool {
	if ours.sql == "" {
		switch o.kind {
		case "table":
			return plainTable.MatchString(o.sql) && !runs.MatchString(plainSQL(o.sql))
		case "index":
			return o.sql == "" && strings.HasPrefix(o.name, "sqlite_autoindex_") || plainIndex.MatchString(o.sql)
		}
		return false
	}
	// SQLite appends a column that is added later.
	head := strings.TrimRight(ours.sql, " \n)")
	return ours.kind == "table" && o.kind == "table" && plainTable.MatchString(ours.sql) &&
		strings.HasPrefix(o.sql, head+", ") && !runs.MatchString(plainSQL(o.sql[len(head):]))
}

// plainSQL is SQL without comments and without anything in quotes.
func plainSQL(sql string) string {
	var b strings.Builder
	for sql != "" {
		open, end := 1, ""
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			open, end = 2, "*/"
		case sql[0] == '[':
			end = "]"
		case sql[0] == '\'' || sql[0] == '"' || sql[0] == '`':
			end = sql[:1]
		}
		if end == "" {
			b.WriteByte(sql[0])
			sql = sql[1:]
			continue
		}
		_, sql, _ = strings.Cut(sql[open:], end)
		b.WriteByte(' ')
	}
	return b.String()
}
