package neural

import "math"

// log is the natural logarithm of x > 0 within 1e-6: exponent and mantissa, the
// latter by the series of the inverse hyperbolic tangent.
func log(x float32) float32 {
	const root = 0x3f3504f3 // bits of √½, where the mantissa begins
	bits := math.Float32bits(x) - root
	e := int32(bits) >> 23
	m := math.Float32frombits(bits&(1<<23-1) + root)
	s := (m - 1) / (m + 1)
	q := s * s
	return float32(e)*math.Ln2 + 2*s*(1+q*(1.0/3+q*(1.0/5+q*(1.0/7))))
}

// tanh is within 2e-5: Lambert's continued fraction down to its ninth part, which
// leaves the curve beyond 6.
func tanh(x float32) float32 {
	x = max(-6, min(6, x))
	q := x * x
	p := x * (34459425 + q*(4729725+q*(135135+q*(990+q))))
	return p / (34459425 + q*(16216200+q*(945945+q*(13860+q*45))))
}

func sigmoid(x float32) float32 { return 0.5 + 0.5*tanh(0.5*x) }
