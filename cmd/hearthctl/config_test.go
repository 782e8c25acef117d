package main

import (
	"hearthd/rigs/ctltest"

	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// house is a folder with a configuration, and no daemon.
func house(t *testing.T, text string) (file string, ctl func(args ...string) ctltest.Outcome) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "hearthd.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, func(args ...string) ctltest.Outcome {
		t.Helper()
		return ctltest.Run(t, append([]string{"--socket", filepath.Join(dir, "none"), "config", "--config", file},
			args...)...)
	}
}

func TestConfigIsShownWithoutADaemon(t *testing.T) {
	file, ctl := house(t, "audio:\n  volume: 30\n")
	got := ctl("show", "--origin", "audio.volume", "route")
	if got.Code != 0 || !strings.Contains(got.Stdout, "audio.volume: 30") ||
		!strings.Contains(got.Stdout, "# "+file+":2\n") ||
		!strings.Contains(got.Stdout, "route.at_home: [home]") ||
		!strings.Contains(got.Stderr, "no hearthd was asked") {
		t.Errorf("%+v", got)
	}
	if got := ctl("diff"); got.Stdout != "audio.volume: 30  # default 70, from "+file+":2\n" {
		t.Errorf("%+v", got)
	}
	if got := ctl("diff", "--running"); got.Code != 1 || !strings.Contains(got.Stderr, "no hearthd was asked") {
		t.Errorf("%+v", got)
	}
	if got := ctl("show", "audio.vol"); got.Code != 1 || !strings.Contains(got.Stderr, `no key "audio.vol"`) {
		t.Errorf("%+v", got)
	}
}

// What was written is in the files, whatever hearthd runs on until it is told to read them.
func TestConfigDiffIsOfTheFilesAndSaysWhatWaits(t *testing.T) {
	f := ctltest.NewFake(t)
	const volume = `{"key":"audio.volume","value":"%s","default":"70","origin":"a.yaml:2"}`
	f.Answer("/v1/config", 200, `{"file":"a.yaml","running":[`+strings.Replace(volume, "%s", "70", 1)+`],"disk":[`+
		strings.Replace(volume, "%s", "40", 1)+`],"live":["audio.volume"]}`)
	f.Run(t, "config", "diff").Expect(t, ctltest.Outcome{
		Stdout: "audio.volume: 40  # default 70, from a.yaml:2; needs a reload\n"})
}

func TestConfigSetWritesWhatIsGoodAndKeepsComments(t *testing.T) {
	file, ctl := house(t, "audio:\n  volume: 30\n")
	set := filepath.Join(filepath.Dir(file), "conf.d", "90-set.yaml")
	ctl("set", "audio.volume", "45").Expect(t, ctltest.Outcome{Stdout: "written to " + set + "\n"})
	text, err := os.ReadFile(set)
	if err != nil || !strings.HasSuffix(string(text), ".\naudio:\n  volume: 45\n") || text[0] != '#' {
		t.Errorf("%q, %v", text, err)
	}
	if err := errors.Join(os.WriteFile(set, []byte("# mine\naudio:\n  volume: 45 # loud\n"), 0o640),
		os.Chmod(set, 0o640)); err != nil {
		t.Fatal(err)
	}
	ctl("set", "wake.chime", "false").Expect(t, ctltest.Outcome{Stdout: "written to " + set + "\n"})
	ctl("set", "audio.volume", "50").Expect(t, ctltest.Outcome{Stdout: "written to " + set + "\n"})
	const want = "# mine\naudio:\n  volume: 50  # loud\nwake:\n  chime: false\n"
	if text, _ := os.ReadFile(set); string(text) != want {
		t.Errorf("%q", text)
	}
	for value, reason := range map[string]string{"300": "must be between 0 and 100", "loud": "must be a whole number"} {
		if got := ctl("set", "audio.volume", value); got.Code != 1 || !strings.Contains(got.Stderr, reason) {
			t.Errorf("%s: %+v", value, got)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(set), "z.yaml"), []byte("node: z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ctl("set", "node", "kitchen"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "z.yaml:1, which comes later and wins") {
		t.Errorf("%+v", got)
	}
	if text, _ := os.ReadFile(set); string(text) != want {
		t.Errorf("a refused value was written: %q", text)
	}
	entries, err := os.ReadDir(filepath.Dir(set))
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if info, err := os.Stat(set); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestReloadSaysWhatChangedAndEveryMistake(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/reload", 200, `{"applied":["audio.volume"],"restart":["stt.engine"]}`)
	f.Run(t, "reload").Expect(t, ctltest.Outcome{Stdout: "changed: audio.volume\nneeds a restart (sudo systemctl restart hearthd): stt.engine\n"})
	f.Answer("/v1/reload", 200, `{"applied":[],"restart":[]}`)
	f.Run(t, "reload").Expect(t, ctltest.Outcome{Stdout: "no key has changed; tools, thinkers and sentences were " +
		"read again, but no credentials: those need a restart\n"})
	f.Answer("/v1/reload", 200, `{"applied":[],"restart":[],"came":["bell_ring"],"gone":["old"]}`)
	f.Run(t, "reload").Expect(t, ctltest.Outcome{Stdout: "there is now: bell_ring\nthere is no longer: old\n"})
	f.Answer("/v1/reload", 200, `{"applied":[],"restart":["stt.engine"],"problems":["a.yaml:1: bad","x\n\u001b[2Jy"]}`)
	f.Run(t, "reload").Expect(t, ctltest.Outcome{Code: 1, Stderr: "hearthctl: nothing was changed; mistakes: " +
		"2\na.yaml:1: bad\nx\n [2Jy\n"})
}

// A file that only root and hearthd may read can still be read by hearthd afterwards.
func TestConfigSetLeavesAFileToItsGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	file, ctl := house(t, "")
	set := filepath.Join(filepath.Dir(file), "conf.d", "90-set.yaml")
	err := errors.Join(os.Mkdir(filepath.Dir(set), 0o755), os.WriteFile(set, []byte("node: a\n"), 0o640),
		os.Chown(set, 0, 12345))
	if err != nil {
		t.Fatal(err)
	}
	ctl("set", "audio.volume", "45").Expect(t, ctltest.Outcome{Stdout: "written to " + set + "\n"})
	info, err := os.Stat(set)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Gid != 12345 || info.Mode().Perm() != 0o640 {
		t.Errorf("group %d, mode %v", s.Gid, info.Mode().Perm())
	}
}
