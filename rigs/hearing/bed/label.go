package bed

import (
	"math"
	"slices"

	"hearthd/audio"
)

// Hop is the grid of the labels in samples: 10 ms.
const Hop = audio.Rate / 100

// Label says what a person would call a Hop.
type Label uint8

// The labels. Unsure is never scored: the first and the last 30 ms of a stretch
// of speech, where two people who label by hand differ too, and what rings in
// the room for 120 ms after it.
const (
	Quiet Label = iota
	Spoken
	Unsure
)

const (
	// audible is how far below the loudest hop of a sentence speech still counts,
	// in dB: weak fricatives do, breath does not.
	audible = 40
	pause   = 15 // hops: shorter gaps, such as the closure of a plosive, are speech
	collar  = 3  // hops at each end of speech that are Unsure
	ringing = 12 // hops after speech in a room that are Unsure
)

// heard is the level from which a sentence of a synthesiser is speech.
func (s *Speech) heard() float64 { return slices.Max(levels(s.Sound)) - audible }

// trim cuts the sentence to where it sounds, which is from the level low up, and
// marks the hops that are speech.
func (s *Speech) trim(low float64) {
	level := levels(s.Sound)
	from, to := 0, len(level)
	for from < to && level[from] < low {
		from++
	}
	for to > from && level[to-1] < low {
		to--
	}
	s.Sound = s.Sound[from*Hop : to*Hop]
	s.Voiced = make([]bool, to-from)
	last := 0 // the last hop that sounded
	for i, l := range level[from:to] {
		if l < low {
			continue
		}
		s.Voiced[i] = true
		if i-last <= pause {
			for k := last; k < i; k++ {
				s.Voiced[k] = true
			}
		}
		last = i
	}
}

// levels are the hops of x in dB.
func levels(x []float64) []float64 {
	list := make([]float64, len(x)/Hop)
	for i := range list {
		list[i] = 10 * math.Log10(power(x[i*Hop:(i+1)*Hop])+1e-12)
	}
	return list
}

func power(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(max(1, len(x)))
}

// blur marks the hops around changes, whose label is anybody's guess.
func blur(marks []Label, room bool) {
	was := Quiet
	for i, now := range append([]Label(nil), marks...) {
		if now == was {
			continue
		}
		after := collar
		if now == Quiet && room {
			after = ringing
		}
		for k := max(0, i-collar); k < min(len(marks), i+after); k++ {
			marks[k] = Unsure
		}
		was = now
	}
}

// Power is that of the sentence where it is speech.
func (s *Speech) Power() float64 { return active(s.Sound, s.Voiced) }
