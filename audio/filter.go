package audio

import "math"

// The low-pass of a Resampler: a windowed sinc with Kaiser's window (Kaiser,
// Nonrecursive digital filter design using the I0-sinh window function, 1974).
//
// The stop band begins at half the lower rate, so that nothing folds back, not
// even onto the transition band. An attenuation of A dB takes a transition of
// (A-7.95)/(14.36*N) of the rate with N coefficients; the pass band may be 0.5 dB
// down at 0.43, which is about three quarters of the way and saves a quarter of
// the coefficients.
const (
	stopDB      = 88.0 // leaves room above 80 dB for rounding to float32 and S16
	tapsPerRate = 62   // coefficients per phase and sample of the lower rate
)

// tapsPerPhase is the number of input samples that one output is made of, a
// multiple of what dot, and fold where the ratio is whole, take at a time.
func tapsPerPhase(from, to int) int {
	n := (tapsPerRate*from + min(from, to) - 1) / min(from, to)
	if from%to == 0 {
		return (n + 15) &^ 15
	}
	return (n + 7) &^ 7
}

// polyphase designs the low-pass for up phases of taps coefficients. lower is
// the lower rate as a fraction of the input rate.
func polyphase(up, taps int, lower float64) []float32 {
	n := up * taps
	beta := 0.1102 * (stopDB - 8.7)
	width := (stopDB - 7.95) / (14.36 * float64(taps)) // of the input rate
	cutoff := lower/2 - width/2
	h, sum := make([]float64, n), 0.0
	centre := float64(n-1) / 2
	for i := range h {
		t := float64(i) - centre
		x := t / centre
		h[i] = sinc(2*cutoff*t/float64(up)) * bessel0(beta*math.Sqrt(1-x*x))
		sum += h[i]
	}
	// Output k at phase p takes h[p], h[p+up], ... of the newest sample, the one
	// before it, and so on: stored backwards, in the order of the samples.
	table := make([]float32, n)
	for p := range up {
		for t := range taps {
			table[p*taps+taps-1-t] = float32(h[p+t*up] * float64(up) / sum)
		}
	}
	return table
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// bessel0 is the modified Bessel function of the first kind and order zero, by
// its power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-16; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}
