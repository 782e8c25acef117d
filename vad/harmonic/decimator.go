package harmonic

import (
	"math"

	"hearthd/audio"
)

const (
	factor  = 4
	lowRate = audio.Rate / factor

	// The low band holds the fundamental and at least two harmonics of any
	// voice, and the first formant; above 1 kHz the harmonics of a real voice
	// lose their coherence (Boersma 1993 also keeps to the low ones). Below
	// 90 Hz are rumble, wind and the fundamental of the mains.
	lowCut, lowPass = 90.0, 1000.0

	// A Hamming window of 48 taps falls from 450 to 1550 Hz and leaves −53 dB
	// of what would alias. 1.5 ms of delay.
	taps = 48

	// dcPole puts the corner of the DC blocker at 50 Hz.
	dcPole = 0.98
)

// decimator splits one hop into the low band at lowRate and the energy of the
// whole band.
type decimator struct {
	fir        [taps]float32
	b, a       [3]float32 // high pass at lowCut, Butterworth of second order
	z1, z2     float32
	dcIn, dcAt float32
	hist       [taps + hop]float32
}

func newDecimator() decimator {
	var d decimator
	sum := 0.0
	var h [taps]float64
	for i := range h {
		t := float64(i) - (taps-1)/2.0
		h[i] = math.Sin(2*math.Pi*lowPass/audio.Rate*t) / t * (0.54 - 0.46*math.Cos(2*math.Pi*float64(i)/(taps-1)))
		sum += h[i]
	}
	for i := range h {
		d.fir[i] = float32(h[i] / sum)
	}
	k := math.Tan(math.Pi * lowCut / lowRate)
	n := 1 / (1 + math.Sqrt2*k + k*k)
	d.b = [3]float32{float32(n), float32(-2 * n), float32(n)}
	d.a = [3]float32{1, float32(2 * (k*k - 1) * n), float32((1 - math.Sqrt2*k + k*k) * n)}
	return d
}

// run fills low with one hop of the low band and returns the mean square of the
// whole one. Full scale is 1.
func (d *decimator) run(samples []int16, low []float32) float32 {
	copy(d.hist[:taps], d.hist[hop:])
	var sum float32
	for i, s := range samples {
		x := float32(s) / 32768
		y := x - d.dcIn + dcPole*d.dcAt
		d.dcIn, d.dcAt = x, y
		d.hist[taps+i] = y
		sum += y * y
	}
	for i := range low {
		h := d.hist[(i+1)*factor:][:taps]
		var s0, s1 float32
		for k := 0; k < taps; k += 2 {
			s0 += h[k] * d.fir[k]
			s1 += h[k+1] * d.fir[k+1]
		}
		x := s0 + s1
		y := d.b[0]*x + d.z1
		d.z1 = d.b[1]*x - d.a[1]*y + d.z2
		d.z2 = d.b[2]*x - d.a[2]*y
		low[i] = y
	}
	return sum / hop
}
