package device

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/gen2brain/malgo"

	"hearthd/audio"
)

const (
	// capturePeriod is one Frame: the device thread wakes once per frame.
	capturePeriod = audio.FrameDuration
	// capturePeriods leaves the device thread three periods to be late in.
	capturePeriods = 4
	// maxBlock is the longest block that is copied at a time, in sample frames.
	maxBlock = 2048
)

// CaptureOptions are the options of NewCapture.
type CaptureOptions struct {
	Device  string // ALSA name; empty means "default"
	Log     *slog.Logger
	Changed func(Status) // called by Run at each change; may be nil; must not block
}

// Capture is a microphone: 16 kHz mono frames from an ALSA device of any rate
// and width. Many channels are averaged.
type Capture struct {
	line *line
	bell audio.Doorbell

	feed    atomic.Pointer[feed] // of the open device, else nil
	frames  atomic.Uint64
	dropped atomic.Uint64 // by the rings of closed devices

	reading *feed // ReadFrame's goroutine only, as all below
	block   []int16
	pending []int16
}

// feed takes samples from the tap's goroutine to ReadFrame, for one opening of the device.
type feed struct {
	ring *audio.Ring
	bell audio.Doorbell
	// wake is the number of samples in the ring that are worth waking
	// ReadFrame for: one Frame.
	wake int

	channels int
	mono     []int16          // the tap's goroutine only
	resample *audio.Resampler // ReadFrame's goroutine only
}

// NewCapture checks the options; Run opens the device.
func NewCapture(o CaptureOptions) (*Capture, error) {
	l, err := newLine(malgo.Capture, o.Device, capturePeriod, o.Log, o.Changed)
	if err != nil {
		return nil, err
	}
	c := &Capture{
		line: l, bell: audio.NewDoorbell(),
		block:   make([]int16, maxBlock),
		pending: make([]int16, 0, audio.FrameSamples+2*maxBlock),
	}
	l.user, l.periods = c, capturePeriods
	return c, nil
}

func (c *Capture) String() string { return fmt.Sprintf("capture from %q", c.line.name) }

// Run keeps the device open until ctx ends, and then closes it and returns nil.
// An absent or broken device is no error; a driver that does not return is one.
func (c *Capture) Run(ctx context.Context) error { return c.line.run(ctx) }

// SetMuted closes the device, so that nothing can be captured, or opens it
// again. At once, no frame is read any more; Muted is reported when the device
// is closed. It may be called from any goroutine.
func (c *Capture) SetMuted(muted bool) {
	if muted {
		c.closed() // what the device delivers until it is closed is not read, even if it is unmuted before that
	}
	c.line.setMuted(muted)
}

// SetPatient lets the frames of a quiet room come two at a time, so that every other one is 20 ms
// late, which halves how often the goroutine wakes; sound that rises above the noise comes at once.
// It is meant for the time while the speaker rests. Any goroutine may call it.
func (c *Capture) SetPatient(on bool) { c.line.setPatient(on) }

// Frames counts the frames that ReadFrame has returned. While it grows, the
// device and its reader are alive.
func (c *Capture) Frames() uint64 { return c.frames.Load() }

// Dropped counts the samples, at the card's rate, that were lost because
// ReadFrame was not called for a second or longer.
func (c *Capture) Dropped() uint64 {
	n := c.dropped.Load() + c.line.dropped.Load()
	if f := c.feed.Load(); f != nil {
		n += f.ring.Dropped()
	}
	return n
}

// ReadFrame fills frame with the next 20 ms, and blocks until they are there: without end while
// there is no device or it is muted. It returns ErrGap, once and without a frame, before the first
// frame of a device that was opened again, and ctx's error when ctx ends. It belongs to one
// goroutine.
func (c *Capture) ReadFrame(ctx context.Context, frame *audio.Frame) error {
	for {
		f := c.feed.Load()
		if f != nil && f != c.reading {
			again := c.reading != nil
			c.reading, c.pending = f, c.pending[:0]
			if again {
				return ErrGap
			}
		}
		if f != nil && !c.line.muted.Load() && c.fill(f) {
			copy(frame[:], c.pending)
			c.pending = c.pending[:copy(c.pending, c.pending[audio.FrameSamples:])]
			c.frames.Add(1)
			return nil
		}
		select {
		case <-c.bell.C():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fill resamples what the ring holds until a frame is pending.
func (c *Capture) fill(f *feed) bool {
	for len(c.pending) < audio.FrameSamples {
		n := f.ring.Read(c.block[:min(f.wake, len(c.block))])
		if n == 0 {
			return false
		}
		c.pending = f.resample.Process(c.pending, c.block[:n])
	}
	return true
}

// opened makes the feed of a device that was opened.
func (c *Capture) opened(card format) (func(out, in []byte, frames int), error) {
	r, err := audio.NewResampler(card.rate, audio.Rate)
	if err != nil {
		return nil, err
	}
	f := &feed{
		ring: audio.NewRing(card.rate), bell: c.bell, // one second
		wake: card.rate * audio.FrameSamples / audio.Rate, channels: card.channels,
		mono: make([]int16, maxBlock), resample: r,
	}
	c.feed.Store(f)
	return f.take, nil
}

// closed ends the feed; what is left in it is not read.
func (c *Capture) closed() {
	if f := c.feed.Swap(nil); f != nil {
		c.dropped.Add(f.ring.Dropped())
	}
}

// take runs on the tap's goroutine.
func (f *feed) take(_, in []byte, frames int) {
	for frames > 0 {
		n := min(frames, len(f.mono))
		downmix(f.mono[:n], in, f.channels)
		f.ring.Write(f.mono[:n])
		in, frames = in[n*f.channels*2:], frames-n
	}
	if f.ring.Len() >= f.wake {
		f.bell.Ring()
	}
}
