package config

import (
	"os"
	"path/filepath"
	"testing"
)

// What is held is a configuration of its own: with the drop-ins of then and no others. It is written when it changes.
func TestWhatHeldIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	src := Source{File: filepath.Join(dir, "etc", "hearthd.yaml")}
	held := filepath.Join(dir, "configuration")
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "etc", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hold := func(volume int) os.FileInfo {
		t.Helper()
		if err := src.Hold(held); err != nil {
			t.Fatal(err)
		}
		c, err := Load(src.Held(held))
		if err != nil || c.Audio.Volume != volume {
			t.Errorf("volume %d, %v, want %d", c.Audio.Volume, err, volume)
		}
		info, err := os.Stat(held)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	put("hearthd.yaml", "audio: {volume: 33}\n")
	put("conf.d/a.yaml", "audio: {volume: 34}\n")
	first := hold(34)
	if first.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", first.Mode())
	}
	if !os.SameFile(first, hold(34)) {
		t.Error("it was written again, though nothing had changed")
	}
	if err := os.Remove(filepath.Join(dir, "etc", "conf.d", "a.yaml")); err != nil {
		t.Fatal(err)
	}
	hold(33)
}
