package device

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gen2brain/malgo"
)

// format is how a card was opened.
type format struct {
	rate     int // samples per second
	channels int
	buffer   int // sample frames that the card holds
}

// stream is one open device. Its device thread counts and reports; whoever has
// opened it watches.
type stream struct {
	dev    *malgo.Device
	format format
	data   func(out, in []byte, frames int) // set before start
	tap    *tap
	begun  time.Time // set before start

	frames  atomic.Uint64 // sample frames that went through data
	last    atomic.Int64  // age of the stream when the last of them came
	resting atomic.Bool   // stopped on purpose: the stop callback is no loss
	started chan struct{} // gets one value with the first sample frames
	lost    chan error    // gets the first reason for closing
}

// age is the time since s was started first.
func (s *stream) age() time.Duration { return time.Since(s.begun) }

// glance looks at s, and also at whether it is starved if nothing came for as long as quiet.
func (s *stream) glance(quiet time.Duration) glance {
	g := glance{frames: s.frames.Load(), last: time.Duration(s.last.Load()), busy: s.tap.busy(), waited: s.tap.waited()}
	g.now = s.age()
	g.starved = g.now-g.last >= quiet && s.tap.starved()
	return g
}

// callback runs on the device thread, or on the goroutine of the tap.
func (s *stream) callback(out, in []byte, frames uint32) {
	// miniaudio takes the negative result of a read that fails while the device
	// is being stopped for a number of sample frames. There is nothing to read.
	if int64(frames) > int64(s.format.rate) {
		return
	}
	s.data(out, in, int(frames))
	s.last.Store(int64(s.age()))
	if s.frames.Add(uint64(frames)) == uint64(frames) {
		select {
		case s.started <- struct{}{}:
		default:
		}
	}
}

// lose may be called from any thread; the first reason is kept.
func (s *stream) lose(why error) {
	select {
	case s.lost <- why:
	default:
	}
}

// backend is a miniaudio context: ALSA's functions and its log.
type backend struct {
	context *malgo.AllocatedContext
	cards   string                 // what the kernel listed when it was made
	current atomic.Pointer[stream] // the stream that a log line is about
	buffer  atomic.Pointer[[2]int] // period in sample frames and periods, as miniaudio logged them
}

// newBackend makes a context for ALSA alone: miniaudio's default would try
// PulseAudio first, and then names mean nothing.
func newBackend() (*backend, error) {
	if err := loadLibrary(libraryName); err != nil {
		return nil, err
	}
	b := &backend{cards: listCards()}
	var err error
	b.context, err = malgo.InitContext([]malgo.Backend{malgo.BackendAlsa}, malgo.ContextConfig{}, b.logged)
	if err != nil {
		return nil, fmt.Errorf("open ALSA: %w", err)
	}
	return b, nil
}

// close ends the context and with it ALSA's cached configuration.
func (b *backend) close() error {
	err := b.context.Uninit()
	b.context.Free()
	if err != nil {
		return fmt.Errorf("close ALSA: %w", err)
	}
	return nil
}

// stale reports that cards came or went since b was made. ALSA reads what it
// knows about the kinds of cards only once per context. (A context per opening
// would do as well, but malgo leaks a log of 144 bytes with each.)
func (b *backend) stale() bool { return b.cards != listCards() }

// listCards is the kernel's list of sound cards, empty without any.
func listCards() string {
	list, err := os.ReadFile("/proc/asound/cards")
	if err != nil {
		return "" // a kernel without sound support
	}
	return string(list)
}

var errPoll = errors.New("card reports poll errors (unplugged?)")

// logged gets miniaudio's log: on the device thread up to a million times a
// second once a card is unplugged, and on the goroutine that opens a device.
func (b *backend) logged(line string) {
	if strings.Contains(line, "POLLERR detected") {
		if s := b.current.Load(); s != nil {
			s.lose(errPoll)
		}
		return
	}
	// The only place where miniaudio says what ALSA granted.
	var size [2]int
	if n, _ := fmt.Sscanf(strings.TrimSpace(line), "Buffer Size: %d*%d", &size[0], &size[1]); n == 2 {
		b.buffer.Store(&size)
	}
}

// open opens an ALSA device without starting it. It blocks as long as the driver does.
//
// The format is S16 at the card's own rate (the one nearest to 48 kHz) and width (the one nearest
// to two channels). miniaudio could convert others, but its resampler is poor. Without conversion
// it also cannot read beyond a buffer.
func (b *backend) open(kind malgo.DeviceType, name string, period time.Duration, periods int) (*stream, error) {
	s := &stream{started: make(chan struct{}, 1), lost: make(chan error, 1)}
	id := new(malgo.DeviceID)
	copy(id[:len(id)-1], name)
	var pin runtime.Pinner
	pin.Pin(id)
	defer pin.Unpin()

	config := malgo.DefaultDeviceConfig(kind)
	config.PeriodSizeInMilliseconds = uint32(period.Milliseconds())
	config.Periods = uint32(periods)
	config.NoFixedSizedCallback = 1 // saves one period of latency
	side := &config.Capture
	if kind == malgo.Playback {
		side = &config.Playback
	}
	var err error
	if s.tap, err = newTap(&config); err != nil {
		return nil, err
	}
	side.DeviceID, side.Format, side.Channels = unsafe.Pointer(id), malgo.FormatS16, 0

	b.buffer.Store(nil)
	s.dev, err = malgo.InitDevice(b.context.Context, config, malgo.DeviceCallbacks{
		Data: s.callback,
		Stop: func() {
			if !s.resting.Load() {
				s.lose(errStopped)
			}
		},
	})
	if err != nil {
		s.tap.free()
		return nil, err
	}
	s.format = format{rate: int(s.dev.SampleRate()), channels: int(s.dev.CaptureChannels())}
	internal := s.dev.CaptureInternalFormat
	if kind == malgo.Playback {
		s.format.channels, internal = int(s.dev.PlaybackChannels()), s.dev.PlaybackInternalFormat
	}
	size := b.buffer.Load()
	switch {
	case internal() != malgo.FormatS16:
		err = errors.New("card has no 16-bit format: name it with plughw instead of hw")
	case s.format.rate <= 0 || s.format.channels <= 0 || size == nil:
		err = errors.New("miniaudio does not report the card's format")
	}
	if err != nil {
		s.dev.Uninit()
		s.tap.free()
		return nil, err
	}
	s.format.buffer = size[0] * size[1]
	return s, nil
}

var errStopped = errors.New("device stopped by itself (sound server gone?)")

// start lets sound flow once the device thread has stopped. A device thread may just be stopping by
// itself. miniaudio may then take the signal that is left over from that stop for the signal of the
// next one, and not wait for it. It blocks as long as the driver does.
func (b *backend) start(s *stream) error {
	b.current.Store(s)
	s.tap.await(neverStarted, stopped)
	// The stop callback of that stop has been called before.
	select {
	case why := <-s.lost:
		if !errors.Is(why, errStopped) {
			s.lose(why)
		}
	default:
	}
	s.resting.Store(false)
	return s.dev.Start()
}

// rest stops sound until the next start, with the device left open. It blocks as
// long as the driver does.
func (b *backend) rest(s *stream) error {
	s.resting.Store(true)
	s.tap.await(neverStarted, stopped, started)
	return s.dev.Stop()
}

// stop closes s. It blocks as long as the driver does.
func (b *backend) stop(s *stream) {
	b.current.Store(nil)
	s.tap.await(neverStarted, stopped, started)
	// An error of Stop means that it is not running, which Uninit tolerates.
	_ = s.dev.Stop()
	s.dev.Uninit()
	s.tap.free()
}
