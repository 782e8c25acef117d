package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	policyNewer = `hearthd:
  Installed: 0.1.0
  Candidate: 0.2.0
  Version table:
     0.2.0 500
        500 https://example.org/hearthd stable/main amd64 Packages
 *** 0.1.0 100
        100 /var/lib/dpkg/status
`
	policyLocal = `hearthd:
  Installed: 0.1.0
  Candidate: 0.1.0
  Version table:
 *** 0.1.0 100
        100 /var/lib/dpkg/status
`
	policyNone = `hearthd:
  Installed: (none)
  Candidate: 0.2.0
  Version table:
     0.2.0 500
        500 https://example.org/hearthd stable/main amd64 Packages
`
)

func TestUpdateCheckTellsWhatAptWouldInstall(t *testing.T) {
	for policy, want := range map[string]string{
		policyNewer: "hearthd 0.1.0 is installed, and 0.2.0 can be: apt install hearthd",
		policyLocal: "hearthd 0.1.0 is installed, and no source of apt offers another. A newer package that you " +
			"have is installed by: sudo apt install ./hearthd_*.deb",
		strings.ReplaceAll(policyNewer, "Installed: 0.1.0", "Installed: 0.2.0"): "hearthd 0.2.0 is installed, the " +
			"newest that apt knows of.",
		policyNone: "hearthd is not installed as a Debian package; apt install hearthd installs 0.2.0.",
		"":         "hearthd is not installed as a Debian package, and no source of apt offers it.",
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\ncat <<'EOF'\n" + policy + "EOF\n"
		if err := os.WriteFile(filepath.Join(dir, "apt-cache"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		var out strings.Builder
		cmd := root()
		cmd.SetOut(&out)
		cmd.SetArgs([]string{"update", "check"})
		if err := cmd.Execute(); err != nil || out.String() != want+"\n" {
			t.Errorf("%q: printed %q, %v", policy, out.String(), err)
		}
	}
}

func TestUpdateCheckSaysWhatAptSaid(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{"apt-get": "echo 'E: not root' >&2; exit 100",
		"apt-cache": "echo nonsense"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{"--refresh": "E: not root", "--json": "no version stands there"} {
		t.Setenv("PATH", dir)
		cmd := root()
		cmd.SetArgs([]string{"update", "check", args})
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	cmd := root()
	cmd.SetArgs([]string{"update", "check"})
	if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "not installed as a Debian package") {
		t.Error(err)
	}
}
