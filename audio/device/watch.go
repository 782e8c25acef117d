package device

import (
	"context"
	"errors"
	"time"

	"github.com/gen2brain/malgo"
)

const (
	// No sound for quietAfter raises a doubt, and for sureAfter more it is a loss: that is noticed
	// within 500 ms, and a process that was held up for long does not blame the card.
	quietAfter = 300 * time.Millisecond
	sureAfter  = 60 * time.Millisecond
	// lateAfter is how late a look may come. One that comes later was held up itself, and so
	// perhaps was the device thread: it says nothing about the clock, and little about a card that
	// is quiet.
	lateAfter = 25 * time.Millisecond
	// lateLooks is how many late looks are not believed, and starvedMost how long a device thread
	// may wait for a processor: a machine that is always late must still notice a loss.
	lateLooks   = 3
	starvedMost = 2 * time.Second
	// spinning is the share of the processor time it could get that a device thread uses when it
	// delivers no sound and each of its calls fails at once: miniaudio tries again without end. A
	// healthy one uses less than spinLeast in all that time.
	spinning  = 0.25
	spinLeast = 10 * time.Millisecond
	// firstAfter is how long the first sample frame may take; for a speaker, the first one beyond
	// those that fill its buffer. It may well be late: PulseAudio takes two seconds for the first
	// sound of a source or sink that was asleep.
	firstAfter = 3 * time.Second
	// spinsLong is for PulseAudio's plugin, which spins too until its first sound: after a spin
	// only every fifth opening is given firstAfter, the others quietAfter, so that a card that
	// stays broken uses little of the processor.
	spinsLong = 5
	// tooFast is how many times real time a source that has ended may look
	// like sound: some deliver silence as fast as it is taken.
	tooFast = 4
	// strange is how many times too fast a clock may be at two looks in a row, as a
	// sound server that was held up gives what it has at once, and how many times too
	// slow until lagMost is missing.
	strange = 1.5
	lagMost = 500 * time.Millisecond

	// cardsEvery is how often a resting line looks whether cards came or went, since a device that
	// does not run reports nothing, and whether something waits to be played.
	cardsEvery = 5 * time.Second
)

var (
	errQuiet = errors.New("card delivers nothing")
	errSpin  = errors.New("card fails at every transfer")
	errFast  = errors.New("card runs many times too fast")
	errClock = errors.New("card runs too fast or too slow")
)

// glance is what there is to see of a stream at one moment. Times count from the
// start of the stream.
type glance struct {
	now    time.Duration
	frames uint64        // sample frames so far
	last   time.Duration // when the last of them came; 0 before the first
	busy   time.Duration // CPU time that the device thread has taken,
	waited time.Duration // and how long it has waited for a processor
	// starved: it waits for one now, or what it has delivered waits for this process.
	// Looked at only when nothing came for long.
	starved bool
}

// pulse judges the progress of a stream from glances at it. Time in which this
// process was held up is not held against the card.
type pulse struct {
	format      format
	quiet, sure time.Duration
	begin       time.Duration // quiet for the time before the first sound
	first       uint64        // sample frames that say nothing yet
	brief       bool          // a spin without any sound is not tolerated for long
	clockless   bool          // it has no clock that could be wrong

	seen    uint64        // sample frames at the last look that found some
	at      time.Duration // when the last of them came
	due     time.Duration // when this look should come; 0: not known
	doubt   int           // looks in a row that found no sound for too long
	doubted time.Duration // when the first of them did
	odd     int           // looks in a row that found a fast clock
	lag     float64       // sample frames that are missing even for a slow clock
	held    time.Duration // since at, in which this process was held up

	looked, sound glance // the last look, and the last that found sound
}

func newPulse(card format, period time.Duration) *pulse {
	quiet := max(quietAfter, 4*period)
	return &pulse{format: card, quiet: quiet, begin: quiet, sure: max(sureAfter, 2*period)}
}

// look returns when the next look is due, or why the device must be closed.
func (p *pulse) look(g glance) (time.Duration, error) {
	late := time.Duration(0)
	if p.due > 0 && g.now-p.due > lateAfter {
		late = g.now - p.due
	}
	p.held += max(late, g.waited-p.looked.waited)
	busy, could := g.busy-p.sound.busy, g.now-p.sound.now-(g.waited-p.sound.waited)
	spins := busy > spinLeast && busy.Seconds() > spinning*could.Seconds()
	next, err := p.judge(g, spins, late > 0)
	p.looked, p.due = g, g.now+next
	if p.doubt == 0 && g.frames > p.first {
		p.sound = g
	}
	return next, err
}

func (p *pulse) judge(g glance, spins, late bool) (time.Duration, error) {
	since, most := g.now-g.last, p.quiet
	if g.frames <= p.first {
		// A device thread that begins must get the processor several times.
		since, most = since-min(p.held, starvedMost), p.begin
	}
	switch {
	case spins && (since >= most || p.brief && since >= p.quiet):
		return 0, errSpin
	case since >= most:
		sure := p.doubt > 0 && !late && !g.starved
		if p.doubt == 0 {
			p.doubted = g.now
		}
		if sure || p.doubt > lateLooks && !g.starved || g.now-p.doubted > starvedMost {
			return 0, errQuiet
		}
		p.doubt++
		return p.sure, nil
	}
	p.doubt = 0
	if g.frames <= p.first {
		return min(p.quiet, most-since), nil
	}
	if err := p.clock(g, late); err != nil {
		return 0, err
	}
	return p.quiet - since, nil
}

// clock compares what came since the last look with what should have come.
func (p *pulse) clock(g glance, late bool) error {
	rate := float64(p.format.rate)
	came, due, slack := float64(g.frames-p.seen), (g.last-p.at).Seconds()*rate, float64(p.format.buffer)
	p.odd++
	if late || came < strange*due+slack {
		p.odd = 0
	}
	// Sound that came while this process was held up may be lost.
	if p.seen > p.first {
		p.lag = max(0, p.lag+(due-p.held.Seconds()*rate)/strange-came)
	}
	p.seen, p.at, p.held = g.frames, g.last, 0
	switch {
	case p.clockless:
	case came > tooFast*due+slack:
		return errFast
	case p.odd > 1, p.lag > lagMost.Seconds()*rate:
		return errClock
	}
	return nil
}

// newPulse judges s from now on, which has just been started.
func (l *line) newPulse(s *stream) *pulse {
	p := newPulse(s.format, l.period)
	// A card that brought no sound at its last opening may only be slow.
	if l.vain || soundServer() {
		p.begin = max(p.quiet, firstAfter)
	}
	s.last.Store(int64(s.age()))
	p.looked = s.glance(p.quiet)
	p.sound = p.looked
	p.seen, p.at, p.first = p.looked.frames, p.looked.last, p.looked.frames
	if l.kind == malgo.Playback {
		p.first += uint64(s.format.buffer)
		p.clockless = l.name == nowhere
	}
	return p
}

// watch returns why the device must be closed: nil on request.
func (l *line) watch(ctx context.Context, s *stream) error {
	p := l.newPulse(s)
	p.brief = l.spins%spinsLong != 0
	l.vain = true
	timer := time.NewTimer(p.quiet)
	defer timer.Stop()
	woken := false // it was started again, and no look has found it well since
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.kick: // it was muted, if only for a moment
			return nil
		case why := <-s.lost:
			if !woken || !errors.Is(why, errStopped) {
				return why
			}
			// miniaudio may take the signal that ended a rest's stop for another one: it is left
			// over when the device thread had just stopped by itself.
			woken = false
			if err := limited(l.openLimit, func() error { return l.backend.start(s) }); err != nil {
				return err
			}
		case <-s.started:
			// A card that was lost is trusted again when it has run well for a while.
			if l.last.State != Lost {
				l.running(s)
			}
		case <-l.idle.C():
			l.running(s)
			if l.waiting() { // that silence was before it
				continue
			}
			if err := l.rest(ctx, s); err != nil {
				return err
			}
			woken = true
			p = l.newPulse(s)
			timer.Reset(p.quiet)
		case <-timer.C:
			next, err := p.look(s.glance(p.quiet))
			if err != nil {
				return err
			}
			timer.Reset(next)
			if p.seen > p.first && p.doubt == 0 {
				woken, l.vain = false, false
				l.running(s)
				l.backoff = backoffMin
			}
		}
	}
}

func (l *line) running(s *stream) { l.report(Status{State: Running, Rate: s.format.rate}) }

// rest stops an idle device and starts it again when it is woken. A wake that came before is not
// lost: it waits in its bell. A caller may also ring and then be held up until the device has come
// to rest once more, as on a card that is too fast or a machine that stood still. What waits to be
// played shows that.
func (l *line) rest(ctx context.Context, s *stream) error {
	l.log.Debug("audio device rests", "device", l.name)
	if err := limited(l.closeLimit, func() error { return l.backend.rest(s) }); err != nil {
		return err
	}
	l.resting(true)
	defer l.resting(false)
	if l.waiting() {
		l.wake.Ring()
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
			if l.waiting() {
				l.wake.Ring()
			}
		case <-l.wake.C():
			l.log.Debug("audio device wakes", "device", l.name)
			l.resting(false)
			return limited(l.openLimit, func() error { return l.backend.start(s) })
		}
	}
}

// limited runs f in a goroutine of its own and leaves it there, with errStuck,
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
		return errStuck
	}
}
