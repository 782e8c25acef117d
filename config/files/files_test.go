package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFileIsReplacedWholeAndKeepsItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "a")
	for _, step := range []struct {
		text     string
		mode     os.FileMode
		wantMode os.FileMode
	}{{"a long first text", 0o600, 0o600}, {"short", 0o644, 0o600}} {
		if err := Write(path, []byte(step.text), step.mode); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, _ := os.Stat(path)
		if err != nil || string(got) != step.text || info.Mode().Perm() != step.wantMode {
			t.Errorf("%q, %v, %v", got, info.Mode(), err)
		}
	}
}

func TestNothingIsLeftOfWhatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("text"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left %v, %v", list, err)
	}
}
