package device

import (
	"context"
	"errors"
	"time"
)

const (
	// watchEvery is how often progress is looked at. Two looks without any
	// make a loss, so it is noticed within 750 ms, and a process that was
	// held up for long is not mistaken for a card that was.
	watchEvery = 250 * time.Millisecond
	lostAfter  = 2
	// firstAfter is the same before the first sample frame: sound servers
	// may take a second to get going.
	firstAfter = 8
	// tooFast is how many times real time a source that has ended may look
	// like sound: some deliver silence as fast as it is taken.
	tooFast = 4

	// cardsEvery is how often a resting line looks whether cards came or went,
	// since a device that does not run tells nothing.
	cardsEvery = 5 * time.Second
)

// watch returns why the device must be closed: nil on request.
func (l *line) watch(ctx context.Context, s *stream) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var seen uint64
	var silent, fast int
	at := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.kick:
			if l.muted.Load() {
				return nil
			}
		case why := <-s.lost:
			return why
		case <-s.started:
			l.report(Status{State: Running, Rate: s.format.rate})
		case <-l.idle.C():
			if err := l.rest(ctx, s); err != nil {
				return err
			}
			seen, silent, fast, at = s.frames.Load(), 0, 0, time.Now()
		case now := <-tick.C:
			frames := s.frames.Load()
			silent, fast = silent+1, fast+1
			if frames != seen {
				silent = 0
			}
			passed := now.Sub(at).Seconds()
			if float64(frames-seen) < tooFast*passed*float64(s.format.rate)+float64(s.format.buffer) {
				fast = 0
			}
			seen, at = frames, now
			if silent >= firstAfter || seen > 0 && silent >= lostAfter {
				return errors.New("card delivers nothing")
			}
			if fast >= lostAfter {
				return errors.New("card runs many times too fast")
			}
		}
	}
}

// rest stops an idle device and starts it again when it is woken. A wake that
// came before is not lost: it waits in its bell.
func (l *line) rest(ctx context.Context, s *stream) error {
	l.log.Debug("audio device rests", "device", l.name)
	if err := limited(l.closeLimit, func() error { return l.backend.rest(s) }); err != nil {
		return err
	}
	tick := time.NewTicker(cardsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if l.backend.stale() {
				return errors.New("sound cards came or went")
			}
		case <-l.wake.C():
			l.log.Debug("audio device wakes", "device", l.name)
			return limited(l.openLimit, func() error { return l.backend.start(s) })
		}
	}
}

// limited runs f in a goroutine of its own and leaves it there, with ErrStuck,
// when it does not return in time.
func limited(d time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	select {
	case err := <-done:
		return err
	case <-timeout.C:
		return ErrStuck
	}
}
