package backup

import (
	"hearthd/rigs/ctltest"

	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"hearthd/daemon/bundle"
)

// backedUp is a backup of a configuration, without a memory.
func backedUp(t *testing.T) (file string) {
	t.Helper()
	return backupOf(t, map[string]string{"hearthd.yaml": "node: old\n", "conf.d/a.yaml": "audio: {volume: 33}\n",
		"tools.d/x.json.off": "{}"})
}

func backupOf(t *testing.T, files map[string]string) (file string) {
	t.Helper()
	from := put(t, t.TempDir(), files)
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
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// restores puts a backup into etc and lib below dir, as somebody whose umask is mask.
func restores(t *testing.T, mask, file, dir string) {
	t.Helper()
	cmd := ctltest.Command(t.Context(), t, "restore", "--config", filepath.Join(dir, "etc", "hearthd.yaml"),
		"--state", filepath.Join(dir, "lib"), file)
	ctltest.InShell(cmd, "umask "+mask)
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
		if want := map[bool]fs.FileMode{true: 0o755, false: 0o644}[e.IsDir()]; err == nil &&
			info.Mode().Perm() != want {
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
	if text, err := os.ReadFile(filepath.Join(dir, "disk/etc/hearthd.yaml")); err != nil ||
		string(text) != "node: old\n" {
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
	cmd := ctltest.Command(t.Context(), t, "restore", "--check", "--config",
		filepath.Join(dir, "etc", "sub", "hearthd.yaml"), "--state", filepath.Join(dir, "lib"), backedUp(t))
	cmd.Env = append(cmd.Env, "TMPDIR="+filepath.Join(dir, "tmp"))
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
	dir := put(t, t.TempDir(), map[string]string{"etc/hearthd.yaml": "node: new\n",
		"etc/tools.d/bin/bell": "#!/bin/sh\n", "etc/tools.d/y.json.off": "{}"})
	restores(t, "022", backedUp(t), dir)
	if _, err := os.Stat(filepath.Join(dir, "etc/tools.d/bin/bell")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "etc/tools.d/y.json.off")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not in the backup, and could be, is there: %v", err)
	}
}

// withPrograms carries what would run in each of the ways that a backup has.
func withPrograms(t *testing.T) string {
	return backupOf(t, map[string]string{
		"hearthd.yaml":      "node: old\nhooks: [{on: [turn], command: [sh, -c, \"id > /tmp/x\"]}]\n",
		"conf.d/a.yaml":     "stt: {command: {argv: [\"/opt/\\e[2Jlisten\"]}}\n",
		"tools.d/bell.json": `{"name":"bell","command":["/no/such/bell","a b"],"env":{"LD_PRELOAD":"/tmp/x.so"}}`,
		"prompts/bus.yaml":  "command: [curl, evil]\n",
		"tools.d/bad.yaml":  strings.Repeat("[", 10_000),
	})
}

const programsShown = `  stt.command.argv: "/opt/\x1b[2Jlisten"
  hooks[0].command: sh -c 'id > /tmp/x'
  prompts/bus.yaml: curl evil
  tools.d/bell.json (sets LD_PRELOAD): /no/such/bell 'a b'
`

func TestProgramsOfABackupAreListedAndNotTakenUnasked(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"etc/hearthd.yaml": "node: new\n"})
	to := []string{"--config", filepath.Join(dir, "etc", "hearthd.yaml"), "--state", filepath.Join(dir, "lib")}
	file := withPrograms(t)
	got := ctltest.Run(t, slices.Concat([]string{"restore"}, to, []string{file})...)
	if got.Code != 1 || !strings.Contains(got.Stderr, programsShown) ||
		!strings.Contains(got.Stderr, "--accept-programs") {
		t.Errorf("%+v", got)
	}
	if got := ctltest.Run(t, slices.Concat([]string{"restore", "--yes"}, to, []string{file})...); got.Code != 1 ||
		!strings.Contains(got.Stderr, "--accept-programs") {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "etc/hearthd.yaml")); err != nil || string(text) != "node: new\n" {
		t.Errorf("it was restored: %q, %v", text, err)
	}
	want := strings.ReplaceAll(programsShown, "  ", "hearthd will run ")
	if got = ctltest.Run(t, slices.Concat([]string{"restore", "--check"}, to, []string{file})...); got.Code != 0 ||
		!strings.Contains(got.Stdout, want) {
		t.Errorf("%+v", got)
	}
	if got = ctltest.Run(t, slices.Concat([]string{"restore", "--accept-programs"}, to,
		[]string{file})...); got.Code != 0 || !strings.Contains(got.Stdout, want) {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "etc/hearthd.yaml")); err != nil ||
		!strings.HasPrefix(string(text), "node: old\n") {
		t.Errorf("it was not restored: %q, %v", text, err)
	}
}

func TestARestoreAsksOnATerminalWhetherProgramsMayRun(t *testing.T) {
	file := withPrograms(t)
	for answer, code := range map[string]int{"yes": 0, "y": 1, "": 1} {
		dir := put(t, t.TempDir(), map[string]string{"etc/hearthd.yaml": "node: new\n"})
		cmd := ctltest.Command(t.Context(), t, "restore", "--config", filepath.Join(dir, "etc", "hearthd.yaml"),
			"--state", filepath.Join(dir, "lib"), file)
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]byte, 0, 4096)
		for !strings.Contains(string(seen), "Type yes") {
			b := make([]byte, 1024)
			n, err := tty.Read(b)
			if seen = append(seen, b[:n]...); err != nil {
				t.Fatalf("%v: %s", err, seen)
			}
		}
		if _, err := tty.WriteString(answer + "\n"); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, tty)
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%q: exit status %d, want %d", answer, got, code)
		}
		tty.Close()
	}
}

func TestABackupWithABombInItsConfigurationIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"brackets": "node: a\naudio: " + strings.Repeat("[", 100_000),
		"dashes":   strings.Repeat("- ", 100_000) + "a",
		"long key": strings.Repeat("k", 60_000) + ":\n" + strings.Repeat("- a\n", 40_000),
	} {
		file := backupOf(t, map[string]string{"hearthd.yaml": text})
		cmd := ctltest.Command(t.Context(), t, "restore", "--check", "--config",
			filepath.Join(dir, "etc", "hearthd.yaml"), "--state", filepath.Join(dir, "lib"), file)
		ctltest.InShell(cmd, "ulimit -v 3000000") // with so little memory the parser would not get far
		if got := ctltest.Finish(t, cmd); got.Code != 1 || !strings.Contains(got.Stderr, "not YAML: too ") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// systemctl stands in for systemd's, and notes how it was called; what script says comes behind that.
func systemctl(t *testing.T, script string) (log func() string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root stops the service")
	}
	dir := put(t, t.TempDir(), map[string]string{"systemctl": "#!/bin/sh\necho \"$@\" >>$0.log\n" + script})
	if err := os.Chmod(filepath.Join(dir, "systemctl"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() string {
		text, err := os.ReadFile(filepath.Join(dir, "systemctl.log"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// A name that was mistyped, five times, has left a kitchen without its speaker.
func TestWhatCannotBeRestoredStopsNothing(t *testing.T) {
	log := systemctl(t, "")
	damaged := filepath.Join(put(t, t.TempDir(), map[string]string{"damaged": "no backup"}), "damaged")
	for _, file := range []string{filepath.Join(t.TempDir(), "none"), damaged} {
		got := ctltest.Run(t, "restore", file)
		if calls := log(); got.Code != 1 || strings.Contains(calls, "stop") || strings.Contains(calls, "start") {
			t.Errorf("%s: %+v, systemctl was called with %s", file, got, calls)
		}
	}
}

// The service starts again after a restore that goes wrong, past systemd's limit of starts too.
func TestTheServiceStartsAgainWhateverComesOfARestore(t *testing.T) {
	log := systemctl(t, "")
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	wrong := errors.New("it went wrong")
	err := (&restore{cmd: cmd}).pausing(func() error { return wrong })
	want := "stop hearthd.socket hearthd\nreset-failed hearthd.socket hearthd\nstart hearthd\n"
	if calls := log(); !errors.Is(err, wrong) || calls != want {
		t.Errorf("%v, systemctl was called with %s", err, calls)
	}
}

// The size is that of the file, which somebody copies, and not of what is packed in it.
func TestABackupTellsItsOwnSize(t *testing.T) {
	dir := put(t, t.TempDir(), map[string]string{"lib/none": "",
		"etc/hearthd.yaml": strings.Repeat("# much to say, again and again\n", 9000)})
	file := filepath.Join(dir, "a.backup")
	got := ctltest.Run(t, "--socket", filepath.Join(dir, "none"), "backup", "--config",
		filepath.Join(dir, "etc/hearthd.yaml"), "--state", filepath.Join(dir, "lib"), file)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	if want := fmt.Sprintf("%s: 1 file in %d kB\n", file, (info.Size()+999)/1000); got.Stdout != want {
		t.Errorf("%+v, want %s", got, want)
	}
}
