package memory

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

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

func TestDamagedDatabaseIsReplacedByItsBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	func() {
		s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		addNotes(t, s, "kept in the backup")
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
		addNotes(t, s, "written later")
	}()
	damage(t, path)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !errors.Is(r.Cause, ErrDamaged) || r.Restored.IsZero() {
		t.Fatalf("replaced %+v", r)
	}
	if got := found(t, s, Query{Text: "kept written"}); !slices.Equal(got, []string{"kept in the backup"}) {
		t.Errorf("found %q", got)
	}
}

func TestDamagedBackupIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearthd.db")
	func() {
		s, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Backup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	damage(t, path)
	damage(t, path+backupSuffix)
	s := openAt(t, path)
	if r := s.Replaced(); r == nil || !r.Restored.IsZero() {
		t.Errorf("replaced %+v", r)
	}
	addNotes(t, s, "it works")
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
