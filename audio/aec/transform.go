package aec

import "math"

// transform is the discrete Fourier transform of n real samples, forth and back,
// for n = 2·2^a·5^b: frames of 320 samples are no power of two. It takes the even
// samples as real and the odd ones as imaginary parts of a complex transform of
// half the length, which is Stockham's self-sorting one with radices 5, 4 and 2.
// It has scratch memory, so it belongs to one goroutine.
//
// Complex products are written out because Go computes those of complex64 in
// float64.
type transform struct {
	n      int
	passes []pass
	split  []complex64 // exp(-2πi·k/n), k ≤ n/4
	a, b   []complex64 // n/2 values each
}

// pass is one stage: m groups of radix butterflies, stride of which are alike.
type pass struct {
	radix, m, stride int
	twiddle          []complex64 // radix-1 for each group
}

func newTransform(n int) *transform {
	half := n / 2
	t := &transform{n: n, a: make([]complex64, half), b: make([]complex64, half)}
	for k := range n/4 + 1 {
		t.split = append(t.split, rotation(k, n))
	}
	for length, stride := half, 1; length > 1; {
		radix := 2
		switch {
		case length%5 == 0:
			radix = 5
		case length%4 == 0:
			radix = 4
		}
		p := pass{radix: radix, m: length / radix, stride: stride}
		for j := range p.m {
			for r := 1; r < radix; r++ {
				p.twiddle = append(p.twiddle, rotation(j*r, length))
			}
		}
		t.passes = append(t.passes, p)
		length, stride = length/radix, stride*radix
	}
	return t
}

// rotation is exp(-2πi·k/n).
func rotation(k, n int) complex64 {
	s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
	return complex(float32(c), float32(s))
}

// forward writes the n/2+1 bins of x from 0 Hz to half the sample rate.
func (t *transform) forward(dst []complex64, x []float32) {
	z := t.a
	x = x[:2*len(z)]
	for i := range z {
		z[i] = complex(x[2*i], x[2*i+1])
	}
	z = t.run()
	half := len(z)
	dst = dst[:half+1]
	re, im := real(z[0]), imag(z[0])
	dst[0], dst[half] = complex(re+im, 0), complex(re-im, 0)
	for k := 1; k <= half/2; k++ {
		even, odd := unmix(z[k], z[half-k])
		odd = times(odd, t.split[k])
		dst[k] = even + odd
		dst[half-k] = complex(real(even)-real(odd), imag(odd)-imag(even))
	}
}

// inverse writes the n samples whose transform is src. It is the forward one of
// real and imaginary parts exchanged.
func (t *transform) inverse(x []float32, src []complex64) {
	z := t.a
	half := len(z)
	scale := 1 / float32(t.n)
	src = src[:half+1]
	z[0] = complex((real(src[0])-real(src[half]))*scale, (real(src[0])+real(src[half]))*scale)
	for k := 1; k <= half/2; k++ {
		a, b, w := src[k], src[half-k], t.split[k]
		er, ei := (real(a)+real(b))*scale, (imag(a)-imag(b))*scale
		dr, di := (real(a)-real(b))*scale, (imag(a)+imag(b))*scale
		// The odd part is d·conj(w); the sum even + i·odd goes in exchanged.
		or, oi := dr*real(w)+di*imag(w), di*real(w)-dr*imag(w)
		z[k] = complex(ei+or, er-oi)
		z[half-k] = complex(or-ei, er+oi)
	}
	z = t.run()
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

func times(a, b complex64) complex64 {
	return complex(real(a)*real(b)-imag(a)*imag(b), real(a)*imag(b)+imag(a)*real(b))
}

// run transforms what is in a and returns where the result is.
func (t *transform) run() []complex64 {
	x, y := t.a, t.b
	for i := range t.passes {
		p := &t.passes[i]
		switch p.radix {
		case 5:
			p.five(x, y)
		case 4:
			p.four(x, y)
		default:
			p.two(x, y)
		}
		x, y = y, x
	}
	return x
}

func (p *pass) two(x, y []complex64) {
	s := p.stride
	for j := range p.m {
		w := p.twiddle[j]
		a, b := x[s*j:][:s], x[s*(j+p.m):][:s]
		u, v := y[s*2*j:][:s], y[s*(2*j+1):][:s]
		for q, a := range a {
			b := b[q]
			u[q] = a + b
			v[q] = times(a-b, w)
		}
	}
}

func (p *pass) four(x, y []complex64) {
	s := p.stride
	for j := range p.m {
		w1, w2, w3 := p.twiddle[3*j], p.twiddle[3*j+1], p.twiddle[3*j+2]
		x0, x1, x2, x3 := x[s*j:][:s], x[s*(j+p.m):][:s], x[s*(j+2*p.m):][:s], x[s*(j+3*p.m):][:s]
		y0, y1, y2, y3 := y[s*4*j:][:s], y[s*(4*j+1):][:s], y[s*(4*j+2):][:s], y[s*(4*j+3):][:s]
		for q, a := range x0 {
			b, c, d := x1[q], x2[q], x3[q]
			ac, amc := a+c, a-c
			bd, bmd := b+d, b-d
			y0[q] = ac + bd
			y2[q] = times(ac-bd, w2)
			y1[q] = times(complex(real(amc)+imag(bmd), imag(amc)-real(bmd)), w1)
			y3[q] = times(complex(real(amc)-imag(bmd), imag(amc)+real(bmd)), w3)
		}
	}
}

// The cosines and sines of a fifth and two fifths of a turn.
const (
	cos1 = 0.30901699437494742
	cos2 = -0.80901699437494742
	sin1 = 0.95105651629515357
	sin2 = 0.58778525229247313
)

func (p *pass) five(x, y []complex64) {
	s := p.stride
	for j := range p.m {
		w := p.twiddle[4*j:][:4]
		w1, w2, w3, w4 := w[0], w[1], w[2], w[3]
		x0, x1, x2, x3, x4 := x[s*j:][:s], x[s*(j+p.m):][:s], x[s*(j+2*p.m):][:s], x[s*(j+3*p.m):][:s], x[s*(j+4*p.m):][:s]
		y = y[:5*s*p.m]
		o := 5 * s * j
		for q, a := range x0 {
			p1, m1 := x1[q]+x4[q], x1[q]-x4[q]
			p2, m2 := x2[q]+x3[q], x2[q]-x3[q]
			y[o+q] = a + p1 + p2
			r1, i1 := real(a)+cos1*real(p1)+cos2*real(p2), imag(a)+cos1*imag(p1)+cos2*imag(p2)
			r2, i2 := real(a)+cos2*real(p1)+cos1*real(p2), imag(a)+cos2*imag(p1)+cos1*imag(p2)
			sr1, si1 := sin1*real(m1)+sin2*real(m2), sin1*imag(m1)+sin2*imag(m2)
			sr2, si2 := sin2*real(m1)-sin1*real(m2), sin2*imag(m1)-sin1*imag(m2)
			y[o+s+q] = times(complex(r1+si1, i1-sr1), w1)
			y[o+2*s+q] = times(complex(r2+si2, i2-sr2), w2)
			y[o+3*s+q] = times(complex(r2-si2, i2+sr2), w3)
			y[o+4*s+q] = times(complex(r1-si1, i1+sr1), w4)
		}
	}
}
