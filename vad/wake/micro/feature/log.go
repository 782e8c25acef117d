package feature

import (
	"math"
	"math/bits"
)

const (
	logBits     = 16
	segmentBits = 7     // 128 segments of the curve per octave
	ln2         = 45426 // in 16 bits
	scaleShift  = 6     // 64 per e-fold
)

// curve is log2(1+x)-x in 16 bits at the ends of the segments.
type curve [1<<segmentBits + 1]uint16

func newCurve() (c curve) {
	for i := range c {
		x := float64(i) / (1 << segmentBits)
		c[i] = uint16(math.Round((math.Log2(1+x) - x) * (1 << logBits)))
	}
	return c
}

// logarithm returns 64·ln of a corrected amplitude, rounded in the steps of
// log_scale.c: log2 by straight lines between the points of the curve, then ln.
func (c *curve) logarithm(v uint32) uint16 {
	v <<= correction
	if v <= 1 {
		return 0
	}
	n := bits.Len32(v) - 1
	frac := int32(v - 1<<n)
	if n < logBits {
		frac <<= logBits - n
	} else {
		frac >>= n - logBits
	}
	seg := frac >> (logBits - segmentBits)
	c0, c1 := int32(c[seg]), int32(c[seg+1])
	frac += c0 + (c1-c0)*(frac-seg<<(logBits-segmentBits))>>logBits
	log2 := uint32(n)<<logBits + uint32(frac)
	ln := uint32((ln2*uint64(log2) + 1<<(logBits-1)) >> logBits)
	return uint16(min((ln<<scaleShift+1<<(logBits-1))>>logBits, math.MaxUint16))
}
