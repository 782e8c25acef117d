package daemon

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/systemd"
)

// A backup that a power cut, or the watchdog, broke off leaves a copy of the whole
// memory, which nobody would ever forget in.
func TestCopyOfTheMemoryThatAKilledDaemonLeftIsRemoved(t *testing.T) {
	state, run := t.TempDir(), t.TempDir()
	left, kept := filepath.Join(state, ".snapshot-1234", "hearthd.db"), filepath.Join(state, "calendar.ics")
	for _, path := range []string{left, kept, filepath.Join(run, "control.sock", "in the way")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte("saffron"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := New(Options{Config: config.Default(), StateDir: state, RuntimeDir: run,
		Log: slog.New(slog.DiscardHandler), Notifier: systemd.NewNotifier("")})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "control socket") {
		t.Fatalf("Run: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(left)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy stays: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
