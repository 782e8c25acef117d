package setup

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hearthd/config"
)

// The zone that a person chose is the machine's: the file to be agreed to has none of it, so it is told beside it, and
// the doctor that ends this setup tells the time by it.
func TestSetupTellsThatTheZoneOfTheMachineChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "timedatectl"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	file := filepath.Join(dir, "hearthd.yaml")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	w := &wizard{cmd: cmd, out: &out, in: bufio.NewReader(strings.NewReader("y\n")), file: file, root: dir,
		path: filepath.Join(dir, "setup.yaml"), now: config.Default(), zone: "Asia/Tokyo"}
	if err := w.write(true); err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(out.String(), "Write this to")
	if !strings.Contains(before, "the time zone of this machine, now UTC, becomes Asia/Tokyo.") ||
		!strings.Contains(after, "The time zone of this machine is Asia/Tokyo now.") || time.Local.String() != "Asia/Tokyo" {
		t.Errorf("it is %s, and says\n%s", time.Local, out.String())
	}
}
