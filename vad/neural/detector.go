package neural

import (
	_ "embed"
	"fmt"
)

//go:embed weights.bin
var embedded string

// Detector rates frames of 320 samples, 20 ms. It implements vad.Detector.
type Detector struct {
	features features
	net      network
}

// New returns a detector that has heard nothing yet. Detectors share nothing.
func New() (*Detector, error) {
	net, err := load(embedded)
	if err != nil {
		return nil, fmt.Errorf("load embedded detector: %w", err)
	}
	f, err := newFeatures()
	if err != nil {
		return nil, err
	}
	return &Detector{features: f, net: net}, nil
}

func (d *Detector) String() string { return "built-in detector" }

// FrameSamples is 320: 20 ms.
func (d *Detector) FrameSamples() int { return hops * hop }

// Reset forgets the stream, its noise floor included.
func (d *Detector) Reset() {
	d.features.reset()
	d.net.reset()
}

// Probability rates the next 320 samples as they are: it looks back, never
// ahead. Speech begins well at 0.5 and ends at 0.35.
func (d *Detector) Probability(samples []int16) float32 {
	d.features.push(samples[:hops*hop], &d.net.in)
	return d.net.run()
}
