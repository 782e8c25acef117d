package bed

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// Convolve is x through the response h, as long as x: what comes after x ended
// is cut. Overlap-add with one FFT size.
func Convolve(x, h []float64) []float64 {
	n := 1 << bits.Len(uint(4*len(h)))
	block := n - len(h) + 1
	spectrum := make([]complex128, n)
	for i, v := range h {
		spectrum[i] = complex(v, 0)
	}
	fft(spectrum)
	y := make([]float64, len(x)+n)
	part := make([]complex128, n)
	for at := 0; at < len(x); at += block {
		clear(part)
		for i, v := range x[at:min(at+block, len(x))] {
			part[i] = complex(v, 0)
		}
		fft(part)
		for i, v := range spectrum { // conjugated, so that fft goes back
			part[i] = cmplx.Conj(part[i] * v)
		}
		fft(part)
		for i, v := range part {
			y[at+i] += real(v) / float64(n)
		}
	}
	return y[:len(x)]
}

// fft transforms a in place; its length is a power of two (Cooley and Tukey 1965).
func fft(a []complex128) {
	n := len(a)
	shift := 64 - bits.TrailingZeros(uint(n))
	for i := range a {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			a[i], a[j] = a[j], a[i]
		}
	}
	for size := 2; size <= n; size *= 2 {
		half := size / 2
		turn := make([]complex128, half)
		for k := range turn {
			turn[k] = cmplx.Rect(1, -2*math.Pi*float64(k)/float64(size))
		}
		for at := 0; at < n; at += size {
			for k, w := range turn {
				u, v := a[at+k], a[at+k+half]*w
				a[at+k], a[at+k+half] = u+v, u-v
			}
		}
	}
}
