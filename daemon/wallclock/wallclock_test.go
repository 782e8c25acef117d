package wallclock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// hand is a Waiter that a test moves.
type hand struct {
	set    chan error
	closed chan struct{}
}

func (h *hand) Wait() error {
	select {
	case err := <-h.set:
		return err
	case <-h.closed:
		return errors.New("closed")
	}
}

func (h *hand) Close() error {
	close(h.closed)
	return nil
}

// watch is a clock in a bubble, where it is 2000, and what it told.
type watch struct {
	root   string
	hand   *hand
	clock  *Clock
	mu     sync.Mutex
	told   []bool // mu
	synced bool
	jump   time.Duration
}

func start(t *testing.T, floor time.Time, files ...string) *watch {
	t.Helper()
	w := &watch{root: t.TempDir(), hand: &hand{make(chan error), make(chan struct{})}}
	for _, f := range files {
		w.make(t, f)
	}
	var err error
	w.clock, err = New(Options{
		Floor: floor, root: w.root, Changed: func(trusted bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, trusted)
		},
		now:    func() time.Time { return time.Now().Add(w.jump) },
		synced: func() bool { return w.synced }, set: func() (waiter, error) { return w.hand, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.clock.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return w
}

func (w *watch) make(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *watch) expect(t *testing.T, told ...bool) {
	t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.told, told) || w.clock.Trusted() != told[len(told)-1] {
		t.Errorf("told %v, want %v", w.told, told)
	}
}

func TestClockThatNothingSpeaksAgainstIsTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { start(t, time.Time{}).expect(t, true) })
}

func TestClockBeforeTheBuildIsNotTrustedUntilItIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, time.Now().Add(time.Hour), "sys/class/rtc/rtc0")
		time.Sleep(time.Minute)
		w.expect(t, false)
		w.jump = 26 * time.Hour
		w.hand.set <- nil
		w.expect(t, false, true)
		w.hand.set <- nil // it is told again, for timers must follow
		w.expect(t, false, true, true)
	})
}

func TestBoxWithoutAClockWaitsForTheServiceThatSetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, time.Time{}, "run/systemd/timesync/clock")
		w.expect(t, false)
		w.make(t, "run/systemd/timesync/synchronized")
		time.Sleep(look)
		w.expect(t, false, true)
	})
}

func TestServiceThatNeverSetsTheClockIsNotWaitedForForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, time.Time{}, "run/chrony/chronyd.pid")
		time.Sleep(patience - look)
		w.expect(t, false)
		time.Sleep(3 * look)
		w.expect(t, false, true)
	})
}

func TestBoxWithAClockOfItsOwnIsTrustedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start(t, time.Time{}, "run/systemd/timesync/clock", "sys/class/rtc/rtc0").expect(t, true)
	})
}

func TestKernelsTimerEndsWithTheContext(t *testing.T) {
	c, err := New(Options{root: t.TempDir(), Changed: func(bool) {}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Run(ctx); err != nil {
		t.Error(err)
	}
}
