package testcard

import (
	"fmt"
	"os"
)

// Fault is a way in which a card is broken; the plugin's source says what each
// does to its user.
type Fault string

const (
	Healthy  Fault = "ok"
	NoDevice Fault = "nodev"  // gone: poll reports errors only
	Unplug   Fault = "unplug" // gone: poll reports ready and errors, transfers fail
	Busy     Fault = "busy"   // somebody else has it: it cannot be opened
	IOError  Fault = "eio"    // every transfer fails
	Stall    Fault = "stall"  // the clock stands still
	Hang     Fault = "hang"   // a transfer blocks until the fault is over
)

// Fast is a card whose clock runs times as fast as it should.
func Fast(times int) Fault { return Fault(fmt.Sprintf("fast %d", times)) }

// Drift is a card whose clock is ppm parts per million fast.
func Drift(ppm float64) Fault { return Fault(fmt.Sprintf("drift %g", ppm)) }

// Overrun is a healthy card that loses data once: each call makes a new fault.
func (c *Card) Overrun() Fault { return Fault(fmt.Sprintf("xrun %d", c.overruns.Add(1))) }

const (
	captureFault  = "capture.fault"
	playbackFault = "playback.fault"
)

// BreakCapture gives the microphone side a fault until the next call.
func (c *Card) BreakCapture(f Fault) error { return c.setFault(captureFault, f) }

// BreakPlayback gives the speaker side a fault until the next call.
func (c *Card) BreakPlayback(f Fault) error { return c.setFault(playbackFault, f) }

// setFault overwrites the whole line in place with one write, since the plugin
// keeps the file open and may read at any moment.
func (c *Card) setFault(name string, f Fault) error {
	file, err := os.OpenFile(c.path(name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("set fault %q: %w", f, err)
	}
	_, err = fmt.Fprintf(file, "%-40s\n", f)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("set fault %q: %w", f, err)
	}
	return nil
}
