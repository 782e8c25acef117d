package device

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gen2brain/malgo"

	"hearthd/audio"
)

const (
	backoffMin = 250 * time.Millisecond
	backoffMax = 5 * time.Second

	// openLimit and closeLimit are how long a driver may take for one call.
	openLimit  = 10 * time.Second
	closeLimit = 3 * time.Second
)

// user is the Capture or the Playback that a line keeps open.
type user interface {
	// opened is told what the card gives, before sound flows, and returns what
	// the device thread calls.
	opened(format) (data func(out, in []byte, frames int), err error)
	// closed is called after the last data call.
	closed()
}

// line keeps one device open for a Capture or a Playback.
type line struct {
	kind    malgo.DeviceType
	name    string
	period  time.Duration
	periods int
	user    user
	log     *slog.Logger
	changed func(Status)

	openLimit, closeLimit time.Duration

	muted atomic.Bool
	kick  chan struct{} // one value when muted has changed

	idle, wake audio.Doorbell // nothing to play; something to play again

	waiting func() bool   // of a speaker: there is something to play
	resting func(bool)    // of a speaker: called when it comes to rest and before it runs again
	dropped atomic.Uint64 // samples of a microphone that found no room in its tap

	tapLock sync.Mutex
	tap     *tap // of the microphone that is open, else nil
	patient bool

	backend *backend // Run's goroutine only, as all below
	backoff time.Duration
	spins   int  // openings in a row that ended in errSpin
	vain    bool // the last opening brought no sound
	last    Status
	told    bool
}

// newLine checks the options that Capture and Playback have in common.
func newLine(kind malgo.DeviceType, name string, period time.Duration, log *slog.Logger, changed func(Status)) (*line,
	error) {
	if name == "" {
		name = "default"
	}
	const maxName = 255 // of malgo.DeviceID, less its final zero
	if len(name) > maxName || strings.ContainsRune(name, 0) || name[0] == ':' {
		return nil, fmt.Errorf("open device %.40q: not an ALSA name", name)
	}
	if log == nil {
		return nil, fmt.Errorf("open device %q: no logger", name)
	}
	if changed == nil {
		changed = func(Status) {}
	}
	return &line{
		kind: kind, name: name, period: period, log: log, changed: changed,
		openLimit: openLimit, closeLimit: closeLimit,
		kick: make(chan struct{}, 1), resting: func(bool) {}, waiting: func() bool { return false },
		idle: audio.NewDoorbell(), wake: audio.NewDoorbell(),
	}, nil
}

// setMuted asks run to close the device or to open it again.
func (l *line) setMuted(muted bool) {
	if l.muted.Swap(muted) == muted {
		return
	}
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// setPatient sets it for the present tap and for later ones.
func (l *line) setPatient(on bool) {
	l.tapLock.Lock()
	defer l.tapLock.Unlock()
	if l.patient = on; l.tap != nil {
		l.tap.setPatient(on)
	}
}

func (l *line) setTap(t *tap) {
	l.tapLock.Lock()
	defer l.tapLock.Unlock()
	if l.tap = t; t != nil {
		t.setPatient(l.patient)
	}
}

// run keeps the device open until ctx ends. Its only error is errStuck.
func (l *line) run(ctx context.Context) error {
	err := l.keepOpen(ctx)
	if errors.Is(err, errStuck) {
		l.report(Status{State: Lost, Err: err})
		return err // whatever the backend holds is stuck with it
	}
	return errors.Join(err, l.dropBackend())
}

func (l *line) keepOpen(ctx context.Context) error {
	l.backoff = backoffMin
	for ctx.Err() == nil {
		if l.muted.Load() {
			l.report(Status{State: Muted})
			l.wait(ctx, nil)
			l.backoff = backoffMin
			continue
		}
		if !l.told || l.last.State == Muted {
			l.report(Status{State: Opening})
		}
		err := l.session(ctx)
		if errors.Is(err, errStuck) {
			return err
		}
		if err == nil {
			continue // muted or done
		}
		l.report(Status{State: Lost, Err: err})
		if l.spins++; !errors.Is(err, errSpin) {
			l.spins = 0
		}
		// A quarter more or less, so that several boxes do not all come back to a failed sound
		// server at once.
		pause := time.NewTimer(time.Duration(float64(l.backoff) * (0.75 + 0.5*rand.Float64())))
		l.wait(ctx, pause.C)
		pause.Stop()
		l.backoff = min(2*l.backoff, backoffMax)
	}
	return nil
}

// wait returns when ctx ends, muted has changed or timeout fires.
func (l *line) wait(ctx context.Context, timeout <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-l.kick:
	case <-timeout:
	}
}

// session opens the device once, watches it and closes it. It returns nil when
// it was closed on request.
func (l *line) session(ctx context.Context) (err error) {
	if err := l.freshBackend(); err != nil {
		return err
	}
	var s *stream
	err = limited(l.openLimit, func() (err error) {
		s, err = l.backend.open(l.kind, l.name, l.period, l.periods)
		return err
	})
	if errors.Is(err, malgo.ErrDoesNotExist) {
		return fmt.Errorf("open device %q: ALSA knows no such sound card (%w)", l.name, err)
	}
	if err != nil {
		return fmt.Errorf("open device %q: %w", l.name, err)
	}
	s.data, err = l.user.opened(s.format)
	if err == nil {
		defer l.user.closed()
		s.begun = time.Now()
		if l.kind == malgo.Capture {
			s.tap.run(s.format, s.callback, &l.dropped)
			l.setTap(s.tap)
		}
		err = limited(l.openLimit, func() error { return l.backend.start(s) })
		if errors.Is(err, errStuck) {
			return fmt.Errorf("start device %q: %w", l.name, err)
		}
		if err == nil {
			err = l.watch(ctx, s)
		}
		if errors.Is(err, errStuck) {
			return fmt.Errorf("use device %q: %w", l.name, err)
		}
	}
	if err != nil {
		err = fmt.Errorf("use device %q: %w", l.name, err)
		l.report(Status{State: Lost, Err: err}) // before closing, which may take long
	}
	// The device goes before its user's buffers do.
	l.setTap(nil)
	b := l.backend
	if stuck := limited(l.closeLimit, func() error { b.stop(s); return nil }); stuck != nil {
		return errors.Join(err, fmt.Errorf("close device %q: %w", l.name, stuck))
	}
	return err
}

// report reports a status unless it is the same as the last one.
func (l *line) report(s Status) {
	s.Device = l.name
	if l.told && s.State == l.last.State && s.Rate == l.last.Rate && sameText(s.Err, l.last.Err) {
		return
	}
	l.last, l.told = s, true
	switch s.State {
	case Opening:
		l.log.Info("opening audio device", "device", s.Device)
	case Running:
		l.log.Info("audio device running", "device", s.Device, "rate", s.Rate)
	case Lost:
		l.log.Warn("audio device lost", "device", s.Device, "error", s.Err)
	case Muted:
		l.log.Info("audio device closed", "device", s.Device)
	}
	l.changed(s)
}

func sameText(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

// freshBackend makes sure that l.backend knows the cards that are there now.
func (l *line) freshBackend() (err error) {
	if l.backend != nil && l.backend.stale() {
		if err := l.dropBackend(); err != nil {
			return err
		}
	}
	if l.backend == nil {
		l.backend, err = newBackend()
	}
	return err
}

func (l *line) dropBackend() error {
	b := l.backend
	if b == nil {
		return nil
	}
	l.backend = nil
	return b.close()
}
