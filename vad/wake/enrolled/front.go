package enrolled

import (
	"math"

	"hearthd/audio"
	"hearthd/audio/fourier"
)

// The front end: mel-frequency cepstra (Davis and Mermelstein 1980) every 10 ms
// of 25 ms.
const (
	hop      = audio.Rate / 100
	window   = audio.Rate / 40
	fftSize  = 512
	numBands = 24
	numCeps  = 12 // c1 to c12; c0 is the level, which the word does not fix
	lowest   = 80.0
	highest  = 7600.0 // Hz

	emphasis = 0.97
)

// powers are the mean squares of the bands, of samples between -1 and 1.
type powers [numBands]float32

// total is the power of all bands.
func (p *powers) total() (sum float32) {
	for _, v := range p {
		sum += v
	}
	return sum
}

// cepstrum is the shape of a spectrum, without its level.
type cepstrum [numCeps]float32

// front computes both. It holds tables and scratch.
type front struct {
	fft   *fourier.Real
	hann  [window]float32
	first [numBands]int       // first bin of a band
	bank  [numBands][]float32 // weights of its bins
	dct   [numCeps][numBands]float32

	block    [fftSize]float32
	spectrum [fftSize/2 + 1]complex64
}

func newFront() (*front, error) {
	fft, err := fourier.NewReal(fftSize)
	if err != nil {
		return nil, err
	}
	f := &front{fft: fft}
	for i := range f.hann {
		f.hann[i] = float32(0.5-0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/window)) / (32768 * fftSize / 2)
	}
	f.fillBank()
	for c := range f.dct {
		for b := range f.dct[c] {
			f.dct[c][b] = float32(math.Cos(math.Pi*float64(c+1)*(float64(b)+0.5)/numBands) * 2 / numBands)
		}
	}
	return f, nil
}

// fillBank makes triangles of equal width on the mel scale.
func (f *front) fillBank() {
	mel := func(hz float64) float64 { return 1127 * math.Log1p(hz/700) }
	edge := func(i int) float64 {
		m := mel(lowest) + (mel(highest)-mel(lowest))*float64(i)/(numBands+1)
		return 700 * (math.Exp(m/1127) - 1)
	}
	for b := range f.bank {
		lo, mid, hi := edge(b), edge(b+1), edge(b+2)
		for k := range f.spectrum {
			hz := float64(k) * audio.Rate / fftSize
			if w := min((hz-lo)/(mid-lo), (hi-hz)/(hi-mid)); w > 0 {
				if f.bank[b] == nil {
					f.first[b] = k
				}
				f.bank[b] = append(f.bank[b], float32(w))
			}
		}
	}
}

// measure takes the 25 ms from x[1] on; x[0] is the sample before.
func (f *front) measure(x []int16, out *powers) {
	x = x[:window+1]
	for i, w := range f.hann {
		f.block[i] = w * (float32(x[i+1]) - emphasis*float32(x[i]))
	}
	f.fft.Transform(f.spectrum[:], f.block[:])
	for b, bank := range f.bank {
		var sum float32
		for i, z := range f.spectrum[f.first[b]:][:len(bank)] {
			sum += bank[i] * (real(z)*real(z) + imag(z)*imag(z))
		}
		out[b] = sum
	}
}

// shape is the cepstrum of p times gain in the given noise.
func (f *front) shape(p *powers, gain float32, noise *powers, out *cepstrum) {
	var logs powers
	for b, v := range p {
		logs[b] = float32(math.Log(float64(gain*v + noise[b])))
	}
	for c := range out {
		var sum float32
		for b, w := range f.dct[c] {
			sum += w * logs[b]
		}
		out[c] = sum
	}
}
