package daemon

import (
	"strings"
	"testing"
)

func TestFolderIsHeldByOneDaemonAtATime(t *testing.T) {
	dir := t.TempDir()
	first, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(dir); err == nil || !strings.Contains(err.Error(), "another hearthd") {
		t.Errorf("the second: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if none, err := hold("/proc/none"); err != nil || none.Close() != nil {
		t.Errorf("a folder that cannot be: %v", err)
	}
}
