// Package wallclock watches the clock of the box: whether it can be trusted, and when it
// is set. A box without a real-time clock starts with the time at which it was shut down,
// and learns the right one from the network later.
//
// Run is one goroutine, which the caller owns. It waits in the kernel for the clock to be
// set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET), and polls only while the clock is not
// trusted. The package imports nothing of hearthd.
package wallclock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// look is how often a clock is checked while it is not trusted.
	look = 2 * time.Second
	// patience is how long to wait for a service that sets the clock. After that the time of
	// the box is taken as it is; without a network there is no better one.
	patience = 10 * time.Minute
)

// Options say how the clock is watched.
type Options struct {
	// Floor is a time in the past, such as that of the build.
	Floor time.Time
	// root is the root of the file system; empty: /.
	root string
	// Changed is called at the start, and whenever the clock was set or its trust changed.
	// It must not block.
	Changed func(trusted bool)
	now     func() time.Time       // nil: time.Now
	synced  func() bool            // whether a service keeps the clock right; nil: ask the kernel
	set     func() (waiter, error) // makes a waiter; nil: with a timer of the kernel
}

// waiter waits for the clock to be set.
type waiter interface {
	Wait() error
	Close() error
}

// Clock is the clock of the box.
type Clock struct {
	opt     Options
	begun   time.Time
	set     atomic.Bool // set by anything since the start
	trusted atomic.Bool
}

// New checks the clock once.
func New(opt Options) (*Clock, error) {
	if opt.Changed == nil {
		return nil, errors.New("new clock: Changed is missing")
	}
	if opt.root == "" {
		opt.root = "/"
	}
	if opt.now == nil {
		opt.now = time.Now
	}
	if opt.synced == nil {
		opt.synced = synced
	}
	if opt.set == nil {
		opt.set = newTimer
	}
	c := &Clock{opt: opt, begun: time.Now()}
	c.trusted.Store(c.judge())
	return c, nil
}

// Trusted reports whether the clock can be trusted.
func (c *Clock) Trusted() bool { return c.trusted.Load() }

// judge checks whether the clock can be trusted. It cannot if it shows a time before Floor,
// nor on a box without a real-time clock whose service for setting the clock has not done
// so yet.
func (c *Clock) judge() bool {
	switch {
	case c.opt.now().Before(c.opt.Floor):
		return false
	case c.opt.synced(), c.exists("sys/class/rtc/rtc0"), c.exists("run/systemd/timesync/synchronized"), c.set.Load():
		return true
	case time.Since(c.begun) > patience:
		return true
	}
	return !c.exists("run/systemd/timesync") && !c.exists("run/chrony") && !c.exists("run/ntpd.pid")
}

func (c *Clock) exists(name string) bool {
	_, err := os.Stat(filepath.Join(c.opt.root, name))
	return err == nil
}

// Run calls Changed until ctx ends. It fails if the kernel cannot tell when the clock is
// set.
func (c *Clock) Run(ctx context.Context) error {
	w, err := c.opt.set()
	if err != nil {
		return fmt.Errorf("watch clock: %w", err)
	}
	was := make(chan error)
	go func() {
		defer close(was)
		for {
			err := w.Wait()
			select {
			case was <- err:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		w.Close() // ends Wait
		for range was {
		}
	}()
	c.look()
	c.opt.Changed(c.Trusted())
	again := time.NewTicker(look)
	defer again.Stop()
	for {
		if c.Trusted() {
			again.Stop()
		} else {
			again.Reset(look)
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-was:
			if err != nil {
				return fmt.Errorf("watch clock: %w", err)
			}
			c.set.Store(true)
			c.look()
			c.opt.Changed(c.Trusted())
		case <-again.C:
			if c.look() {
				c.opt.Changed(c.Trusted())
			}
		}
	}
}

// look judges once more, and reports whether the trust has changed.
func (c *Clock) look() (changed bool) {
	trusted := c.judge()
	return c.trusted.Swap(trusted) != trusted
}

// synced asks the kernel whether a service keeps its clock right. If the unit must not ask
// (ProtectClock=), the other signs decide.
func synced() bool {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return err == nil && state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0
}

// timer is a timer of the kernel that is cancelled when the clock is set.
type timer struct{ file *os.File }

// far is how long the timer runs if nobody sets the clock: it wakes the process once a year.
const far = 365 * 24 * time.Hour

func newTimer() (waiter, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make timer: %w", err)
	}
	t := &timer{os.NewFile(uintptr(fd), "clock")}
	if err := t.arm(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *timer) arm() error {
	conn, err := t.file.SyscallConn()
	if err != nil {
		return fmt.Errorf("arm timer: %w", err)
	}
	end := unix.ItimerSpec{Value: unix.NsecToTimespec(time.Now().Add(far).UnixNano())}
	var armed error
	err = conn.Control(func(fd uintptr) {
		armed = unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &end, nil)
	})
	if err := errors.Join(err, armed); err != nil {
		return fmt.Errorf("arm timer: %w", err)
	}
	return nil
}

// Wait returns nil when the clock was set.
func (t *timer) Wait() error {
	var expired [8]byte
	_, err := t.file.Read(expired[:])
	if err != nil && !errors.Is(err, unix.ECANCELED) {
		return fmt.Errorf("read timer: %w", err)
	}
	return t.arm()
}

func (t *timer) Close() error { return t.file.Close() }
