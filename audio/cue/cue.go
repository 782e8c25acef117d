// Package cue makes the earcons of hearthd: the short sounds that say what a speaker without a
// screen is doing. Their pitch moves in different ways, so that people know them without learning
// them, and they are the same samples on every run.
//
// It runs no goroutine and imports nothing of hearthd. A Set is not changed once made: everyone may
// read its samples, and nobody writes to them.
package cue

import (
	"math"
	"time"
)

// Cue is one of the earcons.
type Cue int

// The earcons.
const (
	Listening Cue = iota // a fifth up: go on, I hear you
	Done                 // a fourth down, soft: that is settled
	Failed               // the same tone twice: that did not work
	Timer                // a triad up, twice: come and look
	Notice               // up and half down: somebody has something to say
	count
)

func (c Cue) String() string {
	switch c {
	case Listening:
		return "listening"
	case Done:
		return "done"
	case Failed:
		return "failed"
	case Timer:
		return "timer"
	case Notice:
		return "notice"
	}
	return "unknown"
}

// peak is the loudest sample of each earcon: -12 dBFS, beside speech that
// synthesisers normalise to about -3.
const peak = 8231

// attack is the rise of a note. Shorter ones are heard as a click.
const attack = 6 * time.Millisecond

// note is a tone that begins at a time and fades to nothing over its length.
type note struct {
	hz     float64 // equal temperament, A4 = 440
	at     time.Duration
	length time.Duration
}

const ms = time.Millisecond

// score says what an earcon is made of. All tones lie between 700 Hz and 1.6 kHz,
// where small speakers are even and old ears are good, and where no voice has its
// pitch: an earcon is not held back from the detectors, and none takes it for one.
func score(c Cue) []note {
	const (
		g5             = 783.99
		c6, d6, e6, g6 = 1046.50, 1174.66, 1318.51, 1567.98
	)
	switch c {
	case Listening:
		return []note{{g5, 0, 140 * ms}, {d6, 80 * ms, 170 * ms}}
	case Done:
		return []note{{c6, 0, 120 * ms}, {g5, 90 * ms, 200 * ms}}
	case Failed:
		return []note{{g5, 0, 120 * ms}, {g5, 140 * ms, 160 * ms}}
	case Timer:
		return []note{
			{c6, 0, 180 * ms}, {e6, 120 * ms, 180 * ms}, {g6, 240 * ms, 320 * ms},
			{c6, 600 * ms, 180 * ms}, {e6, 720 * ms, 180 * ms}, {g6, 840 * ms, 340 * ms},
		}
	case Notice:
		return []note{{g5, 0, 110 * ms}, {e6, 70 * ms, 120 * ms}, {c6, 150 * ms, 150 * ms}}
	}
	return nil
}

// Set holds the earcons for one rate.
type Set struct {
	samples [count][]int16
}

// New makes the earcons at rate samples per second.
func New(rate int) *Set {
	s := &Set{}
	for c := range count {
		s.samples[c] = synthesise(score(c), rate)
	}
	return s
}

// Samples is the earcon c as mono S16 at the rate of the set, at most 300 ms,
// Timer 1.2 s. The slice belongs to the set. An unknown cue is nil.
func (s *Set) Samples(c Cue) []int16 {
	if c < 0 || c >= count {
		return nil
	}
	return s.samples[c]
}

func synthesise(notes []note, rate int) []int16 {
	var mix []float64
	for _, n := range notes {
		start, length := samples(n.at, rate), samples(n.length, rate)
		mix = append(mix, make([]float64, max(start+length-len(mix), 0))...)
		n.add(mix[start:start+length], rate)
	}
	loudest := 0.0
	for _, v := range mix {
		loudest = max(loudest, math.Abs(v))
	}
	out := make([]int16, len(mix))
	for i, v := range mix {
		out[i] = int16(math.Round(v * peak / loudest))
	}
	return out
}

func samples(d time.Duration, rate int) int {
	return int(d * time.Duration(rate) / time.Second)
}

// add adds the note to mix, which is as long as it. The second and third
// harmonic, which die away sooner, make it a struck bar rather than a test tone.
func (n note) add(mix []float64, rate int) {
	rise := float64(samples(attack, rate))
	for i := range mix {
		x := float64(i) / float64(len(mix)) // 0..1 over the note
		// Raised cosine at both ends: level and slope are zero there.
		envelope := (1 + math.Cos(math.Pi*x)) / 2
		if up := float64(i) / rise; up < 1 {
			envelope *= (1 - math.Cos(math.Pi*up)) / 2
		}
		sin, cos := math.Sincos(2 * math.Pi * n.hz * float64(i) / float64(rate))
		decay := math.Exp(-3 * x)
		tone := sin + 0.3*decay*2*sin*cos
		if 3*n.hz < float64(rate)/2 {
			tone += 0.15 * decay * decay * sin * (3 - 4*sin*sin)
		}
		mix[i] += envelope * tone
	}
}
