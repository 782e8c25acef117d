package feature

import (
	"math"
	"math/bits"
)

const (
	strength = 0.95
	offset   = 80
	gainBits = 21
	snrBits  = 12
	outBits  = 6

	// correction is log2 of the transform's length less half of the bits of a
	// weight: how far amplitudes are below their true size.
	correction = 9 - bankBits/2
	inputBits  = noiseBits - correction
	snrShift   = gainBits - correction - snrBits
)

// gainTable is the gain (noise+80)^-0.95 by noise. Noise of n bits, n from 2 on,
// has the parabola table[n] over the octave; 0 and 1 have values of their own.
type gainTable struct {
	low    [3]int32 // noise 0, 1 and 2
	octave [33]parabola
}

type parabola struct{ y, a1, a2 int16 }

func newGainTable() (g gainTable) {
	g.low[0], g.low[1] = int32(gainAt(0)), int32(gainAt(1))
	for n := 2; n <= 32; n++ {
		x0 := uint32(1) << (n - 1)
		x2 := 2 * x0
		if n == 32 {
			x2 = math.MaxUint32
		}
		y0 := gainAt(x0)
		d1, d2 := int32(gainAt(x0+x0/2))-int32(y0), int32(gainAt(x2))-int32(y0)
		a1 := 4*d1 - d2
		g.octave[n] = parabola{y: y0, a1: int16(a1), a2: int16(d2 - a1)}
	}
	g.low[2] = int32(g.octave[2].y)
	return g
}

// gainAt is computed in single precision, as pcan_gain_control_util.c does.
func gainAt(noise uint32) int16 {
	x := float32(noise) / (1 << inputBits)
	g := (1 << gainBits) * float32(math.Pow(float64(x+offset), -float64(float32(strength))))
	if g > math.MaxInt16 {
		return math.MaxInt16
	}
	return int16(g + 0.5)
}

func (g *gainTable) at(noise uint32) int32 {
	if noise <= 2 {
		return g.low[noise]
	}
	n := bits.Len32(noise)
	p := &g.octave[n]
	var frac int32
	if n < 11 {
		frac = int32(noise<<(11-n)) & 0x3ff
	} else {
		frac = int32(noise>>(n-11)) & 0x3ff
	}
	r := int32(p.a2)*frac>>5 + int32(p.a1)<<5
	return int32(int16((r*frac+1<<14)>>15 + int32(p.y)))
}

// apply multiplies each band by the gain for its noise and compresses small
// values to a parabola.
func (g *gainTable) apply(bands, noise *[Bands]uint32) {
	for i, v := range bands {
		snr := uint32(uint64(v) * uint64(uint32(g.at(noise[i]))) >> snrShift)
		if snr < 2<<snrBits {
			bands[i] = snr * snr >> (2 + 2*snrBits - outBits)
		} else {
			bands[i] = snr>>(snrBits-outBits) - 1<<outBits
		}
	}
}
