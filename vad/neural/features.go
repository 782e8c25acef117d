package neural

import (
	"math"

	"hearthd/audio/fourier"
)

// The features are those of train/features.py, which says why; both change
// together.
const (
	hop     = 160 // samples: 10 ms
	hops    = 2   // of a frame
	window  = 400 // samples: 25 ms
	size    = 512 // of the transform
	bands   = 28
	perHop  = bands + 2 // mel bands, harmonicity, pitch
	inputs  = hops*perHop + bands
	lowHz   = 80
	highHz  = 7600
	rate    = 16000
	tiny    = 1e-7 // power of a band, below which differences mean nothing
	offset  = 1
	scale   = 0.2
	fall    = 0.3  // of the noise floor per frame, down
	rise    = 0.01 // and up
	quietly = 1e-4 // keeps harmonicity from being computed for silence

	firstBin, lastBin = 3, 95 // of the magnitudes whose ripple is looked at
	coarse            = 256   // length of that transform: lags of 125 µs
	shortest, longest = 16, 100
)

// features turns samples into what the network looks at.
type features struct {
	spectrum, ripples *fourier.Real

	hann  [window]float32
	first [bands]int // first bin of a band
	mel   [bands][]float32
	lag   [longest + 1]float32 // 1 ÷ autocorrelation of the window
	pitch [longest + 1]float32

	samples [window]float32 // the last ones, newest at the end
	block   [size]float32   // zero from window on
	ripple  [coarse]float32 // zero but from firstBin to lastBin
	bins    [size/2 + 1]complex64
	power   [size/2 + 1]float32
	lags    [coarse/2 + 1]complex64
	floor   [bands]float32
	began   bool
}

func newFeatures() (features, error) {
	var f features
	var err error
	if f.spectrum, err = fourier.NewReal(size); err != nil {
		return f, err
	}
	if f.ripples, err = fourier.NewReal(coarse); err != nil {
		return f, err
	}
	for i := range f.hann {
		f.hann[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/window))
	}
	f.makeBands()
	f.makeLags()
	return f, nil
}

// makeBands fills triangles that are even on the mel scale (O'Shaughnessy 1987),
// each with a sum of 1.
func (f *features) makeBands() {
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	edge := func(i int) float64 {
		m := mel(lowHz) + (mel(highHz)-mel(lowHz))*float64(i)/(bands+1)
		return 700 * (math.Pow(10, m/2595) - 1)
	}
	for b := range f.mel {
		low, centre, high := edge(b), edge(b+1), edge(b+2)
		var weights []float64
		sum := 0.0
		for k := range size/2 + 1 {
			hz := float64(k) * rate / size
			w := min((hz-low)/(centre-low), (high-hz)/(high-centre))
			if w <= 0 {
				continue
			}
			if len(weights) == 0 {
				f.first[b] = k
			}
			weights = append(weights, w)
			sum += w
		}
		for _, w := range weights {
			f.mel[b] = append(f.mel[b], float32(w/sum))
		}
	}
}

// makeLags computes what a steady tone would have at each lag: the transform of
// the magnitudes of the window. Longer lags have less, and are raised for it.
func (f *features) makeLags() {
	var magnitude [size/2 + 1]float64
	for k := range magnitude {
		var re, im float64
		for i, h := range f.hann {
			s, c := math.Sincos(2 * math.Pi * float64(i*k%size) / size)
			re += float64(h) * c
			im += float64(h) * s
		}
		magnitude[k] = math.Hypot(re, im)
	}
	at := func(samples int) float64 {
		sum := magnitude[0] + magnitude[size/2]*math.Cos(math.Pi*float64(samples))
		for k := 1; k < size/2; k++ {
			sum += 2 * magnitude[k] * math.Cos(2*math.Pi*float64(k*samples%size)/size)
		}
		return sum
	}
	for l := shortest; l <= longest; l++ {
		f.lag[l] = float32(1 / max(at(2*l)/at(0), 0.2))
		f.pitch[l] = float32(math.Log2(float64(l)/shortest)/math.Log2(float64(longest)/shortest) - 0.5)
	}
}

func (f *features) reset() {
	clear(f.samples[:])
	f.began = false
}

// push takes a frame and writes its features to out.
func (f *features) push(frame []int16, out *[inputs]float32) {
	for h := range hops {
		copy(f.samples[:], f.samples[hop:])
		fresh := f.samples[window-hop:]
		for i, v := range frame[h*hop : (h+1)*hop] {
			fresh[i] = float32(v) * (1.0 / 32768)
		}
		f.look((*[perHop]float32)(out[h*perHop:]))
	}
	floors := out[hops*perHop:]
	for b := range floors {
		now := (out[b] + out[perHop+b]) / 2
		if !f.began {
			f.floor[b] = now
		}
		step := float32(rise)
		if now < f.floor[b] {
			step = fall
		}
		f.floor[b] += step * (now - f.floor[b])
		floors[b] = f.floor[b]
	}
	f.began = true
}

// look describes the last window of samples.
func (f *features) look(out *[perHop]float32) {
	block := f.block[:window]
	for i, h := range &f.hann {
		block[i] = f.samples[i] * h
	}
	f.spectrum.Transform(f.bins[:], f.block[:])
	for k, z := range &f.bins {
		f.power[k] = real(z)*real(z) + imag(z)*imag(z)
	}
	for b, weights := range &f.mel {
		sum := float32(tiny)
		power := f.power[f.first[b]:][:len(weights)]
		for i, w := range weights {
			sum += w * power[i]
		}
		out[b] = (log(sum) + offset) * scale
	}
	out[bands], out[bands+1] = f.voice()
}

// voice is how much the spectrum below 3 kHz repeats itself, 0 to 1, and where:
// 500 Hz is -0.5, 80 Hz is 0.5. It is an autocorrelation of magnitudes instead of
// powers, so that one strong formant does not decide it.
func (f *features) voice() (harmonicity, pitch float32) {
	for k := firstBin; k <= lastBin; k++ {
		f.ripple[k] = float32(math.Sqrt(float64(f.power[k])))
	}
	f.ripples.Transform(f.lags[:], f.ripple[:])
	best, at := float32(math.Inf(-1)), shortest
	for l := shortest; l <= longest; l++ {
		if r := real(f.lags[l]) * f.lag[l]; r > best {
			best, at = r, l
		}
	}
	return min(1, max(0, best/(real(f.lags[0])+quietly))), f.pitch[at]
}
