package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	store "hearthd/memory"
	"log/slog"
)

// What is confirmed aloud is in a backup that is made while hearthd runs, and a box
// that has nothing yet knows it after a restore.
func TestBackupOfARunningHouseIsRestoredElsewhere(t *testing.T) {
	k := newKitchen(t)
	check(t, os.MkdirAll(filepath.Join(k.dir, "conf.d"), 0o700))
	check(t, os.WriteFile(filepath.Join(k.dir, "conf.d", "a.yaml"), []byte("# ours\naudio: {volume: 33}\n"), 0o600))
	k.begin()
	k.ask("add saffron to the shopping list")
	k.ask("set a pasta timer for two hours")
	file, pass := filepath.Join(k.dir, "box.backup"), filepath.Join(k.dir, "pass")
	check(t, os.WriteFile(pass, []byte("correct horse\n"), 0o600))
	status, out, stderr := k.ctl(t, "backup", "--passphrase-file", pass, file)
	if status != 0 || !strings.Contains(out, "3 files") || stderr != "" {
		t.Fatalf("backup: %d, %q, %q", status, out, stderr)
	}
	k.ask("add pepper to the shopping list")
	if status, _, stderr := k.ctl(t, "backup", file); status != 1 || !strings.Contains(stderr, "is there already") {
		t.Errorf("a backup is overwritten: %d, %q", status, stderr)
	}
	text, err := os.ReadFile(file)
	check(t, err)
	if strings.Contains(string(text), "saffron") {
		t.Error("the encrypted backup can be read")
	}

	etc, lib := filepath.Join(k.dir, "new", "etc"), filepath.Join(k.dir, "new", "lib")
	to := []string{"restore", "--config", filepath.Join(etc, "hearthd.yaml"), "--state", lib, "--passphrase-file", pass, file}
	check(t, os.MkdirAll(filepath.Join(k.dir, "new"), 0o700))
	if status, _, stderr := k.ctl(t, "restore", "--config", filepath.Join(etc, "hearthd.yaml"), "--state", filepath.Join(k.dir, "state"), "--passphrase-file", pass, file); status != 1 || !strings.Contains(stderr, "stop it first") {
		t.Errorf("restore beside a hearthd that runs: %d, %q", status, stderr)
	}
	for range 2 { // into nothing, and over what is there
		if status, out, stderr = k.ctl(t, to...); status != 0 || !strings.Contains(out, "restored 3 files") {
			t.Fatalf("restore: %d, %q, %q", status, out, stderr)
		}
		text, err = os.ReadFile(filepath.Join(etc, "conf.d", "a.yaml"))
		if err != nil || !strings.HasPrefix(string(text), "# ours\n") {
			t.Errorf("%q, %v", text, err)
		}
		s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(lib, "hearthd.db"), Log: slog.New(slog.DiscardHandler)})
		check(t, err)
		lists, err := s.Lists(t.Context())
		check(t, err)
		timers, err := s.Timers(t.Context())
		check(t, err)
		if !slices.Equal(lists["shopping"], []string{"saffron"}) || len(timers) != 1 || timers[0].Label != "pasta" {
			t.Errorf("restored: %v, %+v", lists, timers)
		}
		check(t, s.Close())
	}
	if kept, _ := filepath.Glob(lib + ".before-*"); len(kept) != 1 || !strings.Contains(out, "kept until you delete it: "+kept[0]) {
		t.Errorf("kept aside: %v\n%s", kept, out)
	}

	// A memory that is none is met before anything is touched.
	plain := filepath.Join(k.dir, "plain.backup")
	if status, _, stderr := k.ctl(t, "backup", plain); status != 0 {
		t.Fatal(stderr)
	}
	check(t, k.Stop())
	check(t, os.WriteFile(filepath.Join(k.dir, "state", "hearthd.db"), []byte("not a database, but long enough to look at as one"), 0o600))
	status, _, stderr = k.ctl(t, "backup", "--config", k.ConfigPath(), "--state", filepath.Join(k.dir, "state"), filepath.Join(k.dir, "bad.backup"))
	if _, err := os.Stat(filepath.Join(k.dir, "bad.backup")); status != 1 || !strings.Contains(stderr, "check memory") || err == nil {
		t.Errorf("backup of a damaged memory: %d, %q", status, stderr)
	}
}
