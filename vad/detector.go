package vad

import "fmt"

// Detector rates how likely it is that a person speaks. Engines keep the state
// of one continuous stream, so a Detector serves one Segmenter.
type Detector interface {
	// FrameSamples is the length of the detector's frame in samples at
	// audio.Rate. It never changes.
	FrameSamples() int
	// Probability rates the next FrameSamples samples of the stream, 0 to 1.
	// samples is borrowed until the call returns. It allocates nothing.
	Probability(samples []int16) float32
	// Reset forgets the stream: what comes next does not continue it.
	Reset()
	fmt.Stringer // what it is
}
