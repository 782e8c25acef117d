package tflite

import (
	"fmt"
	"math"
)

// multiplier is a positive real number as TensorFlow Lite scales integers with:
// mant · 2^(left-right-31), mant a 31-bit fraction in [1/2, 1).
type multiplier struct {
	mant        int32
	left, right uint8 // bits, at most 31; one of them is 0
	tie         uint8 // 1 if right is not 0
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
	return shifted(int32(q), exp), nil
}

// shifted is mant · 2^(exp-31).
func shifted(mant int32, exp int) multiplier {
	return multiplier{mant: mant, left: uint8(max(exp, 0)), right: uint8(max(-exp, 0)),
		tie: uint8(min(max(-exp, 0), 1))}
}

// apply returns x times m, rounded twice as gemmlowp does: to the nearest, ties
// up, in the doubling high half of the product, then to the nearest, ties away
// from zero, in the shift to the right (MultiplyByQuantizedMultiplier).
func (m *multiplier) apply(x int32) int32 {
	high := (int64(x<<(m.left&31))*int64(m.mant) + 1<<30) >> 31
	half := int64(1) << (m.right & 31) >> 1
	return int32((high + half - high>>63&int64(m.tie)) >> (m.right & 31))
}

func clamp8(x, low int32) int8 { return int8(min(max(x, low), 127)) }
