// Package fourier is the discrete Fourier transform of real samples, for
// detectors that look at spectra. It runs no goroutine, keeps no buffer of its
// caller, and imports nothing of hearthd.
package fourier

import (
	"fmt"
	"math"
	"math/bits"
)

// Real transforms blocks of one fixed length. It holds tables only, so any
// number of goroutines may use one.
type Real struct {
	n   int
	rev []uint16    // bit reversal over n/2
	tw  []complex64 // exp(-2πi·k/n), k < n/2
}

// maxLength bounds a block, in samples: rev holds 16 bits.
const maxLength = 1 << 16

// NewReal returns the transform of blocks of n samples, a power of two from 4 to
// 65,536.
func NewReal(n int) (*Real, error) {
	if n < 4 || n > maxLength || n&(n-1) != 0 {
		return nil, fmt.Errorf("transform of %d samples: want a power of two from 4 to %d", n, maxLength)
	}
	r := &Real{n: n, rev: make([]uint16, n/2), tw: make([]complex64, n/2)}
	width := bits.Len(uint(n/2)) - 1
	for i := range r.rev {
		r.rev[i] = bits.Reverse16(uint16(i)) >> (16 - width)
		s, c := math.Sincos(-2 * math.Pi * float64(i) / float64(n))
		r.tw[i] = complex(float32(c), float32(s))
	}
	return r, nil
}

// Bins is the length of a spectrum: n/2+1.
func (r *Real) Bins() int { return r.n/2 + 1 }

// Transform writes the spectrum of x, from 0 Hz to half the sample rate, to dst,
// which has Bins values: dst[k] = Σ x[i]·exp(−2πi·ik/n). It takes the even
// samples as real and the odd ones as imaginary parts of a transform of half the
// length, radix 2 in place (Cooley and Tukey 1965), and takes that apart by
// symmetry. It allocates nothing.
//
// Complex products are written out because Go computes those of complex64 in
// float64.
func (r *Real) Transform(dst []complex64, x []float32) {
	half := r.n / 2
	x = x[:r.n]
	dst = dst[:half+1]
	for i, j := range r.rev {
		dst[i] = complex(x[2*j], x[2*j+1])
	}
	for size := 2; size <= half; size <<= 1 {
		r.stage(dst[:half], size)
	}
	r.split(dst)
}

// stage joins transforms of size/2 values to transforms of size.
func (r *Real) stage(z []complex64, size int) {
	h, step := size/2, r.n/size
	for k := 0; k < len(z); k += size {
		a, b := z[k:k+h], z[k+h:k+size]
		b = b[:len(a)]
		t := 0
		for i, u := range a {
			w, v := r.tw[t], b[i]
			t += step
			re := real(v)*real(w) - imag(v)*imag(w)
			im := real(v)*imag(w) + imag(v)*real(w)
			a[i] = complex(real(u)+re, imag(u)+im)
			b[i] = complex(real(u)-re, imag(u)-im)
		}
	}
}

// split makes the spectrum of the real samples from that of the pairs.
func (r *Real) split(z []complex64) {
	half := r.n / 2
	re, im := real(z[0]), imag(z[0])
	z[0], z[half] = complex(re+im, 0), complex(re-im, 0)
	for k := 1; k <= half/2; k++ {
		a, b, w := z[k], z[half-k], r.tw[k]
		// even and odd are the spectra of the even and the odd samples.
		er, ei := (real(a)+real(b))/2, (imag(a)-imag(b))/2
		or, oi := (imag(a)+imag(b))/2, (real(b)-real(a))/2
		tr, ti := or*real(w)-oi*imag(w), or*imag(w)+oi*real(w)
		z[k] = complex(er+tr, ei+ti)
		z[half-k] = complex(er-tr, ti-ei)
	}
}
