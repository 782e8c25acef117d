package vitals

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheVersionOnTheDiskIsAskedWhenItChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hearthd")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	write("#!/bin/sh\nexit 1\n") // is not asked: it is the one that runs
	ask := installedAt(file, "0.1.0")
	for _, tt := range []struct{ program, want string }{
		{"", "0.1.0"}, {"#!/bin/sh\necho hearthd 0.2.0\n", "0.2.0"}, {"", "0.2.0"},
		{"#!/bin/sh\necho something else\n", "0.2.0"},
	} {
		if tt.program != "" {
			write(tt.program)
		}
		if got := ask(t.Context()); got != tt.want {
			t.Errorf("after %q the version is %s, want %s", tt.program, got, tt.want)
		}
	}
}
