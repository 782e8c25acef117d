package listen

import (
	"fmt"

	"hearthd/audio"
	"hearthd/vad"
)

const (
	// farTail is how long after its last sound the speaker may still be heard: the delay of
	// two sound cards, and the reverberation of the room.
	farTail = 30 // frames, 600 ms
	// echoMargin: a frame that is so much softer than what the microphone heard is what the
	// canceller leaves of the echo. It removes 34 to 42 dB; a person who is as loud as the
	// speaker is hardly softer than both together.
	echoMargin = 26 // dB
	// roomDecay is how fast the estimate of the microphone's level falls: slower than the
	// reverberation of a room with a reverberation time of one second.
	roomDecay = 0.6 // dB per frame
	// doubt is the factor by which speech is less likely while the speaker sounds over a noise:
	// frying and taps go on, but people let each other finish. A probability of 0.75 counts as 0.5.
	// Over a tap and music none of 60 recorded people was heard later because of it; in a quiet
	// room a factor of 5 would make 4 of 94 too late.
	doubt = 3
	// noiseMargin is how much softer than the speaker a noise must be not to count.
	noiseMargin = 36 // dB
	// noiseLevel is the level above which a noise counts while the speaker is silent, in dBFS. A
	// quiet room, in which people whisper, is softer.
	noiseLevel = -55
	// voicedFrom is how periodic a voice is. Among frames of frying and boiling that the detector
	// took for speech one in 200 is as periodic, in the first half second of people speaking
	// over them four in five are. (Praat takes 0.45 with shorter windows: Boersma, Accurate
	// short-term analysis of the fundamental frequency, 1993.)
	voicedFrom = 0.42
	// maxUnvoiced is the longest that speech goes without a voiced frame.
	maxUnvoiced = 12 // frames, 240 ms
	// examineFrom is the probability from which a frame is examined.
	examineFrom = 0.3
	// speakerDecay is how fast the estimate of the speaker's level falls.
	speakerDecay = 0.02 // dB per frame
)

// Guard makes a detector harder to convince while the speaker sounds, and over a noise. A
// frame far softer than what the microphone heard before the canceller counts as silence, for
// it is only the rest of the echo. Over a noise the detector must be surer, and a voice must
// be heard, until somebody has spoken for a while: spitting fat comes and goes like speech,
// but has no pitch. While the speaker is silent an utterance may begin without a voice, but
// not go on without one.
type Guard struct {
	vad.Detector
	near, out audio.Meter
	voice     voicing // of what the canceller leaves
	unvoiced  int     // frames since the last voiced one
	loud      float32 // recent level of the microphone, dBFS
	speaker   float32 // loudest level of the microphone while the speaker sounds, dBFS
	echo      bool    // the frame is only echo
	sounds    bool    // the speaker sounds
	open      bool    // an utterance is open
	believed  bool    // it is certain that somebody speaks
}

// NewGuard puts a guard around d. Give it to the Front and to the Segmenter.
func NewGuard(d vad.Detector) *Guard { return &Guard{Detector: d, loud: audio.SilentDBFS} }

func (g *Guard) String() string { return fmt.Sprintf("guard of the %v", g.Detector) }

// Probability is the probability of the detector, lowered where the sound is only echo or noise.
func (g *Guard) Probability(samples []int16) float32 {
	p := g.Detector.Probability(samples) // it must see the continuous stream
	if p != p {                          // NaN, which it would stay
		g.Detector.Reset()
		return 0
	}
	switch {
	case g.echo:
		return 0
	case g.believed || p < examineFrom || !g.noise():
		return p
	case !g.speaks() && (g.sounds || g.open):
		return 0
	case g.sounds:
		return p / (p + (1-p)*doubt)
	}
	return p
}

// noise reports whether there is so much noise that it counts.
func (g *Guard) noise() bool {
	if g.sounds {
		return g.out.Floor() > g.speaker-noiseMargin
	}
	return g.out.Floor() > noiseLevel
}

// speaks reports whether there is a voice now, or was a moment ago.
func (g *Guard) speaks() bool {
	if g.voice.rate() >= voicedFrom {
		g.unvoiced = 0
	}
	return g.unvoiced <= maxUnvoiced
}

// hear follows the state of utterances.
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

// weigh takes a frame while the speaker sounds: near is that of the microphone, out what the canceller leaves.
func (g *Guard) weigh(near, out *audio.Frame) {
	g.near.Push(near[:])
	g.take(out)
	g.loud = max(g.near.Level(), g.loud-roomDecay)
	g.speaker = max(g.near.Level(), g.speaker-speakerDecay)
	g.echo, g.sounds = g.out.Level() < g.loud-echoMargin, true
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
