package audio

import (
	"fmt"
	"math"
)

const (
	// The Leveller brings speech to speechTarget, the nominal level of ITU-T P.56 and of most
	// corpora that detectors are trained on. Its largest gain, +30 dB, suits a person four metres
	// away from a microphone that is set for one at arm's length; more would only raise the noise,
	// which is never amplified above noiseMost.
	speechTarget = -26 // dBFS, RMS as all levels
	leastGain    = -6  // dB
	mostGain     = 30  // dB
	noiseMost    = -50 // dBFS

	// The estimate of the speech level moves at these rates, in dB per second of something like a
	// voice. It settles where one frame in three is louder, which is about the RMS level of speech.
	// A clatter of a second moves it little, however loud it is.
	speechRise, speechFall = 4, 2
	// A frame is like a voice when it stands out of the noise by voiceMargin.
	voiceMargin = 10  // dB
	voiceLeast  = -70 // dBFS

	// The gain follows in dB per second: so slowly that an endpointer, which watches for a fall of
	// the level within a second, does not notice.
	gainRise, gainFall = 1.5, 6

	// What would clip is turned down at once, and comes back within half a second.
	ceiling      = 32000  // of the samples' 32767
	limitRelease = 1.0965 // factor per frame: 40 dB per second
	limitRamp    = 32     // samples, at least: 2 ms

	// dcPole is a high-pass at 25 Hz, below every voice: 1 - 2π·25/Rate.
	dcPole = 1 - 2*math.Pi*25/Rate
)

// LevelReading is what a Leveller knows as of the last frame.
type LevelReading struct {
	Gain         float32 // dB, the limiter's included
	Level, Floor float32 // of the frame, and of the noise under it, before the gain; RMS in dBFS
	Speech       float32 // level of speech before the gain
}

// Leveller is a slow automatic gain: speech comes out at about the same level
// wherever the speaker stands. It removes DC, too. It belongs to one goroutine and
// allocates nothing.
type Leveller struct {
	meter  Meter
	speech float32 // dBFS
	gain   float32 // dB
	limit  float32 // factor of the limiter, at most 1
	held   bool
	factor float32 // of the last sample

	x, y    float32 // last sample before and after the high-pass
	scratch [FrameSamples]float32
}

// NewLeveller returns a Leveller with a gain of 0 dB.
func NewLeveller() *Leveller { return &Leveller{speech: speechTarget, limit: 1, factor: 1} }

func (l *Leveller) String() string { return fmt.Sprintf("leveller to %d dBFS", speechTarget) }

// Hold keeps the Leveller from learning while on is true: what is heard then is not a person. It
// goes on to apply what it has learnt, and the limiter works.
func (l *Leveller) Hold(on bool) { l.held = on }

// Process brings f, which continues the last frame, to the level, in place.
func (l *Leveller) Process(f *Frame) {
	peak := l.highPass(f)
	if !l.held {
		l.adapt()
	}
	before := l.factor
	l.factor = l.protect(peak)
	ramp := FrameSamples
	if l.factor < before {
		ramp = l.firstAbove(ceiling / before)
	}
	g, step := before, (l.factor-before)/float32(ramp)
	for i, v := range l.scratch[:ramp] {
		g += step
		f[i] = saturate(v * g)
	}
	for i, v := range l.scratch[ramp:] {
		f[ramp+i] = saturate(v * l.factor)
	}
}

// highPass writes f without DC into scratch, measures it and returns its peak.
func (l *Leveller) highPass(f *Frame) float32 {
	x, y := l.x, l.y
	var squares, largest float32
	for i, s := range f {
		v := float32(s)
		y = v - x + dcPole*y
		x = v
		l.scratch[i] = y
		square := y * y
		squares += square
		if square > largest { // max, which minds NaN, would double the cost of Process
			largest = square
		}
	}
	if y*y < 1e-12 { // no denormals in silence
		y = 0
	}
	l.x, l.y = x, y
	if level := dbfs(float64(squares) / FrameSamples); level >= deadDBFS {
		l.meter.push(float64(squares), FrameSamples)
	} else {
		l.meter.level = level // the microphone is muted or just begins: this is not the level of the room
	}
	return float32(math.Sqrt(float64(largest)))
}

// adapt follows the level of speech with the gain.
func (l *Leveller) adapt() {
	const frame = float32(FrameSamples) / Rate // seconds
	level := l.meter.level
	if level > max(l.meter.floor+voiceMargin, voiceLeast) {
		l.speech = toward(l.speech, level, frame*rate(level > l.speech, speechRise, speechFall))
	}
	most := min(mostGain, max(0, noiseMost-l.meter.floor))
	want := max(leastGain, min(most, speechTarget-l.speech))
	l.gain = toward(l.gain, want, frame*rate(want > l.gain, gainRise, gainFall))
}

func rate(up bool, rise, fall float32) float32 {
	if up {
		return rise
	}
	return fall
}

// protect returns the factor for a frame with that peak.
func (l *Leveller) protect(peak float32) float32 {
	g := float32(math.Pow(10, float64(l.gain)/20))
	l.limit = min(1, l.limit*limitRelease)
	if peak*g*l.limit > ceiling {
		l.limit = ceiling / (peak * g)
	}
	return g * l.limit
}

// firstAbove is the number of samples before the first one beyond top, and at
// least limitRamp.
func (l *Leveller) firstAbove(top float32) int {
	for i, v := range l.scratch {
		if v > top || v < -top {
			return max(i, limitRamp)
		}
	}
	return FrameSamples
}

// Reading is what is known as of the last frame. It belongs to the goroutine that
// calls Process.
func (l *Leveller) Reading() LevelReading {
	return LevelReading{
		Gain:  20 * float32(math.Log10(float64(l.factor))),
		Level: l.meter.Level(), Floor: l.meter.Floor(), Speech: l.speech,
	}
}

// Amplify brings f, another frame of the last one's time, to the level by the gain that the
// last one ended with, in place.
func (l *Leveller) Amplify(f *Frame) {
	for i, v := range f {
		f[i] = saturate(float32(v) * l.factor)
	}
}
