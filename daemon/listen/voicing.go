package listen

import (
	"math"

	"hearthd/audio"
)

const (
	// halved is the number of samples of a frame at half the rate, at which a voice keeps
	// most of its harmonics and the work is a quarter.
	halved = audio.FrameSamples / 2
	// shortest and longest are the periods of voices, children's included, in samples
	// at half the rate: 400 and 80 Hz.
	shortest, longest = audio.Rate / 2 / 400, audio.Rate / 2 / 80
)

// voicing measures how periodic the last 60 ms are: the greatest peak of the normalised
// cross-correlation at the periods of a voice (Talkin, A robust algorithm for pitch tracking,
// 1995). The zero value has heard silence.
type voicing struct {
	tail    [6]float32          // samples before the next frame
	heard   [3 * halved]float32 // at half the rate
	centred [3 * halved]float32 // the same without DC
}

// push takes the next frame.
func (v *voicing) push(f *audio.Frame) {
	var x [len(v.tail) + audio.FrameSamples]float32
	copy(x[:], v.tail[:])
	for i, s := range f {
		x[len(v.tail)+i] = float32(s)
	}
	copy(v.tail[:], x[audio.FrameSamples:])
	copy(v.heard[:], v.heard[halved:])
	// A half-band filter of seven taps (Goodman and Carey, Nine digital filters for
	// decimation and interpolation, 1977, F3).
	fresh := v.heard[len(v.heard)-halved:]
	for i := range fresh {
		w := x[2*i : 2*i+7]
		fresh[i] = (16*w[3] + 9*(w[2]+w[4]) - (w[0] + w[6])) / 32
	}
}

// rate is 1 for a sound that repeats exactly, and near 0 for a noise.
func (v *voicing) rate() float32 {
	mean, all := float32(0), 0.0
	for _, s := range v.heard {
		mean += s / float32(len(v.heard))
	}
	x := v.centred[:]
	for i, s := range v.heard {
		x[i] = s - mean
		all += float64(x[i] * x[i])
	}
	early, late := all, all // powers of what is compared
	var before, at, best float64
	for lag := 1; lag <= longest+1; lag++ {
		early -= float64(x[len(x)-lag] * x[len(x)-lag])
		late -= float64(x[lag-1] * x[lag-1])
		if lag < shortest-1 {
			continue
		}
		after := float64(product(x[lag:], x)) / math.Sqrt(max(1, early)*max(1, late))
		if lag > shortest && at >= before && at >= after {
			best = max(best, peak(before, at, after))
		}
		before, at = at, after
	}
	return float32(min(1, best))
}

// product is the dot product of a and the beginning of b.
func product(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		p, q := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// peak is the height of the parabola through three values, of which the middle one is the
// greatest.
func peak(before, at, after float64) float64 {
	bend := 2*at - before - after
	if bend <= 0 {
		return at
	}
	return at + (after-before)*(after-before)/(8*bend)
}
