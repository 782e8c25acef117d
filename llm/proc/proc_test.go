package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, ctx context.Context, stdin string, argv ...string) *Process {
	t.Helper()
	p, err := Start(ctx, argv, strings.NewReader(stdin))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramGetsItsInputAndAMinimalEnvironment(t *testing.T) {
	t.Setenv("HEARTHD_SECRET", "x")
	p := start(t, t.Context(), "in\n", "sh", "-c", "cat; env | grep -v -e ^PWD -e ^_ -e SHLVL -e OLDPWD | sort; pwd")
	out, err := io.ReadAll(p)
	if err != nil {
		t.Fatal(err)
	}
	want := "in\nHOME=/\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\n/\n"
	if d := cmp.Diff(want, string(out)); d != "" {
		t.Error(d)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseTellsExitStatusAndFirstComplaint(t *testing.T) {
	p := start(t, t.Context(), "", "sh", "-c", "echo no such voice >&2; yes | head -c 100000 >&2; exit 3")
	if _, err := io.ReadAll(p); err != nil {
		t.Fatal(err)
	}
	err := p.Close()
	if err == nil || !strings.Contains(err.Error(), "exit status 3: no such voice") || len(err.Error()) > 300 {
		t.Errorf("got %v", err)
	}
}

func TestContextEndKillsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, "", "sh", "-c", "sleep 1000 & echo $!; wait")
	child := readPid(t, p)
	cancel()
	if _, err := io.ReadAll(p); err == nil {
		t.Error("the output of a killed program ended like a good one")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	gone(t, child)
}

func TestCloseKillsAProgramThatStillRunsAndWhatAFinishedOneLeft(t *testing.T) {
	p := start(t, t.Context(), "", "sh", "-c", "echo $$; exec sleep 1000")
	pid := readPid(t, p)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	gone(t, pid)

	p = start(t, t.Context(), "", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
	pid = readPid(t, p)
	if _, err := io.ReadAll(p); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	gone(t, pid)
}

func TestDescendantThatLeftTheGroupDoesNotHoldTheReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, "", "setsid", "-f", "sh", "-c", "echo $$; exec sleep 1000")
	pid := readPid(t, p)
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	cancel()
	if _, err := io.ReadAll(p); err == nil {
		t.Error("the output ended like a good one")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestStartRefusesWhatItCannotRun(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"./x"}, {"a/b"}, {"echo", "a\x00b"}, {"hearthd-no-such-program"}} {
		if _, err := Start(t.Context(), argv, nil); err == nil {
			t.Errorf("%q ran", argv)
		}
	}
	_, err := Start(t.Context(), []string{"/hearthd/no/such"}, nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A busy machine may take longer to start a program than it was given to answer.
func TestStartTellsWhyItsContextHadEnded(t *testing.T) {
	late := errors.New("no answer in time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	if _, err := Start(ctx, []string{"true"}, nil); !errors.Is(err, late) {
		t.Errorf("got %v", err)
	}
}

func TestGoroutinesReturnAfterUse(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		p := start(t, ctx, strings.Repeat("x", 1<<20), "sh", "-c", "echo 1; sleep 1000")
		readPid(t, p)
		if i%2 == 0 {
			cancel()
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		cancel()
	}
	for runtime.NumGoroutine() > before {
		runtime.Gosched() // the last ones have no more to do than to end
	}
}

func readPid(t *testing.T, p *Process) int {
	t.Helper()
	b := make([]byte, 32)
	n, err := p.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits until no process pid runs; a zombie that init has not reaped yet
// does not.
func gone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("process %d still runs", pid)
}
