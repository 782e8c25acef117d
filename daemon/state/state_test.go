package state

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hearthd/daemon/bundle"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/memory"
)

func TestFolderIsHeldByOneDaemonAtATime(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	first, err := Hold(dir, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir, log); err == nil || !strings.Contains(err.Error(), "STATE_DIRECTORY") {
		t.Errorf("the second: %v", err)
	}
	first.Close()
	again, err := Hold(dir, log)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	none, err := Hold("/proc/none", log)
	if err != nil {
		t.Fatalf("a folder that cannot be: %v", err)
	}
	none.Close()
}

func TestMemoryInTheSpareFolderForgets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // a folder that cannot be one
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, forgets := range map[string]bool{file: true, t.TempDir(): false} {
		log := slog.New(slog.DiscardHandler)
		f, err := Hold(dir, log)
		if err != nil {
			t.Fatal(err)
		}
		conditions := health.New(event.NewBus())
		_, err = f.Open(t.Context(), Options{Memory: memory.Options{Log: log}, Spare: t.TempDir(), Conditions: conditions})
		if err != nil || f.Forgets() != forgets || conditions.Holds("memory") != forgets {
			t.Errorf("%s: forgets %t, conditions %+v, %v", dir, f.Forgets(), conditions.List(), err)
		}
		var given []string
		err = f.Backup(t.Context(), func(name string, _ int64, _ io.Reader) error {
			given = append(given, name)
			return nil
		})
		if (dir != file && err != nil) || !slices.Contains(given, bundle.Memory) {
			t.Errorf("%s: a backup holds %v, %v", dir, given, err)
		}
		f.Close()
	}
}
