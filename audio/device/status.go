package device

import "errors"

// State is what a device does at the moment.
type State int

const (
	Opening State = iota // being opened for the first time, or again after Muted
	Running              // sound flows
	Lost                 // absent or broken; opened again and again
	Muted                // closed on request
)

// String is the state's name in logs and status documents.
func (s State) String() string {
	switch s {
	case Opening:
		return "opening"
	case Running:
		return "running"
	case Lost:
		return "lost"
	case Muted:
		return "muted"
	}
	return "unknown"
}

// Status is what is known about a device. Each change of it is reported.
type Status struct {
	State  State
	Device string // ALSA name
	Rate   int    // the card's, in samples per second; 0 unless Running
	Err    error  // why it is Lost, else nil
}

var (
	// errStuck ends Run: the driver does not return from a call. The device
	// and a thread are leaked, and only a new process can open it again.
	errStuck = errors.New("audio driver does not return")

	// ErrGap comes once from ReadFrame when the device was opened again: the
	// next frame does not follow the last one, so detectors must be reset.
	ErrGap = errors.New("capture was interrupted")
)
