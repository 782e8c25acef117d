// Package fourier is the discrete Fourier transform of real samples and its inverse, for whatever
// looks at spectra. It runs no goroutine, keeps no buffer of its caller, and imports nothing of
// hearthd.
package fourier

import "fmt"

// Real transforms blocks of one fixed length. It takes the even samples as real
// and the odd ones as imaginary parts of a complex transform of half the length,
// which is Stockham's self-sorting one with radices 5, 4 and 2 (Cochran and others,
// What is the fast Fourier transform?, 1967), and takes that apart by symmetry.
// It has scratch memory, so it belongs to one goroutine.
//
// Complex products are written out because Go computes those of complex64 in
// float64.
type Real struct {
	n      int
	passes []pass
	split  []complex64 // exp(-2πi·k/n), k ≤ n/4
	a, b   []complex64 // n/2 values each
}

// maxLength bounds a block, in samples, and with it the tables to 2 MiB.
const maxLength = 1 << 16

// NewReal returns the transform of blocks of n samples: 4 to 65,536, even, and made
// of twos and fives, since a frame of 320 samples is no power of two.
func NewReal(n int) (*Real, error) {
	half := n / 2
	if n < 4 || n > maxLength || n%2 != 0 || !smooth(half) {
		return nil, fmt.Errorf("transform of %d samples: want an even product of twos and fives from 4 to %d",
			n, maxLength)
	}
	r := &Real{n: n, passes: newPasses(half), a: make([]complex64, half), b: make([]complex64, half)}
	for k := range n/4 + 1 {
		r.split = append(r.split, rotation(k, n))
	}
	return r, nil
}

func smooth(n int) bool {
	for _, f := range []int{2, 5} {
		for n%f == 0 {
			n /= f
		}
	}
	return n == 1
}

// Transform writes the spectrum of the first n samples of x, from 0 Hz to half the
// sample rate, to dst, which has n/2+1 values: dst[k] = Σ x[i]·exp(−2πi·ik/n). It
// allocates nothing.
func (r *Real) Transform(dst []complex64, x []float32) {
	z := r.a
	x = x[:2*len(z)]
	for i := range z {
		z[i] = complex(x[2*i], x[2*i+1])
	}
	z = r.run()
	half := len(z)
	dst = dst[:half+1]
	re, im := real(z[0]), imag(z[0])
	dst[0], dst[half] = complex(re+im, 0), complex(re-im, 0)
	for k := 1; k <= half/2; k++ {
		even, odd := unmix(z[k], z[half-k])
		odd = times(odd, r.split[k])
		dst[k] = even + odd
		dst[half-k] = complex(real(even)-real(odd), imag(odd)-imag(even))
	}
}

// Inverse writes the n samples whose spectrum is src to x. It is the complex
// transform of real and imaginary parts exchanged. It allocates nothing.
func (r *Real) Inverse(x []float32, src []complex64) {
	z := r.a
	half := len(z)
	scale := 1 / float32(r.n)
	src = src[:half+1]
	z[0] = complex((real(src[0])-real(src[half]))*scale, (real(src[0])+real(src[half]))*scale)
	for k := 1; k <= half/2; k++ {
		a, b, w := src[k], src[half-k], r.split[k]
		er, ei := (real(a)+real(b))*scale, (imag(a)-imag(b))*scale
		dr, di := (real(a)-real(b))*scale, (imag(a)+imag(b))*scale
		// The odd part is d·conj(w); the sum even + i·odd goes in exchanged.
		or, oi := dr*real(w)+di*imag(w), di*real(w)-dr*imag(w)
		z[k] = complex(ei+or, er-oi)
		z[half-k] = complex(or-ei, er+oi)
	}
	z = r.run()
	x = x[:2*len(z)]
	for i, v := range z {
		x[2*i], x[2*i+1] = imag(v), real(v)
	}
}

// unmix takes the transforms of the even and the odd samples out of that of
// their pairs.
func unmix(a, b complex64) (even, odd complex64) {
	return complex((real(a)+real(b))/2, (imag(a)-imag(b))/2),
		complex((imag(a)+imag(b))/2, (real(b)-real(a))/2)
}

// run transforms what is in a and returns where the result is.
func (r *Real) run() []complex64 {
	x, y := r.a, r.b
	for i := range r.passes {
		r.passes[i].run(x, y)
		x, y = y, x
	}
	return x
}
