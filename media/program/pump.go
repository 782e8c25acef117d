package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openFIFO opens a FIFO that others write. It has no end: they come and go.
func openFIFO(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, syscall.ENOTSUP), err, f.Close())
	}
	return &fifo{f, context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })}, nil // Close has the error
}

// fifo is one whose reading ends with a context.
type fifo struct {
	*os.File
	stop func() bool
}

// Close implements io.Closer.
func (f *fifo) Close() error {
	f.stop()
	return f.File.Close()
}

// pump reads what a source writes, all the time, and gives it to whoever plays it.
func (r *runner) pump(ctx context.Context, in io.Reader) error {
	silent, pace := 0, time.Now()
	for {
		// Each is the player's, which may be late with one while many others make room.
		block := make([]byte, r.Rate/perSecond*r.Channels*r.Width)
		r.idle.Reset(gap)
		if _, err := io.ReadFull(in, block); err != nil {
			return err
		}
		r.idle.Stop()
		if silent++; r.sounds(block) {
			silent = 0
			r.ask(ctx)
		} else if silent%(perSecond*int(gap/time.Second)) == 0 {
			r.hush()
		}
		r.mu.Lock()
		t := r.tap
		r.mu.Unlock()
		switch {
		case t != nil:
			r.pass(t, block)
		case !r.Live:
			if pace = pace.Add(time.Second / perSecond); time.Since(pace) > time.Second {
				pace = time.Now()
			}
			pause(ctx, time.Until(pace))
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// ask has a source played that begins to sound, and keeps its beginning until it is.
func (r *runner) ask(ctx context.Context) {
	r.mu.Lock()
	taken, asks := r.taken, r.Always && r.tap == nil && !r.claimed
	if asks {
		r.claimed = true
	}
	r.mu.Unlock()
	if !asks {
		return
	}
	r.opt.Sounds(r.Item())
	select {
	case <-ctx.Done():
	case <-taken:
	case <-time.After(turnout):
	}
}

// pass hands a block over. A source that keeps time does not wait: the oldest block makes room.
func (r *runner) pass(t *tap, block []byte) {
	if !r.Live {
		select {
		case t.blocks <- block:
		case <-t.done:
		}
		return
	}
	for {
		select {
		case t.blocks <- block:
			return
		case <-t.done:
			return
		default:
		}
		select {
		case <-t.blocks:
		default:
		}
	}
}

// quiet is what dither makes of silence, in samples of 16 bits.
const quiet = 2

// sounds reports whether a block is more than silence.
func (r *runner) sounds(block []byte) bool {
	for at := r.Width - 2; at < len(block); at += r.Width {
		if v := int16(uint16(block[at]) | uint16(block[at+1])<<8); v > quiet || v < -quiet {
			return true
		}
	}
	return false
}
