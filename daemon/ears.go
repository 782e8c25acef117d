package daemon

import (
	"fmt"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/config"
	"hearthd/daemon/listen"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/silero"
	"hearthd/vad/wake"
)

// ears is the front end that a configuration asks for: the daemon's own, and the
// one that Hear takes over a recording.
type ears struct {
	front *listen.Front
	// fullDuplex reports whether the echo that is left may be listened through. It
	// belongs to the goroutine that pushes frames.
	fullDuplex func() bool
	canceller  *aec.Canceller  // nil: there is none
	leveller   *audio.Leveller // nil: there is none
	levels     *levels         // of the microphone
	spotters   []wake.Spotter
	unheard    []error // wake words that cannot be heard
	instead    error   // why the built-in detector listens and not the one that was chosen
	frame      int     // samples of the detector's frame
}

// earsOptions are what the front end tells, beside the configuration.
type earsOptions struct {
	StateDir string // where wake words are installed
	Emit     func(*vad.Signal)
	Detected func(wake.Detection) (opens bool)
	Servers  []wake.Spotter // that are run elsewhere
	// Tap may put something between the segmenter and its detector; nil: nothing.
	Tap func(vad.Detector) vad.Detector
}

// newEars builds every stage that c names, but for wake words that cannot be
// heard, which it leaves out, and a detector that cannot be had, for which the
// built-in one listens.
func newEars(c *config.Config, o earsOptions) (*ears, error) {
	l := &c.Listen
	detector, instead := newDetector(l)
	if instead != nil {
		var err error
		if detector, err = neural.New(); err != nil {
			return nil, fmt.Errorf("build ears: %w", err)
		}
	}
	if o.Tap != nil {
		detector = o.Tap(detector)
	}
	guard := listen.NewGuard(detector)
	segmenter, err := vad.New(segmenting(l), guard)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	spotters, unheard := openWords(c.Wake.Words, o.StateDir)
	spotters = append(spotters, o.Servers...)
	levels := newLevels()
	f := listen.FrontOptions{
		Monitor: levels, Spotters: spotters, Segmenter: segmenter, Emit: o.Emit, Detected: o.Detected,
	}
	var canceller *aec.Canceller
	if c.Audio.AEC == "auto" || c.Audio.AEC == "on" {
		if canceller, err = aec.New(aec.Options{}); err != nil {
			return nil, fmt.Errorf("build ears: %w", err)
		}
		f.Canceller, f.Guard = canceller, guard
	}
	var leveller *audio.Leveller
	if l.AutoGain {
		if leveller, err = audio.NewLeveller(audio.DefaultLevellerOptions()); err != nil {
			return nil, fmt.Errorf("build ears: %w", err)
		}
		f.Leveller = leveller
	}
	front, err := listen.NewFront(f)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	return &ears{
		front: front, canceller: canceller, leveller: leveller, levels: levels, spotters: spotters, unheard: unheard, instead: instead, frame: guard.FrameSamples(),
		fullDuplex: duplex(c.Audio.AEC, canceller, front.Open),
	}, nil
}

// segmenting is how a configuration cuts speech out of the stream.
func segmenting(l *config.Listen) vad.Options {
	v := vad.DefaultOptions()
	v.Threshold, v.Release = float32(l.Threshold), float32(l.Release)
	v.PreRoll, v.MinSpeech, v.EndSilence, v.MaxUtterance = l.PreRoll, l.MinSpeech, l.EndSilence, l.MaxUtterance
	return v
}

// A canceller must have taken off proofERLE before speech is heard through the
// speaker, or over a noise as much as it could, but for proofNoise: a filter that has
// just begun to work is good at times.
const (
	proofERLE  = 25 // dB
	proofNoise = 6  // dB
)

// duplex tells when speech may be heard while the speaker sounds: with auto only
// while the canceller finds that nothing is left of the echo that could be taken
// for a person. What it leaves while an utterance is open may be just that person,
// and is no argument against it.
func duplex(mode string, c *aec.Canceller, open func() bool) func() bool {
	switch mode {
	case "auto":
		proved, full := false, false
		return func() bool {
			if open() {
				return full
			}
			r := c.Reading()
			proved = proved || r.ERLE >= min(proofERLE, r.Most-proofNoise)
			full = proved && r.Good
			return full
		}
	case "off":
		return func() bool { return false }
	}
	return func() bool { return true }
}

// newDetector makes the detector that the configuration names.
func newDetector(l *config.Listen) (vad.Detector, error) {
	if l.Detector == "silero" {
		return silero.Open(l.Silero)
	}
	return neural.New()
}

// scored is a spotter that tells how sure it is of each of its words.
type scored interface {
	Names() []string
	Scores(dst []float32) []float32 // appends one for each name, 0 to 1
}

// scoredNames are the names of what scores appends.
func (e *ears) scoredNames() []string {
	var names []string
	for _, s := range e.spotters {
		if s, ok := s.(scored); ok {
			names = append(names, s.Names()...)
		}
	}
	return names
}

// scores appends those of every wake word that has one. It belongs to the
// goroutine that pushes frames, and allocates only when dst has no room.
func (e *ears) scores(dst []float32) []float32 {
	for _, s := range e.spotters {
		if s, ok := s.(scored); ok {
			dst = s.Scores(dst)
		}
	}
	return dst
}
