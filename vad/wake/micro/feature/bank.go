package feature

import (
	"math"
	"math/bits"
)

const (
	lowest   = 125  // Hz, the edges of the bank
	highest  = 7500 // Hz
	bankBits = 12   // fraction bits of a weight
	firstBin = 5    // 1.5 + lowest/(rate/fftSize), truncated: never the mean
)

// bank is triangular mel filters. A bin lies on the falling edge of one band and
// the rising edge of the next: its energy is shared between them.
type bank struct {
	bins [half + 1]share
	end  int // first bin that belongs to no band
}

type share struct {
	band           int8 // that it falls in, -1 below the first
	rising, fallen int16
}

func mel(hz float32) float32 { return float32(1127 * math.Log1p(float64(hz)/700)) }

// newBank computes the weights in the precision of filterbank_util.c.
func newBank() (b bank) {
	low, high := mel(lowest), mel(highest)
	spacing := (high - low) / (Bands + 1)
	const width = float32(rate) / fftSize // Hz of a bin
	left, bin := low, firstBin
	for ch := range Bands + 1 {
		center := low + float32(spacing*float32(ch+1)) // rounded in between: no fused multiply-add
		for ; mel(float32(bin)*width) <= center; bin++ {
			w := (center - mel(float32(bin)*width)) / (center - left)
			b.bins[bin] = share{
				band:   int8(ch - 1),
				fallen: int16(math.Floor(float64(w*(1<<bankBits)) + 0.5)),
				rising: int16(math.Floor((1-float64(w))*(1<<bankBits) + 0.5)),
			}
		}
		left = center
	}
	b.end = bin
	return b
}

// amplitudes writes the square root of the energy in each band, shifted right.
func (b *bank) amplitudes(dst *[Bands]uint32, spectrum *[half + 1]complex16, shift int) {
	// energy[0] is what falls below the first band, energy[Bands+1] what rises
	// above the last: both are dropped.
	var energy [Bands + 2]uint64
	for i, z := range spectrum[firstBin:b.end] {
		s := b.bins[firstBin+i]
		// The library keeps the energy in 32 bits with a sign.
		e := uint64(int32(z.re)*int32(z.re) + int32(z.im)*int32(z.im))
		energy[s.band+1] += uint64(s.fallen) * e
		energy[s.band+2] += uint64(s.rising) * e
	}
	for i := range dst {
		dst[i] = root(energy[i+1]) >> shift
	}
}

// root returns the square root of n rounded to the nearest, where numbers of 32
// bits never round up to more than 16 (filterbank.c).
func root(n uint64) uint32 {
	r := min(uint64(math.Sqrt(float64(n))), math.MaxUint32)
	for r*r > n {
		r--
	}
	for r < math.MaxUint32 && (r+1)*(r+1) <= n {
		r++
	}
	limit := uint64(math.MaxUint32)
	if bits.Len64(n) <= 32 {
		limit = math.MaxUint16
	}
	if n-r*r > r && r != limit {
		r++
	}
	return uint32(r)
}
