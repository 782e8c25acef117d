package state

import (
	"log/slog"
	"strings"
	"testing"
)

func TestFolderIsHeldByOneDaemonAtATime(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	first, err := Hold(dir, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir, log); err == nil || !strings.Contains(err.Error(), "another hearthd") {
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
