package tflite

import (
	"fmt"
	"math"
)

// multiplier is a positive real number as TensorFlow Lite scales integers with:
// mant · 2^(shift-31), mant a 31-bit fraction in [1/2, 1).
type multiplier struct {
	mant  int32
	shift int32
}

// newMultiplier rounds m, which is not negative, to a multiplier
// (QuantizeMultiplier in TensorFlow Lite's quantization_util.cc).
func newMultiplier(m float64) (multiplier, error) {
	frac, exp := math.Frexp(m)
	q := int64(math.Round(frac * (1 << 31)))
	if q == 1<<31 {
		q /= 2
		exp++
	}
	switch {
	case exp > 30 || math.IsNaN(m):
		return multiplier{}, fmt.Errorf("scales have a ratio of %v: want less than 2^30", m)
	case exp < -31 || q <= 0:
		return multiplier{}, nil
	}
	return multiplier{mant: int32(q), shift: int32(exp)}, nil
}

// apply returns x times m, rounded twice as gemmlowp does: to the nearest in the
// doubling high half of the product, then to the nearest, ties away from zero,
// in the shift to the right (MultiplyByQuantizedMultiplier).
func (m multiplier) apply(x int32) int32 {
	left, right := max(m.shift, 0), max(-m.shift, 0)
	// Half up and an arithmetic shift is what gemmlowp's nudge and division that
	// truncates come to, for both signs.
	high := int32((int64(x<<left)*int64(m.mant) + 1<<30) >> 31)
	mask := int32(1)<<right - 1
	threshold := mask>>1 + int32(uint32(high)>>31)
	out := high >> right
	if high&mask > threshold {
		out++
	}
	return out
}

func clamp8(x, low int32) int8 { return int8(min(max(x, low), 127)) }
