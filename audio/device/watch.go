package device

import (
	"context"
	"errors"
	"time"
)

const (
	// quietAfter without sound makes a doubt, and sureAfter more makes a loss: it
	// is noticed within 500 ms, and a process that was held up for long is not
	// mistaken for a card that was.
	quietAfter = 400 * time.Millisecond
	sureAfter  = 60 * time.Millisecond
	// firstAfter is for the first sample frame: sound servers may take a second to
	// get going.
	firstAfter = 2 * time.Second
	// tooFast is how many times real time a source that has ended may look
	// like sound: some deliver silence as fast as it is taken.
	tooFast = 4

	// cardsEvery is how often a resting line looks whether cards came or went,
	// since a device that does not run tells nothing.
	cardsEvery = 5 * time.Second
)

var (
	errQuiet = errors.New("card delivers nothing")
	errFast  = errors.New("card runs many times too fast")
)

// pulse judges the progress of a stream from looks at it. Times count from the
// start of the stream.
type pulse struct {
	format      format
	quiet, sure time.Duration

	seen  uint64 // sample frames at the last look that found some
	at    time.Duration
	doubt bool // the last look found none for long
}

func newPulse(card format, period time.Duration) *pulse {
	return &pulse{format: card, quiet: max(quietAfter, 4*period), sure: max(sureAfter, 2*period)}
}

// look is given the sample frames so far and when the last of them came. It
// returns when the next look is due, or why the device must be closed.
func (p *pulse) look(now time.Duration, frames uint64, last time.Duration) (time.Duration, error) {
	since := now - last
	switch {
	case frames == 0 && now < firstAfter:
		return min(p.quiet, firstAfter-now), nil
	case frames == 0 || since >= p.quiet && p.doubt:
		return 0, errQuiet
	case since >= p.quiet:
		p.doubt = true
		return p.sure, nil
	}
	p.doubt = false
	if float64(frames-p.seen) > tooFast*(now-p.at).Seconds()*float64(p.format.rate)+float64(p.format.buffer) {
		return 0, errFast
	}
	p.seen, p.at = frames, now
	return p.quiet - since, nil
}

// watch returns why the device must be closed: nil on request.
func (l *line) watch(ctx context.Context, s *stream) error {
	p := newPulse(s.format, l.period)
	timer := time.NewTimer(p.quiet)
	defer timer.Stop()
	woken := false // it was started again, and no look has found it well since
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.kick:
			if l.muted.Load() {
				return nil
			}
		case why := <-s.lost:
			if !woken || !errors.Is(why, errStopped) {
				return why
			}
			// miniaudio may take the signal that ended a rest's stop for another
			// one: it is left over when the device thread had just stopped by itself.
			woken = false
			if err := limited(l.openLimit, func() error { return l.backend.again(s) }); err != nil {
				return err
			}
		case <-s.started:
			// A card that was lost is believed when it has run well for a while.
			if l.last.State != Lost {
				l.running(s)
			}
		case <-l.idle.C():
			l.running(s)
			if err := l.rest(ctx, s); err != nil {
				return err
			}
			woken = true
			p = newPulse(s.format, l.period)
			p.seen, p.at = s.frames.Load(), s.age()
			s.last.Store(int64(p.at))
			timer.Reset(p.quiet)
		case <-timer.C:
			frames := s.frames.Load()
			next, err := p.look(s.age(), frames, time.Duration(s.last.Load()))
			if err != nil {
				return err
			}
			timer.Reset(next)
			if frames > 0 && !p.doubt {
				woken = false
				l.running(s)
				l.backoff = backoffMin
			}
		}
	}
}

func (l *line) running(s *stream) { l.report(Status{State: Running, Rate: s.format.rate}) }

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
