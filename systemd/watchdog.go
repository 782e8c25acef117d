package systemd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Check is one proof of progress. Alive says whether the part has done
// something since it was last asked, or has a good reason not to (a microphone
// that is muted, or known to be gone). It is called by one goroutine, three times
// in an interval. A call that hangs starves the watchdog, which is right.
type Check struct {
	Name  string
	Alive func() bool
}

// WatchdogOptions says what feeds the watchdog.
type WatchdogOptions struct {
	Notifier *Notifier
	// Interval is what WatchdogInterval returned: the silence after which the
	// manager kills the daemon. Zero means that nobody watches.
	Interval time.Duration
	Checks   []Check
	Log      *slog.Logger
}

// Watchdog tells the service manager that the daemon is alive, as long as every
// check agrees.
type Watchdog struct {
	o WatchdogOptions
}

// NewWatchdog checks the options. A watchdog that proves nothing is refused.
func NewWatchdog(o WatchdogOptions) (*Watchdog, error) {
	switch {
	case o.Notifier == nil || o.Log == nil:
		return nil, errors.New("new watchdog: notifier and log are required")
	case o.Interval < 0:
		return nil, fmt.Errorf("new watchdog: interval %v is negative", o.Interval)
	case len(o.Checks) == 0:
		return nil, errors.New("new watchdog: no checks")
	}
	for _, c := range o.Checks {
		if c.Name == "" || c.Alive == nil {
			return nil, fmt.Errorf("new watchdog: check %q is not complete", c.Name)
		}
	}
	return &Watchdog{o: o}, nil
}

// WatchdogInterval is the interval that the unit's WatchdogSec= asks for, from
// $WATCHDOG_USEC and $WATCHDOG_PID; zero when there is none for this process.
func WatchdogInterval() (time.Duration, error) {
	d, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return 0, fmt.Errorf("read watchdog interval: %w", err)
	}
	return d, nil
}

// Run asks the checks and feeds the watchdog three times in an interval, until
// ctx ends. A stall is logged once, and once more when it is over; a stall that
// lasts until the manager acts ends in SIGABRT and a restart.
func (w *Watchdog) Run(ctx context.Context) error {
	if w.o.Interval == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(max(w.o.Interval/3, time.Millisecond))
	defer tick.Stop()
	stalled, mute := "", false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		was := stalled
		if stalled = w.stalled(); stalled != "" {
			if stalled != was {
				w.o.Log.Error("no progress, watchdog not fed", "component", stalled, "message_id", MessageWatchdog)
			}
			continue
		}
		if was != "" {
			w.o.Log.Info("progress again, watchdog fed", "component", was)
		}
		err := w.o.Notifier.alive()
		if err != nil && !mute {
			w.o.Log.Warn("watchdog not heard", "error", err)
		}
		mute = err != nil
	}
}

// stalled is the name of the first check that shows no progress. All are asked
// every time, so that each of them compares with the previous tick.
func (w *Watchdog) stalled() string {
	name := ""
	for _, c := range w.o.Checks {
		if !c.Alive() && name == "" {
			name = c.Name
		}
	}
	return name
}

// Advancing is an Alive for a part that counts what it does: the count differs from that of the
// last call, or off says that there is a good reason to rest. A nil off means that there never is.
func Advancing(count func() uint64, off func() bool) func() bool {
	last := count()
	return func() bool {
		now := count()
		moved := now != last
		last = now
		return moved || (off != nil && off())
	}
}
