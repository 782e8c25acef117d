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
	for _, c := range []struct{ at, share float64 }{{1.5, 0.06}, {2, 0.15}, {2, 0.3}} {
		end := c.at + 10
		s := plays(babble(end, 180, 1), kitchen()).switched(c.at, end, c.share)
		r := s.run(New())
		if last := r.readings[len(r.readings)-1]; !last.Good {
			t.Errorf("%g of the echo from %g s on: ten seconds later %+v", c.share, c.at, last)
		}
	}
}

func TestSpeakerThatWasSwitchedOffIsLearntAnew(t *testing.T) {
	s := plays(babble(16, 180, 1), kitchen()).switched(3, 9, 0)
	r := s.run(New())
	if e := s.erle(r.out, 13, 16); e < 20 || !r.readings[len(r.readings)-1].Good {
		t.Errorf("off from 3 s to 9 s: ERLE is %.1f dB from 13 s on, want 20", e)
	}
}
