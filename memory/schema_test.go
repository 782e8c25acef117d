package memory

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// altered is a database of hearthd's after somebody's statements.
func altered(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hearthd.db")
	s := openAt(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, statements...)
	return path
}

func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func TestADatabaseThatHoldsWhatHearthdDidNotMakeIsRefused(t *testing.T) {
	for name, statements := range map[string][]string{
		"a trigger":         {"CREATE TRIGGER x AFTER INSERT ON turns BEGIN DELETE FROM notes; END"},
		"a trigger on ours": {"CREATE TRIGGER aa BEFORE INSERT ON settings BEGIN SELECT RAISE(IGNORE); END"},
		"a trigger instead of ours": {"DROP TRIGGER notes_added",
			"CREATE TRIGGER notes_added AFTER INSERT ON notes BEGIN DELETE FROM facts; END"},
		"a trigger of ours is gone": {"DROP TRIGGER passages_removed"},
		"a view":                    {"CREATE VIEW v AS SELECT * FROM notes"},
		"a view instead of a table": {"DROP TABLE answers", "CREATE VIEW answers AS SELECT * FROM notes"},
		"a virtual table":           {"CREATE VIRTUAL TABLE f USING fts5(a)"},
		"a table":                   {"CREATE TABLE recipes (name)"},
		"an index":                  {"CREATE INDEX i ON notes (used_ms)"},
		"an index of an expression": {"CREATE INDEX i ON notes (length(hex(text)))"},
		"a column":                  {"ALTER TABLE facts ADD COLUMN x TEXT"},
		"a check": {"DROP TABLE unmerged",
			"CREATE TABLE unmerged (id INTEGER PRIMARY KEY, text CHECK (length(text) > 0))"},
		"a table is gone":      {"DROP TABLE answers"},
		"an old version's":     {"PRAGMA user_version = 3"},
		"a version below none": {"PRAGMA user_version = -1"},
		"a later version's trigger": {"PRAGMA user_version = 99",
			"CREATE TRIGGER x AFTER INSERT ON turns BEGIN DELETE FROM notes; END"},
		"a later version's view":     {"PRAGMA user_version = 99", "CREATE VIEW v AS SELECT 1"},
		"a later version's search":   {"PRAGMA user_version = 99", "CREATE VIRTUAL TABLE f USING fts5(a)"},
		"a later version's check":    {"PRAGMA user_version = 99", "CREATE TABLE f (a CHECK (a > 1))"},
		"a later version's computed": {"PRAGMA user_version = 99", "CREATE TABLE f (a, b GENERATED ALWAYS AS (a + 1))"},
		"a check behind a quote":     {"PRAGMA user_version = 99", "CREATE TABLE f (a DEFAULT '\n--', b CHECK (b > 1))"},
		"a check behind a comment": {"PRAGMA user_version = 99",
			"CREATE TABLE f (a /*/ ' */ CHECK (a > 1), b DEFAULT '')"},
		"a later version's default": {"PRAGMA user_version = 99",
			"ALTER TABLE facts ADD COLUMN x TEXT DEFAULT (1 + 1)"},
		"a later version's index": {"PRAGMA user_version = 99", "CREATE INDEX i ON notes (lower(text))"},
		"a part of a later one's": {"PRAGMA user_version = 99",
			"CREATE INDEX i ON notes (text) WHERE length(text) > 3"},
		"a later version's swap": {"PRAGMA user_version = 99", "DROP TRIGGER notes_added"},
		"hidden in the schema": {
			"PRAGMA writable_schema = ON",
			"INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('trigger', 'notes_added2', " +
				"'notes', 0, 'CREATE TRIGGER notes_added2 AFTER INSERT ON notes BEGIN DELETE FROM facts; END')",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := altered(t, statements...)
			s := openAt(t, path)
			defer s.Close()
			r := s.Replaced()
			if r == nil || !errors.Is(r.Cause, errAltered) || r.Kept == "" {
				t.Fatalf("%+v", r)
			}
		})
	}
}

func TestAnAlteredDatabaseGivesPlaceToItsBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	s := openAt(t, path)
	if err := s.SetVolume(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, path, "UPDATE settings SET value = 99",
		"CREATE TRIGGER x AFTER UPDATE ON settings BEGIN DELETE FROM notes; END")
	s = openAt(t, path)
	defer s.Close()
	if r := s.Replaced(); r == nil || r.Restored.IsZero() {
		t.Errorf("%+v", r)
	}
	if v, _, err := s.Volume(t.Context()); err != nil || v != 7 {
		t.Errorf("volume %d, %v", v, err)
	}
}

func TestADatabaseOfAnyVersionIsTaken(t *testing.T) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= len(names); version++ {
		path := filepath.Join(t.TempDir(), "hearthd.db")
		for i, name := range names[:version] {
			text, err := migrationFiles.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			alter(t, path, string(text))
			if i == version-1 {
				alter(t, path, "PRAGMA application_id = 0x48525448",
					"PRAGMA user_version = "+string(rune('0'+version/10))+string(rune('0'+version%10)))
			}
		}
		s := openAt(t, path)
		if r := s.Replaced(); r != nil {
			t.Errorf("version %d: %v", version, r.Cause)
		}
		s.Close()
	}
	for name, statements := range map[string][]string{
		"analysed":  {"INSERT INTO answers VALUES ('a', 'b', 'c', 1, 2, '[]')", "ANALYZE"},
		"compacted": {"VACUUM"},
		"a later version's table": {"PRAGMA user_version = 99", "CREATE TABLE doors (\n\tid INTEGER PRIMARY KEY " +
			"AUTOINCREMENT,\n\tname TEXT NOT NULL UNIQUE -- as it is said\n)",
			"CREATE INDEX doors_name ON doors (name)"},
		"a later version's column": {"PRAGMA user_version = 99",
			"ALTER TABLE timers ADD COLUMN room TEXT NOT NULL DEFAULT ''; -- where",
			"ALTER TABLE timers ADD COLUMN loud INTEGER NOT NULL DEFAULT 0"},
	} {
		path := altered(t, statements...)
		s := openAt(t, path)
		if r := s.Replaced(); r != nil {
			t.Errorf("%s: %v", name, r.Cause)
		}
		s.Close()
	}
}

func TestTheSchemaIsNotTrusted(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "hearthd.db"))
	defer s.Close()
	var trusted int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA trusted_schema").Scan(&trusted); err != nil || trusted != 0 {
		t.Errorf("trusted_schema is %d, %v", trusted, err)
	}
	if !strings.Contains(dsn("x"), "trusted_schema%28OFF%29") {
		t.Error("a second connection trusts it")
	}
}
