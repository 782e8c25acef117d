package harmonic

const (
	minLag = lowRate / 400 // the highest voice, in samples at lowRate
	maxLag = lowRate / 80  // the lowest
)

// correlate returns the mean square of x, the greatest normalised
// autocorrelation at the lags of a voice with its lag, and the greatest one at
// shorter lags. A voice has the second well below the first; a ringing plate or
// a whistle has both, because one decaying sine resembles itself one period
// later, and every period has. r is scratch.
//
// The sum over the overlap is compensated for its length (Boersma 1993) but
// divided by the energy of the whole window, so that a click or a burst, which
// hardly overlaps with itself, scores low however short it is.
func correlate(x *[window]float32, r *[maxLag + 1]float32) (meanSquare, voice, tone, lag float32) {
	var energy float32
	for _, v := range x {
		energy += v * v
	}
	if energy < silence {
		return energy / window, 0, 0, 0
	}
	for l := 1; l <= maxLag; l++ {
		r[l] = product(x[l:], x[:window-l]) * window / (float32(window-l) * energy)
	}
	for l := 2; l < maxLag; l++ {
		top, off := peak(r[l-1], r[l], r[l+1])
		if l < minLag {
			tone = max(tone, top)
			continue
		}
		if top*octaveCost > voice {
			lag = float32(l) + off
		}
		voice = max(voice, top)
	}
	return energy / window, min(voice, 1), min(tone, 1), lag
}

// octaveCost keeps the pitch from falling by an octave: a periodic sound
// resembles itself as well after two periods as after one.
const octaveCost = 0.9

// silence is the energy of a window at −112 dBFS, where there is nothing to
// correlate.
const silence = 1e-9

// product is the scalar product of two slices of the same length.
func product(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1 float32
	i := 0
	for ; i+1 < len(a); i += 2 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
	}
	if i < len(a) {
		s0 += a[i] * b[i]
	}
	return s0 + s1
}

// peak is the top of the parabola through three neighbours and how far from the
// middle one it lies; 0 when the middle one is no maximum.
func peak(l, m, r float32) (top, off float32) {
	if m < l || m < r || m <= 0 {
		return 0, 0
	}
	c := l - 2*m + r
	if c == 0 {
		return m, 0
	}
	off = (l - r) / (2 * c)
	return m - (l-r)*off/4, off
}
