package ears

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/health"
)

// lostLimit is how long a microphone that worked may be gone before the process is
// restarted. It is time enough to plug a cable in again.
const lostLimit = 2 * time.Minute

// MicrophoneOptions are what a Microphone needs.
type MicrophoneOptions struct {
	Device     string
	Off        bool // it stays closed, so no turn is opened by voice
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Microphone is the capture device and its state. It is safe for use by several goroutines.
type Microphone struct {
	opt     MicrophoneOptions
	capture *device.Capture
	state   chan device.State // cap 1; the newest
	settled chan struct{}     // closed when it is known that no frame will come for now
	muted   atomic.Bool
	lostAt  atomic.Pointer[time.Time] // when the device was lost (monotonic); nil: it was not
}

// NewMicrophone makes one. It opens nothing.
func NewMicrophone(opt MicrophoneOptions) (*Microphone, error) {
	m := &Microphone{opt: opt, state: make(chan device.State, 1), settled: make(chan struct{})}
	var err error
	m.capture, err = device.NewCapture(device.CaptureOptions{
		Device: opt.Device, Log: opt.Log.With("component", "capture"), Changed: m.changed,
	})
	return m, err
}

func (m *Microphone) String() string { return m.capture.String() }

// SetMuted closes or opens it.
func (m *Microphone) SetMuted(muted bool) {
	muted = muted || m.opt.Off
	m.muted.Store(muted)
	m.capture.SetMuted(muted)
}

// Muted reports whether it is closed on purpose.
func (m *Microphone) Muted() bool { return m.muted.Load() }

// SetPatient lets the frames of a quiet room come two at a time; see device.Capture.
func (m *Microphone) SetPatient(patient bool) { m.capture.SetPatient(patient) }

// Frames counts the captured frames, and Dropped the samples that were not read in time.
func (m *Microphone) Frames() uint64  { return m.capture.Frames() }
func (m *Microphone) Dropped() uint64 { return m.capture.Dropped() }

// Settled is closed when it is known that no frame will come for now.
func (m *Microphone) Settled() <-chan struct{} { return m.settled }

// ReadFrame waits for the next frame. device.ErrGap says that the frame does not continue the
// last one.
func (m *Microphone) ReadFrame(ctx context.Context, f *audio.Frame) error {
	return m.capture.ReadFrame(ctx, f)
}

// hears reports whether it is open and not lost, as far as is known.
func (m *Microphone) hears() bool { return !m.muted.Load() && m.lostAt.Load() == nil }

// changed is called on the capture's goroutine and must not block.
func (m *Microphone) changed(s device.Status) {
	DeviceCondition(m.opt.Conditions, "microphone", s)
	switch s.State {
	case device.Running, device.Muted: // a muted one is not lost, even if it is gone
		m.lostAt.Store(nil)
	case device.Lost:
		now := time.Now()
		m.lostAt.CompareAndSwap(nil, &now)
	}
	select {
	case m.state <- s.State:
	case <-m.state: // the newest state is the one that counts
		m.state <- s.State
	}
}

// DeviceCondition keeps the condition of a sound device.
func DeviceCondition(c *health.Conditions, code string, s device.Status) {
	switch s.State {
	case device.Running:
		c.Clear(code)
	case device.Lost:
		c.Set(code, health.Error, fmt.Sprintf("The %s %q does not work: %v.", code, s.Device, s.Err))
	}
}

// follow calls tell whenever the microphone starts or stops working, until ctx ends.
func (m *Microphone) follow(ctx context.Context, tell func(ctx context.Context, works bool) error) error {
	settle := sync.OnceFunc(func() { close(m.settled) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-m.state:
			if s == device.Lost || s == device.Muted {
				settle()
			}
			if s != device.Running && s != device.Lost {
				continue
			}
			if err := tell(ctx, s == device.Running); err != nil && ctx.Err() == nil {
				return fmt.Errorf("tell dialogue of the microphone: %w", err)
			}
		}
	}
}

// expectsNoFrames reports whether there is a good reason that no frames come: it is closed on
// purpose, or known to be gone. But one that has worked (heard) and does not come back for
// lostLimit needs a new process.
func (m *Microphone) expectsNoFrames(heard bool) bool {
	if m.muted.Load() {
		return true
	}
	lost := m.lostAt.Load()
	if lost == nil {
		return false
	}
	return !heard || time.Since(*lost) < lostLimit
}
