package systemd

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// lines collects what is logged, without times.
func lines() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(newConsoleHandler(&b, slog.LevelDebug, true)), &b
}

func (p *peer) count(want string) int {
	n := 0
	for m := p.next(); m != ""; m = p.next() {
		if m != want {
			p.t.Errorf("got %q, want %q", m, want)
		}
		n++
	}
	return n
}

func TestWatchdogIsFedOnlyWhileEveryPartAdvances(t *testing.T) {
	p := listenPeer(t)
	log, out := lines()
	var frames atomic.Uint64
	var muted, dialogue atomic.Bool
	dialogue.Store(true)
	w, err := NewWatchdog(WatchdogOptions{
		Notifier: NewNotifier(p.path),
		Interval: 30 * time.Second,
		Log:      log,
		Checks: []Check{
			{Name: "capture", Alive: Advancing(frames.Load, muted.Load)},
			{Name: "dialogue", Alive: dialogue.Load},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- w.Run(ctx) }()
		time.Sleep(time.Second) // ticks now fall between the steps below
		feeds := func(step string, want int) {
			t.Helper()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got := p.count("WATCHDOG=1"); got != want {
				t.Errorf("%s: fed %d times, want %d", step, got, want)
			}
		}
		frames.Add(1)
		feeds("frames advance", 1)
		feeds("capture is stuck", 0)
		feeds("capture is still stuck", 0)
		muted.Store(true)
		feeds("muted", 1)
		dialogue.Store(false)
		feeds("dialogue is stuck", 0)
		dialogue.Store(true)
		feeds("all advance", 1)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	want := strings.Join([]string{
		`<3>no progress, watchdog not fed component=capture`,
		`<6>progress again, watchdog fed component=capture`,
		`<3>no progress, watchdog not fed component=dialogue`,
		`<6>progress again, watchdog fed component=dialogue`,
		``,
	}, "\n")
	if out.String() != want {
		t.Errorf("logged\n%swant\n%s", out, want)
	}
}

func TestWatchdogWithoutIntervalAsksNobody(t *testing.T) {
	log, _ := lines()
	w, err := NewWatchdog(WatchdogOptions{
		Notifier: NewNotifier(""), Log: log,
		Checks: []Check{{Name: "capture", Alive: func() bool { t.Error("asked"); return true }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestWatchdogSaysOnceThatNobodyHears(t *testing.T) {
	log, out := lines()
	w, err := NewWatchdog(WatchdogOptions{
		Notifier: NewNotifier(t.TempDir() + "/gone"), Interval: 3 * time.Second, Log: log,
		Checks: []Check{{Name: "capture", Alive: func() bool { return true }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	if n := strings.Count(out.String(), "watchdog not heard"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, out)
	}
}

func TestWatchdogRefusesToProveNothing(t *testing.T) {
	log, _ := lines()
	alive := func() bool { return true }
	for name, o := range map[string]WatchdogOptions{
		"no checks":   {Notifier: NewNotifier(""), Log: log},
		"no notifier": {Log: log, Checks: []Check{{Name: "capture", Alive: alive}}},
		"no function": {Notifier: NewNotifier(""), Log: log, Checks: []Check{{Name: "capture"}}},
		"negative": {Notifier: NewNotifier(""), Log: log, Interval: -1,
			Checks: []Check{{Name: "capture", Alive: alive}}},
	} {
		if _, err := NewWatchdog(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWatchdogIntervalIsTheUnits(t *testing.T) {
	t.Setenv("WATCHDOG_USEC", "30000000")
	if d, err := WatchdogInterval(); d != 30*time.Second || err != nil {
		t.Errorf("got %v, %v", d, err)
	}
	t.Setenv("WATCHDOG_PID", "1")
	if d, err := WatchdogInterval(); d != 0 || err != nil {
		t.Errorf("another process's: got %v, %v", d, err)
	}
	t.Setenv("WATCHDOG_USEC", "soon")
	if _, err := WatchdogInterval(); err == nil {
		t.Error("no error for a bad interval")
	}
}
