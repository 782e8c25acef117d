package fourier

import "math"

// pass is one stage of Stockham's self-sorting transform: m groups of radix
// butterflies, stride of which are alike.
type pass struct {
	radix, m, stride int
	twiddle          []complex64 // radix-1 for each group
}

// newPasses are the stages of a complex transform of length values, which must be
// made of twos and fives.
func newPasses(length int) []pass {
	var list []pass
	for stride := 1; length > 1; {
		radix := 5 // last, where it has no twiddles
		switch {
		case length%4 == 0:
			radix = 4
		case length%2 == 0:
			radix = 2
		}
		p := pass{radix: radix, m: length / radix, stride: stride}
		for j := range p.m {
			for r := 1; r < radix; r++ {
				p.twiddle = append(p.twiddle, rotation(j*r, length))
			}
		}
		list = append(list, p)
		length, stride = length/radix, stride*radix
	}
	return list
}

// rotation is exp(-2πi·k/n).
func rotation(k, n int) complex64 {
	s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
	return complex(float32(c), float32(s))
}

func times(a, b complex64) complex64 {
	return complex(real(a)*real(b)-imag(a)*imag(b), real(a)*imag(b)+imag(a)*real(b))
}

// run goes from x to y.
func (p *pass) run(x, y []complex64) {
	switch {
	case p.radix == 5 && p.m == 1:
		p.lastFive(x, y)
	case p.radix == 5:
		p.five(x, y)
	case p.radix == 4 && p.stride == 1:
		p.firstFour(x, y)
	case p.radix == 4:
		p.four(x, y)
	default:
		p.two(x, y)
	}
}

// two, four and five run a pass of that radix.
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

// firstFour is four with a stride of 1: no loop within the loop.
func (p *pass) firstFour(x, y []complex64) {
	m := p.m
	x0, x1, x2, x3 := x[:m], x[m:][:m], x[2*m:][:m], x[3*m:][:m]
	w, y := p.twiddle[:3*m], y[:4*m]
	for j, a := range x0 {
		b, c, d := x1[j], x2[j], x3[j]
		ac, amc := a+c, a-c
		bd, bmd := b+d, b-d
		w, y := (*[3]complex64)(w[3*j:]), (*[4]complex64)(y[4*j:])
		y[0] = ac + bd
		y[1] = times(complex(real(amc)+imag(bmd), imag(amc)-real(bmd)), w[0])
		y[2] = times(ac-bd, w[1])
		y[3] = times(complex(real(amc)-imag(bmd), imag(amc)+real(bmd)), w[2])
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
		x0, x1, x2, x3, x4 := x[s*j:][:s], x[s*(j+p.m):][:s], x[s*(j+2*p.m):][:s], x[s*(j+3*p.m):][:s],
			x[s*(j+4*p.m):][:s]
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

// lastFive is five with one group: its twiddles are 1.
func (p *pass) lastFive(x, y []complex64) {
	s := p.stride
	x0, x1, x2, x3, x4 := x[:s], x[s:][:s], x[2*s:][:s], x[3*s:][:s], x[4*s:][:s]
	y0, y1, y2, y3, y4 := y[:s], y[s:][:s], y[2*s:][:s], y[3*s:][:s], y[4*s:][:s]
	for q, a := range x0 {
		p1, m1 := x1[q]+x4[q], x1[q]-x4[q]
		p2, m2 := x2[q]+x3[q], x2[q]-x3[q]
		y0[q] = a + p1 + p2
		r1, i1 := real(a)+cos1*real(p1)+cos2*real(p2), imag(a)+cos1*imag(p1)+cos2*imag(p2)
		r2, i2 := real(a)+cos2*real(p1)+cos1*real(p2), imag(a)+cos2*imag(p1)+cos1*imag(p2)
		sr1, si1 := sin1*real(m1)+sin2*real(m2), sin1*imag(m1)+sin2*imag(m2)
		sr2, si2 := sin2*real(m1)-sin1*real(m2), sin2*imag(m1)-sin1*imag(m2)
		y1[q] = complex(r1+si1, i1-sr1)
		y2[q] = complex(r2+si2, i2-sr2)
		y3[q] = complex(r2-si2, i2+sr2)
		y4[q] = complex(r1-si1, i1+sr1)
	}
}
