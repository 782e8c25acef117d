package testcard

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestBuildCompilesOnce(t *testing.T) {
	dir := t.TempDir()
	plugins := func() []os.FileInfo {
		var found []os.FileInfo
		names, err := filepath.Glob(filepath.Join(dir, "*.so*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, info)
		}
		return found
	}
	c, err := Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	first := plugins()
	if err := os.WriteFile(c.SpeakerPath(), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	again := plugins()
	if len(first) != 1 || len(again) != 1 || !os.SameFile(first[0], again[0]) {
		t.Errorf("plugins are %v, then %v", first, again)
	}
	if _, err := os.Stat(c.SpeakerPath()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old speaker file is still there: %v", err)
	}
}

func TestBuildRefusesAFolderThatALSACannotName(t *testing.T) {
	if _, err := Build(t.Context(), `/tmp/a"b`); err == nil || !strings.Contains(err.Error(), "cannot name") {
		t.Errorf("error is %v", err)
	}
}

func TestBuildSaysWhatTheCompilerNeeds(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "needs gcc and libasound2-dev") {
		t.Errorf("error is %v", err)
	}
}

func TestFaultsReplaceEachOther(t *testing.T) {
	c, err := Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		b, err := os.ReadFile(c.path(captureFault))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimRight(string(b), " \n")
	}
	for _, step := range []struct {
		fault Fault
		want  string
	}{
		{Drift(-120.5), "drift -120.5"}, {Fast(50), "fast 50"}, {Healthy, "ok"},
		{c.Overrun(), "xrun 1"}, {c.Overrun(), "xrun 2"},
	} {
		if err := c.BreakCapture(step.fault); err != nil {
			t.Fatal(err)
		}
		if got := read(); got != step.want {
			t.Errorf("fault file says %q, want %q", got, step.want)
		}
	}
}

func TestDrainWaitsForTheCard(t *testing.T) {
	c, err := Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mic, err := c.OpenMicrophone()
	if err != nil {
		t.Fatal(err)
	}
	if err := mic.Drain(t.Context()); err != nil {
		t.Errorf("nothing was written: %v", err)
	}
	if _, err := mic.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mic.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody has captured, and Drain returns %v", err)
	}
	// What the plugin does.
	heard, err := os.OpenFile(c.path(microphone), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(heard, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := mic.Drain(t.Context()); err != nil {
		t.Errorf("all was captured: %v", err)
	}
	if err := errors.Join(heard.Close(), mic.Close()); err != nil {
		t.Error(err)
	}
}
