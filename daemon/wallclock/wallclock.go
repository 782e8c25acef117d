// Package wallclock watches the clock of the box: whether it may be right, and
// when it is set. A box without a real-time clock comes up with the time at which
// it went down, and learns the real one from the network later.
//
// Run is one goroutine, which the caller owns. It waits in the kernel for the clock
// to be set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET) and looks again and again
// only while the clock is not to be trusted. It imports nothing of hearthd.
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
	// look is how often a clock that is not to be trusted is looked at.
	look = 2 * time.Second
	// patience is how long a service that sets the clock is waited for. Without a
	// network there is no better time than the one of the box.
	patience = 10 * time.Minute
)

// Options say what is known of the clock.
type Options struct {
	// Floor is a time that has passed, such as that of the build.
	Floor time.Time
	// Root is the root of the file system; empty: /.
	Root string
	// Changed is told whether the clock may be right, at the start and whenever that
	// changed or the clock was set. It must not block.
	Changed func(trusted bool)
	Now     func() time.Time       // nil: time.Now
	Synced  func() bool            // whether the kernel's clock is kept by a service; nil: ask it
	Set     func() (Waiter, error) // nil: the kernel's
}

// Waiter waits for the clock to be set.
type Waiter interface {
	Wait() error
	Close() error
}

// Clock is the clock of the box.
type Clock struct {
	opt     Options
	begun   time.Time
	set     atomic.Bool // since the start, by whoever
	trusted atomic.Bool
}

// New looks at the clock.
func New(opt Options) (*Clock, error) {
	if opt.Changed == nil {
		return nil, errors.New("new clock: somebody must be told")
	}
	if opt.Root == "" {
		opt.Root = "/"
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Synced == nil {
		opt.Synced = synced
	}
	if opt.Set == nil {
		opt.Set = newTimer
	}
	c := &Clock{opt: opt, begun: time.Now()}
	c.trusted.Store(c.judge())
	return c, nil
}

// Trusted reports whether the clock may be right.
func (c *Clock) Trusted() bool { return c.trusted.Load() }

// judge looks whether the clock may be right: it is not if it shows a time that
// has long passed, nor if nothing keeps the time while the box is off and a service
// that will set the clock has not yet done so.
func (c *Clock) judge() bool {
	switch {
	case c.opt.Now().Before(c.opt.Floor):
		return false
	case c.opt.Synced(), c.exists("sys/class/rtc/rtc0"), c.exists("run/systemd/timesync/synchronized"), c.set.Load():
		return true
	case time.Since(c.begun) > patience:
		return true
	}
	return !c.exists("run/systemd/timesync") && !c.exists("run/chrony") && !c.exists("run/ntpd.pid")
}

func (c *Clock) exists(name string) bool {
	_, err := os.Stat(filepath.Join(c.opt.Root, name))
	return err == nil
}

// Run tells of the clock until ctx ends. It fails where the kernel does not tell
// when the clock is set.
func (c *Clock) Run(ctx context.Context) error {
	w, err := c.opt.Set()
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

// look judges anew, and reports whether that changed.
func (c *Clock) look() (changed bool) {
	trusted := c.judge()
	return c.trusted.Swap(trusted) != trusted
}

// synced asks the kernel whether a service keeps its clock. Where the unit may not
// ask (ProtectClock=), the other signs decide.
func synced() bool {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return err == nil && state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0
}

// timer is a timer of the kernel that is cancelled when the clock is set.
type timer struct{ file *os.File }

// far is when the timer ends, if nobody sets the clock before: a wake-up a year.
const far = 365 * 24 * time.Hour

func newTimer() (Waiter, error) {
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
