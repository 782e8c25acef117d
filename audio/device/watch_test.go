package device

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"hearthd/rigs/testcard"
)

// heartbeat is the life of a card as a pulse sees it.
type heartbeat struct {
	ends      time.Duration // when its clock stops
	speed     float64
	held      [2]time.Duration // from when to when this process is held up
	stopped   bool             // by a signal: afterwards what came meanwhile is lost
	starved   [2]time.Duration // from when to when others have the processors: it is handed over afterwards
	late      time.Duration    // by how much every look comes late
	spins     bool             // the device thread does, once there is no sound
	share     float64          // of a processor that it gets then; 0: all
	brief     bool
	patient   bool // the first sound may be late
	clockless bool
}

// at is what can be seen of it at a time.
func (h heartbeat) at(now, period time.Duration) glance {
	age := min(now, h.ends)
	g := glance{now: now}
	switch {
	case now == h.held[1]:
		age = min(h.held[0], h.ends) // its callbacks are not yet through
	case now >= h.starved[0] && now < h.starved[1]:
		age, g.starved = min(h.starved[0], h.ends), true
	case now >= h.starved[1]:
		g.waited = h.starved[1] - h.starved[0]
	}
	periods := int64(age.Seconds() * h.speed / period.Seconds())
	g.last = time.Duration(float64(periods) * float64(period) / h.speed)
	g.busy = age / 100
	if h.spins {
		got := cmp.Or(h.share, 1) * float64(now-age)
		g.busy += time.Duration(got)
		g.waited += now - age - time.Duration(got)
	}
	if h.stopped && now > h.held[1] {
		periods -= int64((h.held[1] - h.held[0]) / period)
	}
	g.frames = uint64(float64(periods) * period.Seconds() * testcard.Rate)
	return g
}

// loss plays a heartbeat for d and returns when it was found to be lost.
func (h heartbeat) loss(d, period time.Duration) (time.Duration, error) {
	p := newPulse(format{rate: testcard.Rate, channels: 1, buffer: testcard.Rate / 10}, period)
	p.brief, p.clockless = h.brief, h.clockless
	if h.patient {
		p.begin = firstAfter
	}
	for now := p.quiet; now < d; {
		if now > h.held[0] && now < h.held[1] {
			now = h.held[1]
		}
		next, err := p.look(h.at(now, period))
		if err != nil {
			return now, err
		}
		now += next + h.late
	}
	return 0, nil
}

func TestPulseNoticesALossWithin500ms(t *testing.T) {
	for ends := time.Second; ends < 1500*time.Millisecond; ends += 7 * time.Millisecond {
		at, err := heartbeat{ends: ends, speed: 1}.loss(time.Minute, capturePeriod)
		if !errors.Is(err, errQuiet) || at-ends > 400*time.Millisecond || at-ends < quietAfter {
			t.Errorf("clock stops at %v: %v at %v", ends, err, at) // 100 ms are left for a busy machine
		}
	}
	// Where every look comes late it is noticed all the same.
	if at, err := (heartbeat{ends: time.Second, speed: 1, late: 50 * time.Millisecond}).loss(time.Minute,
		capturePeriod); !errors.Is(err, errQuiet) || at > 2*time.Second {
		t.Errorf("clock stops where every look is late: %v at %v", err, at)
	}
	// So it is where others never let it have a processor.
	if at, err := (heartbeat{ends: time.Hour, speed: 1, starved: [2]time.Duration{time.Second, time.Hour}}).loss(
		time.Minute, capturePeriod); !errors.Is(err, errQuiet) ||
		at > time.Second+quietAfter+starvedMost+100*time.Millisecond {
		t.Errorf("a device thread never runs again: %v at %v", err, at)
	}
	if at, err := (heartbeat{ends: time.Hour, speed: 50}).loss(time.Minute, capturePeriod); !errors.Is(err, errFast) ||
		at > 500*time.Millisecond {
		t.Errorf("fifty times too fast: %v at %v", err, at)
	}
	for speed, limit := range map[float64]time.Duration{2: time.Second, 0.3: 2 * time.Second, 0.5: 5 * time.Second} {
		if at, err := (heartbeat{ends: time.Hour, speed: speed}).loss(time.Minute, capturePeriod); !errors.Is(err,
			errClock) || at > limit {
			t.Errorf("%g times the speed: %v at %v", speed, err, at)
		}
	}
	if at, err := (heartbeat{ends: time.Second, speed: 1, spins: true}).loss(time.Minute,
		capturePeriod); !errors.Is(err, errSpin) || at > 1400*time.Millisecond {
		t.Errorf("every transfer fails: %v at %v", err, at)
	}
	if at, err := (heartbeat{ends: time.Second, speed: 1, spins: true, share: 0.1}).loss(time.Minute,
		capturePeriod); !errors.Is(err, errSpin) || at > 1400*time.Millisecond {
		t.Errorf("every transfer fails, on a busy machine: %v at %v", err, at)
	}
	if at, err := (heartbeat{speed: 1, spins: true}).loss(time.Minute, capturePeriod); !errors.Is(err, errSpin) ||
		at != quietAfter {
		t.Errorf("every transfer fails from the start: %v at %v", err, at)
	}
	if at, err := (heartbeat{speed: 1}).loss(time.Minute, capturePeriod); !errors.Is(err, errQuiet) ||
		at != quietAfter+sureAfter {
		t.Errorf("no sound from the start: %v at %v", err, at)
	}
}

func TestPulseWaitsForASlowFirstSound(t *testing.T) {
	if at, err := (heartbeat{speed: 1, spins: true, patient: true}).loss(time.Minute, capturePeriod); !errors.Is(err,
		errSpin) || at != firstAfter {
		t.Errorf("every transfer fails from the start: %v at %v", err, at)
	}
	if at, err := (heartbeat{speed: 1, spins: true, patient: true, brief: true}).loss(time.Minute,
		capturePeriod); !errors.Is(err, errSpin) || at != quietAfter {
		t.Errorf("every transfer fails again: %v at %v", err, at)
	}
	if at, err := (heartbeat{speed: 1, patient: true}).loss(time.Minute, capturePeriod); !errors.Is(err, errQuiet) ||
		at != firstAfter+sureAfter {
		t.Errorf("no sound from the start: %v at %v", err, at)
	}
}

func TestPulseBearsWhatIsNoLoss(t *testing.T) {
	hour := time.Hour
	for name, h := range map[string]heartbeat{
		"nominal":      {ends: hour, speed: 1},
		"0.5 % slow":   {ends: hour, speed: 0.995},
		"0.5 % fast":   {ends: hour, speed: 1.005},
		"held up":      {ends: hour, speed: 1, held: [2]time.Duration{3 * time.Second, 20 * time.Second}},
		"lossy":        {ends: hour, speed: 0.75},
		"always late":  {ends: hour, speed: 1, late: 200 * time.Millisecond},
		"held up once": {ends: hour, speed: 1, held: [2]time.Duration{3 * time.Second, 3410 * time.Millisecond}},
	} {
		for _, period := range []time.Duration{playbackPeriod, capturePeriod, time.Second} {
			if at, err := h.loss(time.Minute, period); err != nil {
				t.Errorf("%s, period %v: %v at %v", name, period, err, at)
			}
		}
	}
}

// TestPulseBearsAStarvedProcess holds this process up for any time and from any
// moment between two looks.
func TestPulseBearsAStarvedProcess(t *testing.T) {
	for from := 3 * time.Second; from < 3400*time.Millisecond; from += 29 * time.Millisecond {
		for length := 100 * time.Millisecond; length < 1600*time.Millisecond; length += 71 * time.Millisecond {
			span := [2]time.Duration{from, from + length}
			for name, h := range map[string]heartbeat{
				"stopped by a signal":       {ends: time.Hour, speed: 1, held: span, stopped: true},
				"held up":                   {ends: time.Hour, speed: 1, held: span},
				"its device thread starves": {ends: time.Hour, speed: 1, starved: span},
			} {
				for _, period := range []time.Duration{playbackPeriod, capturePeriod} {
					if at, err := h.loss(8*time.Second, period); err != nil {
						t.Errorf("%s from %v for %v, period %v: %v at %v", name, from, length, period, err, at)
					}
				}
			}
		}
	}
}
