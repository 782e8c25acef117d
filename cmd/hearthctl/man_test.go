package main

import (
	"hearthd/rigs/ctltest"

	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
)

// pages writes the man pages in an environment of its own.
func pages(t *testing.T, env ...string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "man", "man1")
	cmd := ctltest.Command(t.Context(), t, "gen-man", dir)
	cmd.Env = append(cmd.Env, env...)
	ctltest.Finish(t, cmd).Expect(t, ctltest.Outcome{})
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(data)
	}
	return all
}

func TestManPagesAreTheSameOnEveryMachine(t *testing.T) {
	first := pages(t, "SOURCE_DATE_EPOCH=1790000000")
	second := pages(t, "SOURCE_DATE_EPOCH=1790000000", "XDG_RUNTIME_DIR=/run/user/1000", "TZ=Asia/Tokyo")
	for _, name := range []string{"", "-status", "-ask", "-say", "-listen", "-stop", "-mute", "-unmute", "-volume",
		"-timers", "-events", "-mic", "-mic-test", "-wake", "-wake-list", "-wake-install", "-wake-enroll",
		"-wake-test", "-voice", "-voice-list", "-voice-enroll", "-voice-remove"} {
		page := first["hearthctl"+name+".1"]
		if !strings.Contains(page, `.TH "HEARTHCTL`) || !strings.Contains(page, `"Sep 2026"`) {
			t.Errorf("hearthctl%s.1: %.120q", name, page)
		}
	}
	if _, ok := first["hearthctl-completion.1"]; ok {
		t.Error("apropos lists the completion of shells, with that of Windows")
	}
	if len(first) != len(second) {
		t.Errorf("%d pages and %d", len(first), len(second))
	}
	for name, page := range first {
		if second[name] != page {
			t.Errorf("%s differs from machine to machine", name)
		}
	}
	cmd := ctltest.Command(t.Context(), t, "gen-man", t.TempDir())
	cmd.Env = append(cmd.Env, "SOURCE_DATE_EPOCH=soon")
	if got := ctltest.Finish(t, cmd); got.Code != 1 ||
		!strings.HasPrefix(got.Stderr, "hearthctl: read SOURCE_DATE_EPOCH: ") {
		t.Errorf("%+v", got)
	}
}

func TestBashCompletionIsValidAndNamesTheCommands(t *testing.T) {
	got := ctltest.Run(t, "completion", "bash")
	if got.Code != 0 || got.Stderr != "" {
		t.Fatalf("exit status %d, %q", got.Code, got.Stderr)
	}
	bash := exec.CommandContext(t.Context(), "bash", "-n")
	bash.Stdin = strings.NewReader(got.Stdout)
	if out, err := bash.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if got := ctltest.Run(t, "__complete", "unm"); !strings.HasPrefix(got.Stdout, "unmute\t") {
		t.Errorf("completion of unm: %q", got.Stdout)
	}
}

func TestHelpAndVersionGoToStandardOutput(t *testing.T) {
	ctltest.Run(t, "--version").Expect(t, ctltest.Outcome{Stdout: "hearthctl version development\n"})
	ctltest.Run(t, "--help").Golden(t, "help.txt")
	ctltest.Run(t).Golden(t, "help.txt")
}

func TestTimersCountDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		now := time.Now()
		showTimers(&out, []event.Timer{
			{ID: 1, Label: "pasta", Ends: now.Add(10*time.Minute + 400*time.Millisecond)},
			{ID: 2, Ends: now.Add(26*time.Hour - 600*time.Millisecond)},
		})
		for _, want := range []string{"timer pasta: 10m0s left, until ", "timer number 2: 25h59m59s left, until "} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q lacks %q", out.String(), want)
			}
		}
	})
}
