package hearing

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// Cost is the CPU time that work, which is length of audio, takes for each second
// of it, on the thread of its goroutine.
func Cost(length time.Duration, work func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, err := threadTime()
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	now, err := threadTime()
	if err != nil {
		return 0, err
	}
	return time.Duration(float64(now-begun) / length.Seconds()), nil
}

// threadTime is the CPU time of this thread.
func threadTime() (time.Duration, error) {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// Drain takes ears over a sound and forgets what they hear.
func Drain(ears Ears, near, far []int16) error {
	for _, err := range ears(near, far) {
		if err != nil {
			return err
		}
	}
	return nil
}
