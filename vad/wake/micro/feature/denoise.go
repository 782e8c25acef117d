package feature

const (
	denoiseBits = 14 // fraction bits of the constants below
	noiseBits   = 10 // fraction bits of an estimate

	// Noise is followed at 0.025 in even and 0.06 in odd bands, and at least
	// 0.05 of the signal stays.
	smoothEven = 1 << denoiseBits * 25 / 1000
	smoothOdd  = 1 << denoiseBits * 6 / 100
	remaining  = 1 << denoiseBits * 5 / 100
)

// denoise subtracts a running mean from each band.
type denoise struct{ estimate [Bands]uint32 }

func (d *denoise) apply(bands *[Bands]uint32) {
	for i, v := range bands {
		smoothing := uint64(smoothEven)
		if i&1 == 1 {
			smoothing = smoothOdd
		}
		scaled := v << noiseBits
		e := uint32((uint64(scaled)*smoothing + uint64(d.estimate[i])*(1<<denoiseBits-smoothing)) >> denoiseBits)
		d.estimate[i] = e
		bands[i] = max((scaled-min(e, scaled))>>noiseBits, uint32(uint64(v)*remaining>>denoiseBits))
	}
}
