package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// command runs a program to its end.
func command(t *testing.T, env []string, name string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestBadConfigurationIsRefusedWithEveryMistake(t *testing.T) {
	dir := t.TempDir()
	file, extra := filepath.Join(dir, "hearthd.yaml"), filepath.Join(dir, "conf.d", "10-kitchen.yaml")
	check(t, os.WriteFile(file, []byte("node: kitchen\naudio:\n  volume: 170\n  microphone: default\n"), 0o600))
	check(t, os.Mkdir(filepath.Dir(extra), 0o700))
	check(t, os.WriteFile(extra, []byte("mqtt:\n  password: hunter2\n"), 0o600))
	want := []string{
		fmt.Sprintf(`%s:3: audio.volume: "170": must be between 0 and 100`, file),
		fmt.Sprintf(`%s:4: audio.microphone: unknown key`, file),
		fmt.Sprintf(`%s:2: mqtt.password: must be file:/PATH or credential:NAME; the secret itself does not stand here`, extra),
	}
	env := []string{"STATE_DIRECTORY=" + dir, "RUNTIME_DIRECTORY=" + dir}
	for _, verb := range []string{"check-config", "run"} {
		status, stdout, stderr := command(t, env, suite.hearthd, verb, "--config", file)
		if status != 78 || stdout != "" {
			t.Errorf("%s: exit status %d, output %q", verb, status, stdout)
		}
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if lines[0] != "hearthd: 3 mistakes in the configuration:" {
			t.Errorf("%s begins with %q", verb, lines[0])
		}
		got := lines[1:]
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", verb, diff)
		}
		if strings.Contains(stderr, "hunter2") {
			t.Errorf("%s prints the secret", verb)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.db*")); err != nil || len(left) > 0 {
		t.Errorf("a daemon that was refused left %v behind (%v)", left, err)
	}
}

func TestGoodConfigurationIsToldSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hearthd.yaml")
	check(t, os.WriteFile(file, []byte("audio:\n  volume: 40\n"), 0o600))
	if status, stdout, stderr := command(t, nil, suite.hearthd, "check-config", "--config", file); status != 0 || stdout != "the configuration is good\n" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr := command(t, nil, suite.hearthd, "version"); status != 0 || !strings.HasPrefix(stdout, "hearthd ") {
		t.Errorf("version: exit status %d, %q, %q", status, stdout, stderr)
	}
	if status, _, stderr := command(t, nil, suite.hearthd, "dance"); status != 1 || !strings.Contains(stderr, "dance") {
		t.Errorf("unknown command: exit status %d, %q", status, stderr)
	}
}

func TestConfigurationFileIsUsed(t *testing.T) {
	k := newKitchen(t)
	check(t, os.WriteFile(k.ConfigPath(), []byte("audio:\n  volume: 41\nmqtt:\n  broker: \"off\"\n"), 0o600))
	k.begin()
	if s := k.status(); s.Volume != 41 || s.Broker != "off" {
		t.Errorf("%+v", s)
	}
}

// A mistake of last week must not silence a kitchen after a power cut: what held last goes on, and the condition names
// the place, until it is mended.
func TestStartWithAMistakeGoesOnWithWhatHeldLast(t *testing.T) {
	k := newKitchen(t)
	extra := filepath.Join(k.dir, "conf.d", "a.yaml")
	put := func(text string) {
		t.Helper()
		check(t, os.MkdirAll(filepath.Dir(extra), 0o700))
		check(t, os.WriteFile(extra, []byte(text), 0o600))
	}
	check(t, os.WriteFile(filepath.Join(k.dir, "hearthd.yaml"), nil, 0o600))
	put("audio: {volume: 33}\n")
	k.begin()
	check(t, k.Stop())
	put("audio: {volume: 300}\n")
	k.begin()
	s := k.status()
	if s.Volume != 33 || !s.Has("configuration") {
		t.Errorf("it runs with volume %d, and tells %+v", s.Volume, s.Conditions)
	}
	for _, c := range s.Conditions {
		if c.Code == "configuration" && !strings.Contains(c.Text, extra+":1: audio.volume") {
			t.Errorf("the place is not named: %s", c.Text)
		}
	}
	put("audio: {volume: 34}\n")
	if status, out, stderr := k.ctl(t, "reload"); status != 0 {
		t.Errorf("reload of what was mended: %d, %q, %q", status, out, stderr)
	}
	if s := k.status(); s.Volume != 34 || s.Has("configuration") {
		t.Errorf("after it was mended: %+v", s)
	}
}
