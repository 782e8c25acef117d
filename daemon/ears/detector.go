package ears

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/silero"
)

// Sense is the best detector of speech that can be used.
type Sense struct {
	detector   vad.Detector // nil: none can be used, or none was chosen
	fallback   error        // why the built-in one is used instead of the chosen one
	noDetector error        // why none can be used; nil if none was chosen
}

// errNoDetector says that no detector was chosen.
var errNoDetector = errors.New("listen.detector is none")

// NewSense uses the detector that a Setup names, or, if that cannot be used, the built-in
// one.
func NewSense(s *Setup) *Sense { return newSense(s, builtIn) }

func newSense(s *Setup, builtIn func() (vad.Detector, error)) *Sense {
	if s.Detector == noDetector {
		return &Sense{}
	}
	d, err := newDetector(s, builtIn)
	if err == nil {
		return &Sense{detector: d}
	}
	if s.Detector != sileroDetector {
		return &Sense{noDetector: err}
	}
	d, worse := builtIn()
	if worse != nil {
		return &Sense{noDetector: fmt.Errorf("%w, and %w", err, worse)}
	}
	return &Sense{detector: d, fallback: err}
}

func newDetector(s *Setup, builtIn func() (vad.Detector, error)) (vad.Detector, error) {
	switch s.Detector {
	case sileroDetector:
	case noDetector:
		return nil, errNoDetector
	default:
		return builtIn()
	}
	d, err := silero.Open(s.Silero)
	if err != nil {
		return nil, err
	}
	return d, rates(d)
}

func builtIn() (vad.Detector, error) { return neural.New() }

// rates tries a detector that was read from a file, which may have the right shape and
// nonsensical weights.
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

// NoDetector reports whether no detector runs.
func (s *Sense) NoDetector() bool { return s.detector == nil }

// text is the condition about it, empty while all is well.
func (s *Sense) text(cloud bool) string {
	const none = "No detector of speech can run, so only a wake word of its own or the button opens a request, "
	switch {
	case s.noDetector != nil && cloud:
		return none + "and the responder hears where it ends: " + s.noDetector.Error() + "."
	case s.noDetector != nil:
		return none + "which lasts eight seconds: " + s.noDetector.Error() + "."
	case s.fallback != nil:
		return "The built-in detector listens instead: " + s.fallback.Error() + "."
	}
	return ""
}
