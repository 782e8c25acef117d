package silero

import "math"

// testChunks is the length of the test signal, 19 s.
const testChunks = 600

// noise is a generator of its own, so that the signal is the same for ever
// (Numerical Recipes' linear congruential one).
type noise uint32

// next is white between -1 and 1.
func (n *noise) next() float64 {
	*n = *n*1664525 + 1013904223
	return float64(*n>>8)/(1<<23) - 1
}

// resonator is a formant: two poles at freq with the given bandwidth, in Hz.
type resonator struct{ freq, width, y1, y2 float64 }

func (r *resonator) next(x float64) float64 {
	d := math.Exp(-math.Pi * r.width / 16000)
	y := x + 2*d*math.Cos(2*math.Pi*r.freq/16000)*r.y1 - d*d*r.y2
	r.y1, r.y2 = y, r.y1
	return (1 - d) * y
}

// vowels are the first three formants of a, i, u, e and o.
var vowels = [][3]float64{{730, 1090, 2440}, {270, 2290, 3010}, {300, 870, 2240}, {530, 1840, 2480}, {570, 840, 2410}}

// testSignal goes through silence, noise, chirps, vowels in quiet and in noise,
// hiss, and overload, eight times with other pitches and levels.
func testSignal() []int16 {
	out := make([]int16, testChunks*chunk)
	n := noise(1)
	var formants [3]resonator
	phase, sweep := 0.0, 0.0
	for i := range out {
		round, at := i/(len(out)/8), float64(i%(len(out)/8))/16000
		part := int(at / 0.3)
		if vowel := vowels[(i/1600+round)%len(vowels)]; i%1600 == 0 {
			for k := range formants {
				formants[k].freq, formants[k].width = vowel[k], 80+60*float64(k)
			}
		}
		pitch := 90 + 25*float64(round) + 20*math.Sin(2*math.Pi*3*at)
		pulse := 0.0
		if phase += pitch / 16000; phase >= 1 {
			phase--
			pulse = 1
		}
		voice := pulse
		for k := range formants {
			voice = formants[k].next(voice)
		}
		voice *= 60 * (0.6 + 0.4*math.Sin(2*math.Pi*4*at))
		sweep += (200 + 3000*at) / 16000
		x := 0.0
		switch part {
		case 0:
		case 1:
			x = 0.02 * float64(round) * n.next()
		case 2:
			x = 0.3 * math.Sin(2*math.Pi*sweep)
		case 3, 4:
			x = voice
		case 5:
			x = voice + 0.05*float64(round)*n.next()
		case 6:
			x = 0.1 * n.next() * n.next()
		default:
			x = 8 * voice
		}
		out[i] = int16(max(-32768, min(32767, math.Round(16000*x))))
	}
	return out
}
