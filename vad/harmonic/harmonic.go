package harmonic

import (
	"math"

	"hearthd/audio"
)

// The detector's frame, and the window that it correlates.
const (
	hop     = audio.Rate / 100 // 10 ms
	lowHop  = hop / factor
	winHops = 4
	window  = winHops * lowHop // 40 ms, three periods of the lowest voice
	warmUp  = 2 * winHops      // hops until window and filters hold the stream only
)

// Where evidence begins and where it is complete. The quantiles were measured
// with bed_test.go: voiced hops of four synthetic voices (flite slt, rms, awb and
// espeak-ng) in white and pink noise at 10 and 40 dB, against 30 s of each noise.
const (
	// Normalised autocorrelation: 95 % of the hops of white and pink noise, and
	// of running water, stay below 0.41; half of the voiced ones reach 0.85.
	voiceNone, voiceFull = 0.45, 0.65
	// Level over the floor in dB: noise stays below 4.5 in 95 % of hops.
	overNone, overFull = 4, 9
	// Low band against what the high band has above its floor, in dB: 5 % of
	// voiced hops in noise lie below −2.3, half of those of dish clatter below −6.
	shareNone, shareFull = -4, 1
	// By how much the voice's correlation exceeds that at shorter lags: 5 % of
	// voiced hops lie below 0.17, three quarters of dish clatter below 0.08.
	tonalNone, tonalFull = 0.15, 0.25
	// Energy of the weakest hop in the window against the strongest, −17 dB. A
	// burst of 30 ms leaves a hop empty in all windows but one; a voice fills
	// them from its third hop on, even at one pulse in 12.5 ms.
	fillLeast = 0.02
)

// What makes harmonic sound a machine's or an object's.
const (
	// A level within 1.5 dB and a pitch within 2 % for 120 ms is a hum or a
	// beep. At most 6 % of the hops of a synthetic voice, which is flatter than
	// a person's, have such a level, and next to none both. The verdict stays
	// for another 40 ms, until the window has let go of the sound, or the end
	// of every beep would look like a voice.
	steadyHops  = 12
	steadyLevel = 1.5
	steadyPitch = 1.02
	steadyHold  = winHops
	// A pitch within 1 % over 50 ms while the level falls by 1 dB is a thing
	// that was struck and rings, unless it has been a voice for 100 ms: a thing
	// rings from the start, a voice at the end of a sentence. Without this,
	// dishes open ten times as many utterances.
	ringHops  = 5
	ringPitch = 1.01
	ringFall  = 1
	ringLimit = 10
)

// Unvoiced sounds follow and join voiced ones.
const (
	// The probability of speech that is no longer voiced: it keeps a gate of
	// the usual hysteresis 0.5/0.35 open, but does not open one.
	tailProbability = 0.45
	// A word goes on for 150 ms after a voiced stretch, and for 250 ms while the
	// high band is 10 dB over its floor: fricatives last 100 to 200 ms. A burst
	// of 30 ms makes no such stretch.
	tailAfter          = 3
	tailHops, hissHops = 15, 25
	hissOver           = 10

	// The probability follows the evidence within two hops upwards and four
	// down, so that a single hop opens or closes nothing.
	attack, release = 0.4, 0.25
)

// Detector rates frames of 10 ms. It implements vad.Detector.
type Detector struct {
	dec    decimator
	low    [window]float32  // low band, at lowRate
	energy [winHops]float32 // of the whole band, per hop
	corr   [maxLag + 1]float32

	lowFloor, highFloor floor
	levels              [steadyHops]float32 // of the low band in dBFS, newest last
	lags                [steadyHops]float32 // of the voice, newest last

	hops     int // since Reset, as far as warmUp
	voiced   int // hops in a row
	unvoiced int // hops since the last voiced stretch
	machine  int // hops for which the sound still counts as a machine's
	p        float32
}

// New returns a detector at the start of a stream.
func New() *Detector {
	d := &Detector{}
	d.Reset()
	return d
}

// FrameSamples is 160: 10 ms.
func (d *Detector) FrameSamples() int { return hop }

// Reset forgets the stream and the noise floor.
func (d *Detector) Reset() {
	*d = Detector{dec: newDecimator(), unvoiced: hissHops}
}

// Probability rates the next 160 samples. It judges a window of 40 ms, so that
// it is some 20 ms late. The value orders frames; it is no calibrated
// probability.
func (d *Detector) Probability(samples []int16) float32 {
	copy(d.low[:], d.low[lowHop:])
	shift(d.energy[:], d.dec.run(samples, d.low[window-lowHop:]))
	low, voice, tone, lag := correlate(&d.low, &d.corr)
	var all float32
	for _, e := range d.energy {
		all += e / winHops
	}
	high := max(0, all-low)
	level := decibel(low)
	shift(d.levels[:], level)
	shift(d.lags[:], lag)
	if d.hops < warmUp {
		d.hops++
		return 0
	}
	lowFloor := d.lowFloor.push(level)
	highFloor := d.highFloor.push(decibel(high))
	// The floor is a minimum, about 3 dB below the mean of the noise.
	highOver := max(0, high-2*power10(highFloor))

	v := ramp(voice, voiceNone, voiceFull) *
		ramp(level-lowFloor, overNone, overFull) *
		ramp(level-decibel(highOver), shareNone, shareFull) *
		ramp(voice-tone, tonalNone, tonalFull)
	if !filled(&d.low) {
		v = 0
	}
	v = d.tail(v, decibel(high)-highFloor > hissOver)
	if v > d.p {
		d.p += attack * (v - d.p)
	} else {
		d.p += release * (v - d.p)
	}
	return d.p
}

// tail takes the evidence of one hop, denies it to machines and objects, and
// adds the speech that surrounds voiced hops.
func (d *Detector) tail(v float32, hiss bool) float32 {
	if d.steady() {
		d.machine = steadyHold
	} else if d.machine > 0 {
		d.machine--
	}
	switch {
	case d.machine > 0 || d.rings():
		d.voiced, d.unvoiced = 0, hissHops
		return 0
	case v > 0.5:
		if d.voiced++; d.voiced >= tailAfter {
			d.unvoiced = 0
		}
		return v
	}
	d.voiced = 0
	d.unvoiced = min(d.unvoiced+1, hissHops)
	if d.unvoiced <= tailHops || d.unvoiced < hissHops && hiss {
		return max(v, min(tailProbability, d.p))
	}
	return v
}

// filled reports whether sound goes on through the whole window.
func filled(x *[window]float32) bool {
	var least, most float32
	for i := 0; i < window; i += lowHop {
		h := x[i : i+lowHop]
		e := product(h, h)
		if i == 0 {
			least, most = e, e
		}
		least, most = min(least, e), max(most, e)
	}
	return least > fillLeast*most
}

// steady reports whether level and pitch stand still like a machine's.
func (d *Detector) steady() bool {
	lo, hi := bounds(d.levels[:])
	return hi-lo < steadyLevel && d.holdsPitch(steadyHops, steadyPitch)
}

// rings reports whether pitch and level are those of a thing that was struck.
func (d *Detector) rings() bool {
	return d.voiced < ringLimit && d.holdsPitch(ringHops, ringPitch) &&
		d.levels[steadyHops-1] < d.levels[steadyHops-ringHops]-ringFall
}

// holdsPitch reports whether the last n hops have a pitch, the same within ratio.
func (d *Detector) holdsPitch(n int, ratio float32) bool {
	lo, hi := bounds(d.lags[steadyHops-n:])
	return hi < ratio*lo
}

// bounds is the least and the greatest value of x.
func bounds(x []float32) (lo, hi float32) {
	lo, hi = x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// shift drops the oldest value of x for a new one.
func shift(x []float32, v float32) {
	copy(x, x[1:])
	x[len(x)-1] = v
}

// ramp is 0 up to from, 1 beyond to, and straight between.
func ramp(x, from, to float32) float32 { return max(0, min(1, (x-from)/(to-from))) }

// decibel is the level in dBFS of a mean square, −96 for digital silence.
func decibel(e float32) float32 { return max(-96, float32(10*math.Log10(float64(e)+1e-12))) }

// power10 is the mean square of a level in dBFS.
func power10(db float32) float32 { return float32(math.Pow(10, float64(db)/10)) }
