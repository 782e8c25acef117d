package micro

import (
	"errors"
	"fmt"
	"time"

	"hearthd/audio"
	"hearthd/vad/wake"
	"hearthd/vad/wake/micro/feature"
)

// maxWords bounds the models of a Spotter.
const maxWords = 16

// maxGap is the longest loss of audio that a stream survives. It is shorter than
// a syllable, so that a word with a hole is still heard.
const maxGap = 100 * time.Millisecond

// Spotter listens for the words of its models.
type Spotter struct {
	names []string
	words []*word

	features *feature.Extractor
	pcm      [feature.Step]int16
	row      [feature.Bands]int8
	found    []wake.Detection
	next     audio.Position // where the next frame should begin
	begun    bool
}

var _ wake.Spotter = (*Spotter)(nil)

// New returns a Spotter for the models, in their order.
func New(models ...*Model) (*Spotter, error) {
	if len(models) < 1 || len(models) > maxWords {
		return nil, fmt.Errorf("%d wake words: want 1 to %d", len(models), maxWords)
	}
	s := &Spotter{features: feature.New(), found: make([]wake.Detection, 0, len(models))}
	var errs []error
	for _, m := range models {
		net, err := newNetwork(m.network)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("wake word %q: %w", m.Name, err))
			continue
		case !(m.Cutoff > 0 && m.Cutoff <= 1) || m.Window < 1 || m.Window > maxWindow:
			errs = append(errs, fmt.Errorf("wake word %q: cutoff %v over a window of %d: want more than 0 and at most 1, 1 to %d",
				m.Name, m.Cutoff, m.Window, maxWindow))
			continue
		}
		s.names = append(s.names, m.Name)
		// ESPHome truncates the cutoff to a byte too.
		w := &word{net: net, stride: net.InputShape()[1], cutoff: uint32(m.Cutoff * 255), recent: make([]uint8, m.Window)}
		w.reset()
		s.words = append(s.words, w)
	}
	return s, errors.Join(errs...)
}

// Push implements wake.Spotter. Where audio was lost for up to 100 ms the stream
// goes on; a longer gap, or a step back, begins a new one.
func (s *Spotter) Push(f *audio.Frame, at audio.Position) []wake.Detection {
	if s.begun && (at < s.next || at-s.next > audio.Samples(maxGap)) {
		s.Reset()
	}
	s.begun, s.next = true, at+audio.FrameSamples
	s.found = s.found[:0]
	for i := 0; i < len(f); i += feature.Step {
		copy(s.pcm[:], f[i:])
		row := s.features.Push(&s.pcm)
		if row == nil {
			continue
		}
		feature.Quantize(s.row[:], row)
		s.infer(at + audio.Position(i+feature.Step))
	}
	return s.found
}

// infer shows the row whose window ends at now to each word.
func (s *Spotter) infer(now audio.Position) {
	for i, w := range s.words {
		if w.push(&s.row) {
			s.found = append(s.found, wake.Detection{Name: s.names[i], Score: w.mean, Position: now})
		}
	}
}

// Scores appends the mean probability of each model over its window, 0 to 1, in
// the order of New, to dst and returns it.
func (s *Spotter) Scores(dst []float32) []float32 {
	for _, w := range s.words {
		dst = append(dst, w.mean)
	}
	return dst
}

// Names are the names of the models, in the order of New. The caller changes
// nothing in them.
func (s *Spotter) Names() []string { return s.names }

// Reset implements wake.Spotter.
func (s *Spotter) Reset() {
	s.begun = false
	s.features.Reset()
	for _, w := range s.words {
		w.reset()
	}
}
