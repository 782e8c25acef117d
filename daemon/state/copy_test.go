package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hearthd/memory"
	"hearthd/rigs/memorytest"
)

func TestWhatWasKeptIsStillThereWhenTheDiskCannotBeWritten(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	open := func(dir string) *memory.Store {
		return memorytest.OpenAt(t, filepath.Join(dir, "hearthd.db"))
	}
	has := func(s *memory.Store, want int) {
		t.Helper()
		if items, err := s.Items(t.Context(), "shopping"); err != nil || len(items) != want {
			t.Errorf("%v (%v), want %d items", items, err, want)
		}
	}
	old := open(from) // stays open, so that its log is not written back
	defer old.Close()
	if _, err := old.AddItems(t.Context(), "shopping", []string{"milk", "eggs"}); err != nil {
		t.Fatal(err)
	}
	if err := copyMemory(from, to, "hearthd.db"); err != nil {
		t.Fatal(err)
	}
	s := open(to)
	has(s, 2)
	if _, err := s.AddItems(t.Context(), "shopping", []string{"bread"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := copyMemory(from, to, "hearthd.db"); err != nil { // a restart, and the disk is no better
		t.Fatal(err)
	}
	s = open(to)
	has(s, 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsCarriedThatIsNotThereOrTooLarge(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := copyMemory(from, to, "hearthd.db"); err != nil {
		t.Error(err)
	}
	large := filepath.Join(from, "hearthd.db")
	if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, maxCarried+1)); err != nil {
		t.Fatal(err)
	}
	if err := copyMemory(from, to, "hearthd.db"); err == nil {
		t.Error("a large one was carried")
	}
	if _, err := os.Stat(filepath.Join(to, "hearthd.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
