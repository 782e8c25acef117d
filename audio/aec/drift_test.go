package aec

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// People interrupt: an answer is cut after two seconds, and many seconds pass until
// the next one. A drift that is a little wrong moves the delay meanwhile, and what
// the filter then does about it must not be taken for drift.
func TestShortAnswersWithLongPausesKeepDelayAndFilter(t *testing.T) {
	far := babble(150, 180, 1)
	var begins []int
	for at, i := audio.Rate, 0; at < len(far); i++ {
		begins = append(begins, at)
		pause := (4 + i%4*3) * audio.Rate
		if i == 8 {
			pause = 60 * audio.Rate
		}
		at += 7 * audio.Rate / 4
		clear(far[min(at, len(far)):min(at+pause, len(far))])
		at += pause
	}
	for _, drift := range []float64{0, 20e-6, -50e-6} {
		m := kitchen()
		m.level, m.drift = -33, drift
		s := plays(far, m)
		c := New()
		filter := newShare(c)
		s.each(func(near, far *audio.Frame, at int) {
			var out audio.Frame
			c.Process(near, far, &out)
			filter.push(at)
		})
		for i, at := range begins[3 : len(begins)-1] {
			if e := filter.erle(at+1600, at+audio.Rate); e < 20 {
				t.Errorf("%g ppm: the filter takes %.1f dB in the first second of answer %d, at %d s", -drift*1e6,
					e, i+3, at/audio.Rate)
			}
		}
		if got := c.Reading().DriftPPM; math.Abs(got+drift*1e6) > 1.5 {
			t.Errorf("drift of %g ppm is read as %.2f", -drift*1e6, got)
		}
	}
}

// share is what the filter alone takes off, frame by frame.
type share struct {
	c          *Canceller
	near, left map[int]float64
}

func newShare(c *Canceller) *share {
	return &share{c, make(map[int]float64), make(map[int]float64)}
}

func (s *share) push(at int) {
	s.near[at] = float64(dot(s.c.near[part-block:], s.c.near[part-block:]))
	s.left[at] = float64(dot(s.c.left[part-block:], s.c.left[part-block:]))
}

func (s *share) erle(from, to int) float64 {
	var near, left float64
	for at := from / block * block; at < to; at += block {
		near, left = near+s.near[at], left+s.left[at]
	}
	return 10 * math.Log10(near/left)
}

func TestDriftIsExactAfterAPause(t *testing.T) {
	const ppm = 37e-6
	r := rand.New(rand.NewPCG(1, 2))
	d := newDrift()
	now := 0.0 // blocks
	look := func() bool {
		return d.saw(1000 + ppm*block*now + 0.03*r.NormFloat64())
	}
	pass := func(blocks int) {
		for range blocks {
			d.step()
			now++
		}
	}
	d.begin(1000)
	for range 8 {
		pass(25)
		if !look() {
			t.Fatalf("a lag was not believed after %v blocks: %+v", now, d)
		}
	}
	if e := math.Abs(d.grow - ppm); e > 5e-6 || !d.sure() {
		t.Errorf("drift is %.1f ppm off after four seconds; sure: %v", e*1e6, d.sure())
	}
	pass(3000)
	if !look() {
		t.Errorf("the lag after a minute was not believed: %+v", d)
	}
	if e := math.Abs(d.grow - ppm); e > 0.3e-6 {
		t.Errorf("drift is %.2f ppm off after a minute", e*1e6)
	}
	before := d
	if pass(25); d.saw(1000 + ppm*block*now + 3) {
		t.Errorf("three samples off was believed: %+v", d)
	}
	if d.grow != before.grow {
		t.Errorf("what was not believed has changed the drift")
	}
}

func TestFewSamplesThatAreLostMoveTheFilter(t *testing.T) {
	for _, lost := range []int{4, -5} {
		m := kitchen()
		m.jump, m.jumpAt = lost, 8*audio.Rate
		s := plays(babble(16, 180, 1), m)
		c := New()
		r := s.run(c)
		if e := s.erle(r.out, 10, 16); e < 25 {
			t.Errorf("ERLE is %.1f dB two seconds after %d samples were lost", e, lost)
		}
		if got := c.Reading(); math.Abs(got.DriftPPM) > 5 ||
			math.Abs(float64(got.Delay)-float64(m.delay+lost+5)) > 1.5 {
			t.Errorf("after %d samples were lost: %+v", lost, got)
		}
	}
}
