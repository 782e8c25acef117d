package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

const openSchema = `{"type":"object"}`

// script makes a command that runs lines of shell, written by the test alone.
func script(t *testing.T, name, lines string) *Command {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	return &Command{book: phrase.English(), spec: spec(name, openSchema), argv: []string{sh, "-c", lines}, env: []string{"COLOUR=red"}}
}

func TestCommandIsGivenArgumentsOnStdinAndInTheEnvironment(t *testing.T) {
	t.Setenv("HEARTHD_SECRET", "never")
	c := script(t, "show", `pwd; cat; echo; env | grep -e HEARTHD -e COLOUR | sort`)
	args := `{"room":"hall; rm -rf $HOME","level":3,"on":true,"Odd":"x","list":["a","b"],"empty":""}`
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(),
		Call{ToolCall: llm.ToolCall{Name: "show", Arguments: json.RawMessage(args)}})
	want := []string{
		"/",
		`{"Odd":"x","empty":"","level":3,"list":["a","b"],"on":true,"room":"hall; rm -rf $HOME"}`,
		"COLOUR=red",
		"HEARTHD_ARG_EMPTY=",
		"HEARTHD_ARG_LEVEL=3",
		`HEARTHD_ARG_LIST=["a","b"]`,
		"HEARTHD_ARG_ON=true",
		"HEARTHD_ARG_ROOM=hall; rm -rf $HOME",
	}
	if diff := cmp.Diff(want, strings.Split(out.Result.Text, "\n")); diff != "" || out.Class != OK {
		t.Errorf("%s %v\n%s", out.Class, out.Err, diff)
	}
}

func TestCommandWithZeroByteInArgumentIsRefused(t *testing.T) {
	c := script(t, "show", `echo ran`)
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(),
		Call{ToolCall: llm.ToolCall{Name: "show", Arguments: json.RawMessage(`{"room":"a\u0000b"}`)}})
	if out.Class != BadArguments || !strings.Contains(out.Result.Text, "room contains a zero byte") {
		t.Errorf("%+v", out)
	}
}

func TestCommandThatFailsKeepsItsWordsForTheLog(t *testing.T) {
	c := script(t, "garage_door", `yes "key 1234" | head -c 100000 >&2; echo the end >&2; exit 3`)
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "garage_door"}})
	if out.Class != Failed || out.Spoken(phrase.English()) != "Sorry, the garage door command did not work: its program failed. My journal says why." ||
		strings.Contains(out.Result.Text, "1234") {
		t.Errorf("%s %q %q", out.Class, out.Spoken(phrase.English()), out.Result.Text)
	}
	said := out.Err.Error()
	if !strings.Contains(said, "exit status 3") || !strings.HasSuffix(said, "the end") || len(said) > maxStderr+200 {
		t.Errorf("%d bytes: %s", len(said), said)
	}
}

func TestCommandWithLongOutputEndsAndIsCut(t *testing.T) {
	c := script(t, "chatter", `yes | head -c 3000000`)
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "chatter"}})
	if out.Class != OK || len(out.Result.Text) > maxText || !strings.HasSuffix(out.Result.Text, cutMarker) {
		t.Errorf("%s, %d bytes", out.Class, len(out.Result.Text))
	}
}

func TestCommandThatDoesNotReadItsInputIsFine(t *testing.T) {
	c := script(t, "deaf", `exec 0<&-; echo fine`)
	args := `{"text":"` + strings.Repeat("x", 30_000) + `"}`
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(),
		Call{ToolCall: llm.ToolCall{Name: "deaf", Arguments: json.RawMessage(args)}})
	if out.Class != OK || out.Result.Text != "fine" {
		t.Errorf("%+v", out)
	}
}

func TestCancelKillsTheWholeGroup(t *testing.T) {
	pipe, pids := pidPipe(t)
	c := script(t, "stuck", `trap '' TERM; sh -c "trap '' TERM; echo \$\$ >>`+pipe+`; sleep 1000" & echo $$ >>`+
		pipe+`; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := make(chan [2]int, 1)
	go func() {
		started <- [2]int{pids(), pids()}
		cancel()
	}()
	out := newExecutor(t, ExecutorOptions{}, c).Run(ctx, Call{ToolCall: llm.ToolCall{Name: "stuck"}})
	if out.Class != Cancelled {
		t.Errorf("%+v", out)
	}
	for _, pid := range <-started {
		waitGone(t, pid)
	}
}

func TestWhatACommandLeavesBehindIsKilled(t *testing.T) {
	pipe, pids := pidPipe(t)
	c := script(t, "daemonish", `sleep 1000 & echo $! >>`+pipe+`; echo started`)
	out := newExecutor(t, ExecutorOptions{}, c).Run(t.Context(), Call{ToolCall: llm.ToolCall{Name: "daemonish"}})
	if out.Class != OK || out.Result.Text != "started" {
		t.Errorf("%+v", out)
	}
	waitGone(t, pids())
}

// pidPipe makes a named pipe to which scripts write process ids, and a function
// that waits for the next one; it gives 0 when there is none.
func pidPipe(t *testing.T) (path string, next func() int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pids")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	lines := bufio.NewScanner(f)
	return path, func() int {
		lines.Scan()
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			return 0
		}
		return pid
	}
}

// waitGone blocks until the process has ended.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("no process id was written")
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
