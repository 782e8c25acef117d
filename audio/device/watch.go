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
	quietAfter = 300 * time.Millisecond
	sureAfter  = 60 * time.Millisecond
	// lateAfter is how late a look may come. A later one has been held up itself, and
	// so may the device thread have been: it says nothing about the clock, and little
	// about a card that is quiet.
	lateAfter = 25 * time.Millisecond
	// lateLooks is how often a look that came late is not taken for sure: a machine
	// that is always late must still notice.
	lateLooks = 3
	// spinning is the share of a processor that a device thread without any sound
	// takes when each of its calls fails at once: miniaudio tries again for ever.
	spinning = 0.25
	// spinsLong: PulseAudio's plugin spins too, until its first sound. After a spin
	// only every fifth opening is given firstAfter, the others quietAfter, so that a
	// card that stays broken takes little of the processor.
	spinsLong = 5
	// firstAfter is for the first sample frame: PulseAudio takes two seconds for the
	// first sound of a source that was asleep.
	firstAfter = 3 * time.Second
	// tooFast is how many times real time a source that has ended may look
	// like sound: some deliver silence as fast as it is taken.
	tooFast = 4
	// strange is how many times too fast a clock may be at two looks in a row, as a
	// sound server that was held up gives what it has at once, and how many times too
	// slow until lagMost is missing.
	strange = 1.5
	lagMost = 500 * time.Millisecond

	// cardsEvery is how often a resting line looks whether cards came or went,
	// since a device that does not run tells nothing.
	cardsEvery = 5 * time.Second
)

var (
	errQuiet = errors.New("card delivers nothing")
	errSpin  = errors.New("card fails at every transfer")
	errFast  = errors.New("card runs many times too fast")
	errClock = errors.New("card runs too fast or too slow")
)

// pulse judges the progress of a stream from looks at it. Times count from the
// start of the stream.
type pulse struct {
	format      format
	quiet, sure time.Duration
	brief       bool // a spin without any sound is not borne for long

	seen  uint64 // sample frames at the last look that found some
	at    time.Duration
	due   time.Duration // when this look should come; 0: not known
	doubt int           // looks in a row that found none for long
	odd   int           // looks in a row that found a fast clock
	lag   float64       // sample frames that are missing even of a slow clock's

	looked, busy time.Duration // age and CPU time at the last look
}

func newPulse(card format, period time.Duration) *pulse {
	return &pulse{format: card, quiet: max(quietAfter, 4*period), sure: max(sureAfter, 2*period)}
}

// look is given the sample frames so far, when the last of them came, and the CPU
// time of the device thread. It returns when the next look is due, or why the
// device must be closed.
func (p *pulse) look(now time.Duration, frames uint64, last, busy time.Duration) (time.Duration, error) {
	late := p.due > 0 && now-p.due > lateAfter
	next, err := p.judge(now, frames, now-last, p.spins(now, busy), late)
	p.due = now + next
	return next, err
}

// spins reports whether the device thread has done little else since the last look.
func (p *pulse) spins(now, busy time.Duration) bool {
	spins := (busy - p.busy).Seconds() > spinning*(now-p.looked).Seconds()
	p.looked, p.busy = now, busy
	return spins
}

func (p *pulse) judge(now time.Duration, frames uint64, since time.Duration, spins, late bool) (time.Duration, error) {
	switch {
	case spins && (frames == 0 && (p.brief || now >= firstAfter) || frames > 0 && since >= p.quiet):
		return 0, errSpin
	case frames == 0 && now < firstAfter:
		return min(p.quiet, firstAfter-now), nil
	case frames == 0:
		return 0, errQuiet
	case since >= p.quiet:
		if p.doubt > lateLooks || p.doubt > 0 && !late {
			return 0, errQuiet
		}
		p.doubt++
		return p.sure, nil
	}
	p.doubt = 0
	if err := p.clock(now, frames, late); err != nil {
		return 0, err
	}
	p.seen, p.at = frames, now
	return p.quiet - since, nil
}

// clock compares what came since the last look with what should have come.
func (p *pulse) clock(now time.Duration, frames uint64, late bool) error {
	came, due, slack := float64(frames-p.seen), (now-p.at).Seconds()*float64(p.format.rate), float64(p.format.buffer)
	p.odd++
	if late || came < strange*due+slack {
		p.odd = 0
	}
	if !late {
		p.lag = max(0, p.lag+due/strange-came)
	}
	switch {
	case came > tooFast*due+slack:
		return errFast
	case p.odd > 1, p.lag > lagMost.Seconds()*float64(p.format.rate):
		return errClock
	}
	return nil
}

// watch returns why the device must be closed: nil on request.
func (l *line) watch(ctx context.Context, s *stream) error {
	p := newPulse(s.format, l.period)
	p.brief = l.spins%spinsLong != 0
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
			p.seen, p.at, p.busy = s.frames.Load(), s.age(), s.tap.busy()
			p.looked = p.at
			s.last.Store(int64(p.at))
			timer.Reset(p.quiet)
		case <-timer.C:
			frames := s.frames.Load()
			next, err := p.look(s.age(), frames, time.Duration(s.last.Load()), s.tap.busy())
			if err != nil {
				return err
			}
			timer.Reset(next)
			if frames > 0 && p.doubt == 0 {
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
	l.resting(true)
	defer l.resting(false)
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
			l.resting(false)
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
