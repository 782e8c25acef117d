package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/daemon/bundle"
)

// backedUp is a backup of a configuration, without a memory.
func backedUp(t *testing.T) (file string) {
	t.Helper()
	from := put(t, t.TempDir(), map[string]string{"hearthd.yaml": "node: old\n", "conf.d/a.yaml": "audio: {volume: 33}\n", "tools.d/x.json.off": "{}"})
	file = filepath.Join(t.TempDir(), "box.backup")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := bundle.NewWriter(out, bundle.Manifest{Version: "1", Node: "old"})
	_, err = w.AddConfig(filepath.Join(from, "hearthd.yaml"))
	_, cerr := w.Close()
	if err := errors.Join(err, cerr, out.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// put writes files below dir.
func put(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// restores puts a backup into etc and lib below dir, as somebody whose umask is mask.
func restores(t *testing.T, mask, file, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "umask "+mask+`; exec "$0" "$@"`, os.Args[0],
		"restore", "--config", filepath.Join(dir, "etc", "hearthd.yaml"), "--state", filepath.Join(dir, "lib"), file)
	cmd.Env = append(os.Environ(), asMain+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("restore: %v: %s", err, out)
	}
}

// The service is another user than who restores, and a configuration that it cannot
// read keeps it from starting.
func TestRestoredConfigurationCanBeReadByTheServiceWhateverTheUmask(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"etc/hearthd.yaml": "node: new\n"})
	restores(t, "077", backedUp(t), dir)
	err := filepath.WalkDir(filepath.Join(dir, "etc"), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o755, false: 0o644}[e.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A household whose folder is elsewhere, on another disk or in a repository, has it there
// afterwards, and nobody else may write into it.
func TestRestoreGoesToWhereALinkLeads(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"disk/etc/hearthd.yaml": "node: new\n"})
	if err := os.Symlink("disk/etc", filepath.Join(dir, "etc")); err != nil {
		t.Fatal(err)
	}
	restores(t, "022", backedUp(t), dir)
	if text, err := os.ReadFile(filepath.Join(dir, "disk/etc/hearthd.yaml")); err != nil || string(text) != "node: old\n" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "etc")); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "etc")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A backup is tried where it was made, and where the folders cannot be written.
func TestBackupIsCheckedWhileHearthdRuns(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"lib/hearthd.db": "", "tmp/x": ""})
	runs, err := holdState(filepath.Join(dir, "lib"))
	if err != nil {
		t.Fatal(err)
	}
	defer runs.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0],
		"restore", "--check", "--config", filepath.Join(dir, "etc", "sub", "hearthd.yaml"), "--state", filepath.Join(dir, "lib"), backedUp(t))
	cmd.Env = append(os.Environ(), asMain+"=1", "TMPDIR="+filepath.Join(dir, "tmp"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "is good: of old") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "etc")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a check has made a folder: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) != 1 {
		t.Errorf("a check has left %v, %v", left, err)
	}
}

// What no backup holds stays, as restore says: the programs of declared tools, here.
func TestRestoreLeavesFoldersThatNoBackupHolds(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"etc/hearthd.yaml": "node: new\n", "etc/tools.d/bin/bell": "#!/bin/sh\n", "etc/tools.d/y.json.off": "{}"})
	restores(t, "022", backedUp(t), dir)
	if _, err := os.Stat(filepath.Join(dir, "etc/tools.d/bin/bell")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "etc/tools.d/y.json.off")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not in the backup, and could be, is there: %v", err)
	}
}
