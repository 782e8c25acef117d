package silero

import (
	"hearthd/audio/fourier"
)

// Detector rates chunks of 512 samples, 32 ms. It implements vad.Detector.
type Detector struct {
	net  network
	fft  *fourier.Real
	hann [window]float32

	// samples are the 64 of the chunk before, the chunk, and 64 mirrored ones.
	samples  [context + chunk + context]float32
	block    [window]float32
	spectrum [bins]complex64
}

// Open reads the model at path, 1.3 MB. A file that is cut off or holds another
// model is refused with what was expected and what was found.
func Open(path string) (*Detector, error) {
	w, err := load(path)
	if err != nil {
		return nil, err
	}
	return build(w)
}

func build(w *weights) (*Detector, error) {
	fft, err := fourier.NewReal(window)
	if err != nil {
		return nil, err
	}
	return &Detector{net: newNetwork(w), fft: fft, hann: hannWindow()}, nil
}

func (d *Detector) String() string { return "Silero's detector" }

// FrameSamples is 512: 32 ms.
func (d *Detector) FrameSamples() int { return chunk }

// Reset forgets the stream.
func (d *Detector) Reset() {
	clear(d.samples[:])
	d.net.reset()
}

// Probability rates the next 512 samples. Silero's authors begin speech at 0.5
// and end it at 0.35.
func (d *Detector) Probability(samples []int16) float32 {
	x := &d.samples
	copy(x[:context], x[chunk:])
	for i, v := range samples[:chunk] {
		x[context+i] = float32(v) / 32768
	}
	// Mirrored at the last sample, which is not repeated.
	for i := range context {
		x[context+chunk+i] = x[context+chunk-2-i]
	}
	for f := range frames {
		d.magnitudes(f)
	}
	return d.net.run()
}

// magnitudes computes the spectrum of 256 samples from f·128 on, as the f-th
// frame that the network sees.
func (d *Detector) magnitudes(f int) {
	x := d.samples[f*step : f*step+window]
	for i, h := range d.hann {
		d.block[i] = x[i] * h
	}
	d.fft.Transform(d.spectrum[:], d.block[:])
	for k, z := range d.spectrum {
		d.net.in[k][f] = sqrt(real(z)*real(z) + imag(z)*imag(z))
	}
}
