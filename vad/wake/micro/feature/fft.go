package feature

import "math"

const (
	fftSize = 512
	half    = fftSize / 2 // points of the complex transform
	unit    = 32767       // what stands for 1 in 15 bits
)

// complex16 is a complex number in 15-bit fixed point.
type complex16 struct{ re, im int16 }

// fft is the real transform of 512 points of kissfft in 16-bit fixed point: even
// samples are real and odd ones imaginary parts of a complex transform of 256
// points, four passes of radix 4, decimated in time. Each pass divides by 4, the
// last step by 2 twice, so that nothing overflows; each product is rounded to 15
// bits. All of it in kissfft's order, since rounding depends on it.
type fft struct {
	twiddle [half]complex16     // exp(-2πi·k/256)
	super   [half / 2]complex16 // -i·exp(-πi·(k+1)/256)
	rev     [half]uint8         // base-4 digits of the index, reversed
	work    [half]complex16
	out     [half + 1]complex16
}

func newFFT() *fft {
	f := &fft{}
	for i := range f.twiddle {
		f.twiddle[i] = rotation(-2 * math.Pi * float64(i) / half)
		f.rev[i] = uint8(i>>6 | i>>2&0x0c | i<<2&0x30 | i<<6)
	}
	for i := range f.super {
		f.super[i] = rotation(-math.Pi * (float64(i+1)/half + 0.5))
	}
	return f
}

func rotation(phase float64) complex16 {
	sin, cos := math.Sincos(phase)
	return complex16{int16(math.Floor(0.5 + float64(unit*cos))), int16(math.Floor(0.5 + float64(unit*sin)))}
}

// round brings a product of two 15-bit fractions back to 15 bits.
func round(x int32) int16 { return int16((x + 1<<14) >> 15) }

// over returns c divided by d: it is multiplied by the 15-bit fraction 1/d.
func (c complex16) over(d int32) complex16 {
	return complex16{round(int32(c.re) * (unit / d)), round(int32(c.im) * (unit / d))}
}

func (c complex16) times(w complex16) complex16 {
	return complex16{
		round(int32(c.re)*int32(w.re) - int32(c.im)*int32(w.im)),
		round(int32(c.re)*int32(w.im) + int32(c.im)*int32(w.re)),
	}
}

func (c complex16) plus(d complex16) complex16  { return complex16{c.re + d.re, c.im + d.im} }
func (c complex16) minus(d complex16) complex16 { return complex16{c.re - d.re, c.im - d.im} }

// transform returns bins 0 to 256 of the block. They are valid until the next
// call.
func (f *fft) transform(x *[fftSize]int16) *[half + 1]complex16 {
	for i, r := range f.rev {
		f.work[i] = complex16{x[2*int(r)], x[2*int(r)+1]}
	}
	for m := 1; m < half; m *= 4 {
		f.pass(m)
	}
	f.split()
	return &f.out
}

// pass joins groups of four transforms of m points.
func (f *fft) pass(m int) {
	stride := half / (4 * m)
	for g := 0; g < half; g += 4 * m {
		p, q, r, s := f.work[g:g+m], f.work[g+m:g+2*m], f.work[g+2*m:g+3*m], f.work[g+3*m:g+4*m]
		for k := range p {
			a := p[k].over(4)
			b := q[k].over(4).times(f.twiddle[k*stride])
			c := r[k].over(4).times(f.twiddle[2*k*stride])
			d := s[k].over(4).times(f.twiddle[3*k*stride])
			even, odd := a.minus(c), b.minus(d)
			a, b = a.plus(c), b.plus(d)
			p[k], r[k] = a.plus(b), a.minus(b)
			q[k] = complex16{even.re + odd.im, even.im - odd.re}
			s[k] = complex16{even.re - odd.im, even.im + odd.re}
		}
	}
}

// split takes the spectrum of the samples out of that of the pairs.
func (f *fft) split() {
	z := f.work[0].over(2)
	f.out[0], f.out[half] = complex16{re: z.re + z.im}, complex16{re: z.re - z.im}
	for k := 1; k <= half/2; k++ {
		a, b := f.work[k].over(2), complex16{f.work[half-k].re, -f.work[half-k].im}.over(2)
		sum, t := a.plus(b), a.minus(b).times(f.super[k-1])
		sr, si, tr, ti := int32(sum.re), int32(sum.im), int32(t.re), int32(t.im)
		f.out[k] = complex16{int16((sr + tr) >> 1), int16((si + ti) >> 1)}
		f.out[half-k] = complex16{int16((sr - tr) >> 1), int16((ti - si) >> 1)}
	}
}
