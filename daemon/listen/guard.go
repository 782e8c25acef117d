package listen

import (
	"hearthd/audio"
	"hearthd/vad"
)

const (
	// farRings is how long after its last sound the speaker may still be heard: what
	// two sound cards and the room take.
	farRings = 30 // frames, 600 ms
	// under is how much softer than what the microphone hears something is that a
	// canceller has left of the echo. It takes 34 to 42 dB off; a person at the level
	// of the speaker is hardly softer than the sum of both.
	under = 26 // dB
	// fades is by how much the microphone's level is followed down: slower than a room
	// of a second's reverberation.
	fades = 0.6 // dB per frame
)

// Guard is a detector that does not take what a canceller has left of the echo for
// a person: while the speaker sounds, a frame counts as silence if it is far softer
// than what the microphone heard before the canceller.
type Guard struct {
	vad.Detector
	near, out audio.Meter
	loud      float32 // of the microphone of late, dBFS
	echo      bool    // the frame is no more than echo
}

// NewGuard puts a guard before d. It is to be given to the Front and to the
// Segmenter.
func NewGuard(d vad.Detector) *Guard { return &Guard{Detector: d, loud: audio.SilentDBFS} }

// Probability is that of the detector, or 0.
func (g *Guard) Probability(samples []int16) float32 {
	p := g.Detector.Probability(samples) // it must see the continuous stream
	if g.echo {
		return 0
	}
	return p
}

// weigh compares a frame of the microphone with what is left of it.
func (g *Guard) weigh(near, out *audio.Frame) {
	g.near.Push(near[:])
	g.out.Push(out[:])
	g.loud = max(g.near.Level(), g.loud-fades)
	g.echo = g.out.Level() < g.loud-under
}

// rest says that the speaker is silent.
func (g *Guard) rest() { g.loud, g.echo = audio.SilentDBFS, false }
