package listen

import (
	"fmt"

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
	// rarely is by how much worse the odds of speech are while the speaker sounds over
	// a noise: frying and taps go on, people let each other finish. A probability of
	// 0.75 counts as 0.5. Over a tap and music no recorded person of 60 was heard later
	// for it; in a quiet room 5 would make 4 of 94 too late.
	rarely = 3
	// noisy is how much softer than the speaker a noise is that matters so.
	noisy = 36 // dB
	// steady is the level of a noise that matters while the speaker is silent, in dBFS: a
	// quiet room, in which people whisper, is softer.
	steady = -55
	// voiced is how periodic a voice is. Of the frames that the detector took for speech
	// in frying and boiling one in 200 is, of the first half second of people over them
	// four in five. (Praat takes 0.45 of shorter windows: Boersma, Accurate short-term
	// analysis of the fundamental frequency, 1993.)
	voiced = 0.42
	// consonants is the longest that speech does without.
	consonants = 12 // frames, 240 ms
	// worth is the probability from which it is looked at.
	worth = 0.3
	// calms is by how much the level of the speaker is followed down.
	calms = 0.02 // dB per frame
)

// Guard is a detector that is harder to convince while the speaker sounds, and over a
// noise. It does not take what a canceller has left of the echo for a person: a frame
// counts as silence if it is far softer than what the microphone heard before the
// canceller. And over a noise it wants to be surer of a person and to hear a voice,
// until one has been heard for a while: fat that spits comes and goes like speech, and
// has no pitch. While the speaker is silent an utterance may begin without a voice, and
// not go on.
type Guard struct {
	vad.Detector
	near, out audio.Meter
	voice     voicing // of what is left
	unvoiced  int     // frames since it was a voice
	loud      float32 // of the microphone of late, dBFS
	speaker   float32 // loudest of the microphone while the speaker sounds, dBFS
	echo      bool    // the frame is no more than echo
	sounds    bool    // the speaker does
	open      bool    // an utterance is
	believed  bool    // somebody speaks
}

// NewGuard puts a guard before d. It is to be given to the Front and to the
// Segmenter.
func NewGuard(d vad.Detector) *Guard { return &Guard{Detector: d, loud: audio.SilentDBFS} }

func (g *Guard) String() string { return fmt.Sprintf("guard of the %v", g.Detector) }

// Probability is that of the detector, or less.
func (g *Guard) Probability(samples []int16) float32 {
	p := g.Detector.Probability(samples) // it must see the continuous stream
	if p != p {                          // it would never become a number again
		g.Detector.Reset()
		return 0
	}
	switch {
	case g.echo:
		return 0
	case g.believed || p < worth || !g.noise():
		return p
	case !g.speaks() && (g.sounds || g.open):
		return 0
	case g.sounds:
		return p / (p + (1-p)*rarely)
	}
	return p
}

// noise reports whether there is one that matters.
func (g *Guard) noise() bool {
	if g.sounds {
		return g.out.Floor() > g.speaker-noisy
	}
	return g.out.Floor() > steady
}

// speaks reports whether there is a voice, or was a moment ago.
func (g *Guard) speaks() bool {
	if g.voice.rate() >= voiced {
		g.unvoiced = 0
	}
	return g.unvoiced <= consonants
}

// hear is told what becomes of utterances.
func (g *Guard) hear(k vad.Kind) {
	switch k {
	case vad.Onset:
		g.open = true
	case vad.Sustained:
		g.believed = true
	case vad.End, vad.Discard:
		g.open, g.believed = false, false
	}
}

// weigh compares a frame of the microphone with what is left of it.
func (g *Guard) weigh(near, out *audio.Frame) {
	g.near.Push(near[:])
	g.take(out)
	g.loud = max(g.near.Level(), g.loud-fades)
	g.speaker = max(g.near.Level(), g.speaker-calms)
	g.echo, g.sounds = g.out.Level() < g.loud-under, true
}

// rest takes a frame while the speaker is silent.
func (g *Guard) rest(out *audio.Frame) {
	g.take(out)
	g.loud, g.speaker, g.echo, g.sounds = audio.SilentDBFS, audio.SilentDBFS, false, false
}

func (g *Guard) take(out *audio.Frame) {
	g.out.Push(out[:])
	g.voice.push(out)
	g.unvoiced++
}
