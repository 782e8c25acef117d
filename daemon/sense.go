package daemon

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/silero"
)

// sense tells speech from noise, as well as it can be had.
type sense struct {
	detector vad.Detector // nil: none can run, or none was chosen
	instead  error        // why the built-in one listens, and not the one that was chosen
	blind    error        // why none can; nil where none was chosen
}

// errNoDetector says that none was chosen.
var errNoDetector = errors.New("listen.detector is none")

// newSense takes the detector that the configuration names, or the built-in one.
func newSense(l *config.Listen, builtIn func() (vad.Detector, error)) *sense {
	if l.Detector == "none" {
		return &sense{}
	}
	d, err := newDetector(l, builtIn)
	if err == nil {
		return &sense{detector: d}
	}
	if l.Detector == "neural" {
		return &sense{blind: err}
	}
	d, worse := builtIn()
	if worse != nil {
		return &sense{blind: fmt.Errorf("%w, and %w", err, worse)}
	}
	return &sense{detector: d, instead: err}
}

// newDetector makes the detector that the configuration names.
func newDetector(l *config.Listen, builtIn func() (vad.Detector, error)) (vad.Detector, error) {
	switch l.Detector {
	case "silero":
	case "none":
		return nil, errNoDetector
	default:
		return builtIn()
	}
	d, err := silero.Open(l.Silero)
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

// text is the condition that tells of it, empty while all is well.
func (s *sense) text(cloud bool) string {
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
