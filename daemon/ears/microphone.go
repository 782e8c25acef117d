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

// lostLimit is how long a microphone that worked may be gone before the box counts as
// deaf. A cable is plugged in again within it.
const lostLimit = 2 * time.Minute

// MicrophoneOptions are what a Microphone works with.
type MicrophoneOptions struct {
	Device     string
	Off        bool // it stays closed: nothing is opened by voice
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Microphone is the capture device with what is known of it. Its methods may be called
// by any goroutine.
type Microphone struct {
	opt     MicrophoneOptions
	capture *device.Capture
	state   chan device.State // cap 1; the newest
	settled chan struct{}     // closed when it is known that no frame will come for now
	muted   atomic.Bool
	lostAt  atomic.Pointer[time.Time] // when capture was lost, immune to a clock that is set; nil: it runs
}

// NewMicrophone opens nothing.
func NewMicrophone(opt MicrophoneOptions) (*Microphone, error) {
	m := &Microphone{opt: opt, state: make(chan device.State, 1), settled: make(chan struct{})}
	var err error
	m.capture, err = device.NewCapture(device.CaptureOptions{Device: opt.Device, Log: opt.Log.With("component", "capture"), Changed: m.changed})
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

// SetPatient says whether it may be slow to open again, because the speaker rests.
func (m *Microphone) SetPatient(patient bool) { m.capture.SetPatient(patient) }

// Frames counts the frames that were captured, and Dropped the samples for which
// nobody had time.
func (m *Microphone) Frames() uint64  { return m.capture.Frames() }
func (m *Microphone) Dropped() uint64 { return m.capture.Dropped() }

// Settled is closed when it is known that no frame will come for now.
func (m *Microphone) Settled() <-chan struct{} { return m.settled }

// ReadFrame waits for the next frame. device.ErrGap says that it does not continue the
// last one.
func (m *Microphone) ReadFrame(ctx context.Context, f *audio.Frame) error {
	return m.capture.ReadFrame(ctx, f)
}

// hears reports whether it is open, as far as is known.
func (m *Microphone) hears() bool { return !m.muted.Load() && m.lostAt.Load() == nil }

// changed is called by the capture's goroutine, which must not wait.
func (m *Microphone) changed(s device.Status) {
	DeviceCondition(m.opt.Conditions, "microphone", s)
	switch s.State {
	case device.Running, device.Muted: // one that is closed is not looked for; when it is opened, its time begins again
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

// Follow tells a listener whether the box can hear, until ctx ends.
func (m *Microphone) Follow(ctx context.Context, tell func(ctx context.Context, works bool) error) error {
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

// restsRightly reports whether it is in order that no frames come: it is closed on
// purpose, or known to be gone. One that worked (heard) and does not come back for
// lostLimit is a case for a new process.
func (m *Microphone) restsRightly(heard bool) bool {
	if m.muted.Load() {
		return true
	}
	lost := m.lostAt.Load()
	if lost == nil {
		return false
	}
	return !heard || time.Since(*lost) < lostLimit
}
