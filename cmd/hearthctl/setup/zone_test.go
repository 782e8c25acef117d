package setup

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hearthd/config"
)

// inZone is a wizard that is to set a zone, with what timedatectl does, and what it says.
func inZone(t *testing.T, timedatectl string) (*wizard, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "timedatectl"), []byte("#!/bin/sh\n"+timedatectl+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	file := filepath.Join(dir, "hearthd.yaml")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	return &wizard{cmd: cmd, out: out, in: bufio.NewReader(strings.NewReader("y\n")), file: file, root: dir,
		path: filepath.Join(dir, "conf.d", "50-setup.yaml"), now: config.Default(), zone: "Asia/Tokyo"}, out
}

// A machine without D-Bus has nobody who sets its zone. Alarms ring by the one that was chosen all the same.
func TestZoneThatTheMachineDoesNotTakeIsThatOfHearthd(t *testing.T) {
	w, out := inZone(t, "echo Failed to connect to bus >&2; exit 1")
	if err := errors.Join(w.set("tools.timezone", "", zoneRemark), w.write(true)); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Source{File: w.file})
	if err != nil || c.Tools.Timezone != "Asia/Tokyo" || !strings.Contains(out.String(), "Failed to connect to bus") {
		t.Errorf("%q, %v: %s", c.Tools.Timezone, err, out.String())
	}
}

// The zone that a person chose is the machine's: the file to be agreed to has none of it, so it is told beside it, and
// the doctor that ends this setup tells the time by it.
func TestSetupTellsThatTheZoneOfTheMachineChanges(t *testing.T) {
	w, out := inZone(t, "exit 0")
	if err := w.write(true); err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(out.String(), "Write this to")
	if !strings.Contains(before, "the time zone of this machine, now UTC, becomes Asia/Tokyo.") ||
		!strings.Contains(after, "The time zone of this machine is Asia/Tokyo now.") || time.Local.String() != "Asia/Tokyo" {
		t.Errorf("it is %s, and says\n%s", time.Local, out.String())
	}
}
