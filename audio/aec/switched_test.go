package aec

import (
	"testing"

	"hearthd/audio"
)

// switched is s with an echo that is so much of itself from second from to second to.
func (s *scene) switched(from, to, share float64) *scene {
	for i := int(from * audio.Rate); i < int(to*audio.Rate); i++ {
		s.echo[i] *= share
	}
	return s
}

func TestSpeakerThatIsTurnedDownByItsKnobIsLearntAnew(t *testing.T) {
	for _, c := range []struct{ at, share float64 }{{1.5, 0.06}, {3, 0.06}, {2, 0.15}, {8, 0.15}, {2, 0.3}} {
		end := c.at + 10
		s := plays(babble(end, 180, 1), kitchen()).switched(c.at, end, c.share)
		r := s.run(made(t))
		if last := r.readings[len(r.readings)-1]; !last.Good {
			t.Errorf("%g of the echo from %g s on: ten seconds later %+v", c.share, c.at, last)
		}
	}
}

func TestSpeakerThatWasSwitchedOffIsLearntAnew(t *testing.T) {
	for _, off := range []float64{1.5, 3} {
		s := plays(babble(24, 180, 1), kitchen()).switched(off, off+6, 0)
		r := s.run(made(t))
		e := s.erle(r.out, 18, 24)
		t.Logf("off at %g s: %.1f dB", off, e)
		if e < 20 || !r.readings[len(r.readings)-1].Good {
			t.Errorf("off from %g s to %g s: ERLE is %.1f dB from 18 s on, want 20", off, off+6, e)
		}
	}
}
