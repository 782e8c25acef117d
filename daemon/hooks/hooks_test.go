package hooks

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hearthd/daemon/event"
)

// lines is a log that tests wait for.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
	got chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Write(p)
	l.got <- string(p)
	return len(p), nil
}

// await gives the first line with text.
func (l *lines) await(t *testing.T, text string) string {
	t.Helper()
	for {
		select {
		case line := <-l.got:
			if strings.Contains(line, text) {
				return line
			}
		case <-time.After(time.Minute):
			t.Fatalf("no line with %q:\n%s", text, l.all.String())
		}
	}
}

func runs(t *testing.T, hooks ...Hook) (bus *event.Bus, log *lines, stop func()) {
	t.Helper()
	bus, log = event.NewBus(), &lines{got: make(chan string, 10000)}
	h, err := New(Options{Hooks: hooks, Bus: bus, Log: slog.New(slog.NewTextHandler(log,
		&slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	return bus, log, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// begin publishes until a line of the log has text: before that the hooks may not have
// subscribed, or their queue may be full.
func begin(t *testing.T, bus *event.Bus, log *lines, e func() event.Event, text string) string {
	t.Helper()
	begun := time.Now()
	for time.Since(begun) < 20*time.Second {
		bus.Publish(e())
		select {
		case line := <-log.got:
			if strings.Contains(line, text) {
				return line
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("no line with %q", text)
	return ""
}

func TestHookGetsTheEventOnItsInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	t.Setenv("HEARTHD_SECRET", "hunter2")
	bus, log, stop := runs(t, Hook{On: []string{"volume"}, Command: []string{"sh", "-c",
		`cat >"$0.$$"; mv "$0.$$" "$0"; env; echo $1`, file, "a b; rm -rf $HOME"}, Timeout: time.Minute})
	bus.Publish(&event.MuteChanged{Muted: true})
	line := begin(t, bus, log, func() event.Event { return &event.VolumeChanged{Percent: 33} }, "hook ran")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"type":"volume"`) ||
		!strings.Contains(string(text), `"percent":33`) {
		t.Errorf("%q, %v", text, err)
	}
	if strings.Contains(line, "hunter2") || !strings.Contains(line, "a b; rm -rf $HOME") {
		t.Errorf("logged %s", line)
	}
	stop()
}

func TestHookThatForksForEverIsKilledWithItsChildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	script := `i=0; while [ $i -lt 50 ]; do (sleep 1000) & echo $! >>"$0"; i=$((i+1)); done; while :; do (sleep 1000) & wait $!; done`
	bus, log, stop := runs(t, Hook{On: []string{"volume"}, Command: []string{"sh", "-c", script, file},
		Timeout: time.Second})
	begin(t, bus, log, func() event.Event { return &event.VolumeChanged{} }, "it took too long")
	stop()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		pid, err := strconv.Atoi(s.Text())
		if err != nil {
			t.Fatal(err)
		}
		// It was killed, and dies when it is its turn.
		for end := time.Now().Add(time.Minute); alive(pid); <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("process %d still runs", pid)
			}
		}
	}
	if n == 0 {
		t.Error("it had no children")
	}
}

// alive reports whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ") && syscall.Kill(pid, 0) == nil &&
		strings.Contains(string(stat), "sleep")
}

func TestHooksAreBoundedInNumberAndOutputAndWhatIsDroppedIsTold(t *testing.T) {
	dir := t.TempDir()
	bus, log, stop := runs(t,
		Hook{On: []string{"volume"}, Command: []string{"sh", "-c",
			`touch "$0/$$"; ls "$0" | wc -l; head -c 300000 /dev/zero; rm "$0/$$"`, dir}, Timeout: time.Minute},
		Hook{On: []string{"mute"}, Command: []string{"sleep", "1000"}, Timeout: time.Minute},
		Hook{On: []string{"dnd"}, Command: []string{"/no/such/program"}, Timeout: time.Minute})
	begin(t, bus, log, func() event.Event { return &event.VolumeChanged{} }, "hook ran")
	for range 500 {
		bus.Publish(&event.VolumeChanged{})
	}
	if line := log.await(t, "events were dropped"); !strings.Contains(line, "count=") {
		t.Error(line)
	}
	log.mu.Lock()
	for line := range strings.Lines(log.all.String()) {
		if _, out, ok := strings.Cut(line, `output="`); ok {
			if n, _, _ := strings.Cut(out, `\n`); strings.TrimSpace(n) > "4" || len(line) > 10*maxOutput {
				t.Errorf("%s of them ran, or too much was kept: %d", n, len(line))
			}
		}
	}
	log.mu.Unlock()
	begin(t, bus, log, func() event.Event { return &event.DNDChanged{} }, "hook failed")
	for range 2 * maxRunning {
		bus.Publish(&event.MuteChanged{})
	}
	begun := time.Now()
	stop()
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("programs that run held the end up for %v", took)
	}
}

func TestHooksWithoutAProgramOrALimitAreRefused(t *testing.T) {
	bus, log := event.NewBus(), slog.New(slog.DiscardHandler)
	for _, h := range []Hook{{}, {On: []string{"turn"}, Command: []string{"./x"}, Timeout: 1},
		{On: []string{"turn"}, Command: []string{"x"}}, {Command: []string{"x"}, Timeout: 1}} {
		if _, err := New(Options{Hooks: []Hook{h}, Bus: bus, Log: log}); err == nil {
			t.Errorf("%+v is taken", h)
		}
	}
}
