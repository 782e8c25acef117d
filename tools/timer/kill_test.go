package timer_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/timer"
)

const ringerEnv = "HEARTHD_TEST_RINGER"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(ringerEnv); path != "" {
		if err := ringUntilKilled(path, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// ringer is the box that is killed. What it rings is a line in its output, which
// stays when it dies: "rang ID END NOW" in microseconds, "missed" for what ended
// while it did not run, and "again" for what rang when it died.
type ringer struct {
	shelf
	ahead  atomic.Int64 // nanoseconds that its clock was set forward
	timers *timer.Timers
}

// ringsFor is how long one rings until somebody ends it.
const ringsFor = 300 * time.Millisecond

func (r *ringer) now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }

// sinceBoot is the clock that nobody sets.
func sinceBoot() (int64, time.Duration) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err)
	}
	return 1, time.Duration(t.Nano())
}

func (r *ringer) Silence(context.Context, []int64) ([]int64, error) { return nil, nil }

func (r *ringer) Ring(events []timer.Event) {
	var lines strings.Builder
	var ids []int64
	now := time.Now().UnixMicro()
	for _, e := range events {
		what := "rang"
		switch {
		case e.Again:
			what = "again"
		case e.Missed:
			what = "missed"
		}
		fmt.Fprintln(&lines, what, e.Timer.ID, e.Timer.Ends.UnixMicro(), now)
		ids = append(ids, e.Timer.ID)
	}
	fmt.Print(lines.String())
	time.AfterFunc(ringsFor, func() { r.timers.Ended(ids) })
}

// ringUntilKilled rings stored timers, and obeys "clock AHEAD", in nanoseconds, and
// "resume".
func ringUntilKilled(path string, orders io.Reader) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := memory.Open(context.Background(), memory.Options{Path: path, Log: log})
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	r := &ringer{shelf: shelf{s}}
	set := make(chan struct{}, 1)
	r.timers, err = timer.New(timer.Options{Store: r, Bell: r, Now: r.now, Boot: sinceBoot, ClockSet: set, Location: zone, Snooze: time.Minute, Log: log})
	if err != nil {
		return err
	}
	for in := bufio.NewScanner(orders); in.Scan(); {
		var order string
		var ahead int64
		if _, err := fmt.Sscan(in.Text(), &order, &ahead); err != nil {
			return err
		}
		switch order {
		case "start":
			r.ahead.Store(ahead)
			go r.timers.Run(context.Background())
		case "clock":
			r.ahead.Store(ahead)
			set <- struct{}{}
		case "resume":
			for _, t := range r.timers.Tools() {
				if t.Spec().Name == "timer_resume" {
					if _, err := t.Call(context.Background(), tools.Call{ToolCall: llm.ToolCall{Arguments: []byte(`{"all":true}`)}}); err != nil {
						return err
					}
				}
			}
		}
	}
	return errors.New("nobody killed it")
}

// victim is a ringer as the test sees it.
type victim struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	lines  chan []string // all that it rang, once it is dead
	log    bytes.Buffer
}

func begin(t *testing.T, path string, ahead time.Duration) *victim {
	t.Helper()
	v := &victim{cmd: exec.CommandContext(t.Context(), os.Args[0]), lines: make(chan []string, 1)}
	v.cmd.Env = append(os.Environ(), ringerEnv+"="+path)
	v.cmd.Stderr = &v.log
	var err error
	if v.orders, err = v.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		var lines []string
		for in := bufio.NewScanner(out); in.Scan(); {
			lines = append(lines, in.Text())
		}
		v.lines <- lines
	}()
	v.order(t, "start", ahead)
	return v
}

func (v *victim) order(t *testing.T, what string, ahead time.Duration) {
	t.Helper()
	if _, err := fmt.Fprintln(v.orders, what, int64(ahead)); err != nil {
		t.Fatal(err)
	}
}

// kill kills it with SIGKILL, and gives what it rang, and of how many it said that it
// did so before that was stored, because the store kept it waiting.
func (v *victim) kill(t *testing.T) (lines []string, unsafe int) {
	t.Helper()
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	lines = <-v.lines
	if err := v.cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	for line := range strings.Lines(v.log.String()) {
		_, count, ok := strings.Cut(line, "timers ring before that is stored, and would ring twice after a power cut\" component=timer count=")
		n, err := strconv.Atoi(strings.TrimSpace(count))
		if !ok || err != nil {
			t.Errorf("the log says %s", line)
		}
		unsafe += n
	}
	return lines, unsafe
}
