package memory

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// before has a process that ends use the database at path.
func before(t *testing.T, path string, use func(s *Store)) {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	use(s)
}

func TestBackupIsWrittenWhenSomethingChanged(t *testing.T) {
	s := openNew(t)
	for i, want := range []bool{true, false, true, false} {
		if i == 2 {
			addNotes(t, s, "new")
		}
		if made, err := s.Backup(t.Context()); err != nil || made != want {
			t.Errorf("backup %d: %v (%v), want %v", i, made, err, want)
		}
	}
	info, err := os.Stat(s.path + backupSuffix)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup %v (%v)", info, err)
	}
}

// A copy takes a second for 64 MB, and somebody may be asking right then.
func TestABackupLeavesTheConnectionToOthers(t *testing.T) {
	s := openNew(t)
	addNotes(t, s, "kept")
	other, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), busyTimeout)
	defer cancel()
	if made, err := s.Backup(ctx); err != nil || !made {
		t.Errorf("backup: %v, %v", made, err)
	}
}

func TestDamagedDatabaseIsReplacedByItsBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	before(t, path, func(s *Store) {
		addNotes(t, s, "kept in the backup")
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
		addNotes(t, s, "written later")
	})
	damage(t, path)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !errors.Is(r.Cause, errDamaged) || r.Restored.IsZero() {
		t.Fatalf("replaced %+v", r)
	}
	if got := found(t, s, Query{Text: "kept written"}); !slices.Equal(got, []string{"kept in the backup"}) {
		t.Errorf("found %q", got)
	}
}

func TestDamagedBackupIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	before(t, path, func(s *Store) {
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	damage(t, path)
	damage(t, path+backupSuffix)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !r.Restored.IsZero() {
		t.Errorf("replaced %+v", r)
	}
	addNotes(t, s, "it works")
}

func TestOlderBackupTakesThePlaceOfADamagedOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	before(t, path, func(s *Store) {
		for _, note := range []string{"kept in the older", "kept in both of them", "kept in none"} {
			addNotes(t, s, note)
			if note == "kept in none" {
				break
			}
			if made, err := s.Backup(t.Context()); err != nil || !made {
				t.Fatalf("backup %v (%v)", made, err)
			}
		}
	})
	damage(t, path)
	damage(t, path+backupSuffix)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || r.Restored.IsZero() {
		t.Fatalf("replaced %+v", r)
	}
	if got := found(t, s, Query{Text: "kept"}); !slices.Equal(got, []string{"kept in the older"}) {
		t.Errorf("found %q", got)
	}
}

// TestIndexThatSaysSomethingElseIsDamage is of a file in which every page is well.
func TestIndexThatSaysSomethingElseIsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	before(t, path, func(s *Store) {
		addNotes(t, s, "kept")
		if err := s.KeepAnswer(t.Context(), Answer{Key: "k", Text: "a", Made: time.Now(),
			Expires: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The row is changed while the index is not known, as by a sector that was not written.
		const index = "name = 'answers_expires'"
		for _, statement := range []string{
			"PRAGMA writable_schema = ON", "CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE " + index,
			"DELETE FROM sqlite_schema WHERE " + index, "PRAGMA writable_schema = RESET",
			"UPDATE answers SET expires_ms = expires_ms + 1",
			"PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema SELECT * FROM aside",
			"PRAGMA writable_schema = RESET",
			"DROP TABLE aside",
		} {
			if _, err := s.db.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	})
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !errors.Is(r.Cause, errDamaged) || r.Restored.IsZero() {
		t.Fatalf("replaced %+v", r)
	}
	if got := found(t, s, Query{Text: "kept"}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}

// damage writes over the middle of a database.
func damage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(b); i++ {
		b[i] ^= 0x5a
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestABackupIsRestoredThoughTheRestoreWasCutShort(t *testing.T) {
	for name, left := range map[string]func(path string) error{
		"nothing": func(path string) error { return nil },
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hearthd.db")
			s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			addNotes(t, s, "kept in the backup")
			if _, err := s.Backup(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := keepAside(path); err != nil {
				t.Fatal(err)
			}
			if err := left(path); err != nil {
				t.Fatal(err)
			}
			again := openAt(t, path)
			if got := found(t, again, Query{Text: "kept"}); len(got) != 1 {
				t.Errorf("found %q, replaced %+v", got, again.Replaced())
			}
		})
	}
}
