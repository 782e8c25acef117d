package ears

import (
	"fmt"
	"math/rand/v2"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/silero"
)

// Sense tells speech from noise, as well as it can be had.
type Sense struct {
	detector vad.Detector // nil: none can run
	instead  error        // why the built-in one listens, and not the one that was chosen
	blind    error        // why none does
}

// NewSense takes the detector that reads the file of Silero's network, or, for none or
// where that cannot be had, the built-in one.
func NewSense(file string) *Sense { return newSense(file, builtIn) }

func newSense(file string, builtIn func() (vad.Detector, error)) *Sense {
	d, err := newDetector(file, builtIn)
	if err == nil {
		return &Sense{detector: d}
	}
	if file == "" {
		return &Sense{blind: err}
	}
	d, worse := builtIn()
	if worse != nil {
		return &Sense{blind: fmt.Errorf("%w, and %w", err, worse)}
	}
	return &Sense{detector: d, instead: err}
}

func newDetector(file string, builtIn func() (vad.Detector, error)) (vad.Detector, error) {
	if file == "" {
		return builtIn()
	}
	d, err := silero.Open(file)
	if err != nil {
		return nil, err
	}
	return d, rates(d)
}

func builtIn() (vad.Detector, error) { return neural.New() }

// rates tries a detector that a file was read for: one of the right shape may hold
// any numbers.
func rates(d vad.Detector) error {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := make([]int16, d.FrameSamples())
	for range audio.Rate / 2 / len(samples) {
		for i := range samples {
			samples[i] = int16(rng.IntN(1 << 14))
		}
		if p := d.Probability(samples); !(p >= 0 && p <= 1) {
			return fmt.Errorf("try detector: probability %v", p)
		}
	}
	d.Reset()
	return nil
}

// Blind reports whether no detector can run.
func (s *Sense) Blind() bool { return s.blind != nil }

// text is the condition that tells of it, empty while all is well.
func (s *Sense) text(cloud bool) string {
	switch {
	case s.blind != nil && cloud:
		return "No detector of speech can run, so only a wake word of its own or the button opens a request, and the responder hears where it ends: " + s.blind.Error() + "."
	case s.blind != nil:
		return "No detector of speech can run, so only a wake word of its own or the button opens a request, which lasts eight seconds: " + s.blind.Error() + "."
	case s.instead != nil:
		return "The built-in detector listens instead: " + s.instead.Error() + "."
	}
	return ""
}
