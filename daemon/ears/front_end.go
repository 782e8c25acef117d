package ears

import (
	"cmp"
	"fmt"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/daemon/listen"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// Detectors beside the built-in one, as Setup.Detector.
const (
	noDetector     = "none" // a person opens each request, and the responder detects its end
	sileroDetector = "silero"
)

// Setup is what the configuration says about hearing.
type Setup struct {
	Words    []Word // wake words that are listened for
	State    string // folder in which wake words are installed
	AEC      string // auto, on, off or device
	AutoGain bool
	Detector string // none, silero, or anything else for the built-in one
	Silero   string // file of the network of Silero
	Segment  vad.Options
}

// Check says what is wrong with each wake word that cannot be used, and with the detector if
// it cannot.
func Check(s *Setup) []error {
	_, mistakes := openWords(s.Words, s.State)
	if _, err := newDetector(s, builtIn); err != nil {
		mistakes = append(mistakes, err)
	}
	return mistakes
}

// FrontEnd is the chain of stages from the microphone to the utterances, with those that a
// Setup asks for.
type FrontEnd struct {
	Front *listen.Front
	// FullDuplex reports whether so little echo is left that people can be heard while the speaker
	// sounds. It belongs to the goroutine that pushes frames.
	FullDuplex func() bool
	canceller  *aec.Canceller  // nil: there is none
	leveller   *audio.Leveller // nil: there is none
	levels     *levels         // of the microphone
	spotters   []wake.Spotter
	unheard    []error // wake words that cannot be used
	fallback   error   // why the built-in detector listens instead of the chosen one
	frame      int     // samples of the detector's frame
}

// FrontEndOptions are a Setup, and functions that are called with what is heard.
type FrontEndOptions struct {
	Setup
	Emit     func(*vad.Signal)
	Detected func(wake.Detection) (opens bool)
	Servers  []wake.Spotter // spotters that run on servers
	// Sense has the detector; nil: that of the Setup, which must then be usable.
	Sense *Sense
	// Tap may put something between the segmenter and its detector; it may be nil.
	Tap func(vad.Detector) vad.Detector
}

// NewFrontEnd builds every stage. It leaves out wake words that cannot be used.
func NewFrontEnd(o FrontEndOptions) (*FrontEnd, error) {
	if o.Sense == nil {
		o.Sense = NewSense(&o.Setup)
		if o.Sense.detector == nil {
			return nil, fmt.Errorf("build ears: %w", cmp.Or(o.Sense.noDetector, errNoDetector))
		}
	}
	spotters, unheard := openWords(o.Words, o.State)
	spotters = append(spotters, o.Servers...)
	levels := newLevels()
	f := listen.FrontOptions{Monitor: levels, Spotters: spotters, Emit: o.Emit, Detected: o.Detected}
	guard, err := segmenter(&f, &o)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	var canceller *aec.Canceller
	if o.AEC == "auto" || o.AEC == "on" {
		canceller = aec.New()
		f.Canceller, f.Guard = canceller, guard
	}
	var leveller *audio.Leveller
	if o.AutoGain {
		leveller = audio.NewLeveller()
		f.Leveller = leveller
	}
	front, err := listen.NewFront(f)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	e := &FrontEnd{
		Front: front, canceller: canceller, leveller: leveller, levels: levels, spotters: spotters,
		unheard: unheard, fallback: o.Sense.fallback,
		frame: audio.FrameSamples, FullDuplex: func() bool { return false },
	}
	if guard != nil {
		e.frame, e.FullDuplex = guard.FrameSamples(), duplex(o.AEC, canceller, front.Open)
	}
	return e, nil
}

// segmenter sets the segmenter of f. The guard is nil if there is no detector.
func segmenter(f *listen.FrontOptions, o *FrontEndOptions) (*listen.Guard, error) {
	if o.Sense.detector == nil {
		m, err := vad.NewManual(o.Segment)
		f.Segmenter = m
		return nil, err
	}
	detector := o.Sense.detector
	if o.Tap != nil {
		detector = o.Tap(detector)
	}
	guard := listen.NewGuard(detector)
	s, err := vad.New(o.Segment, guard)
	f.Segmenter = s
	return guard, err
}

// Before people are listened to while the speaker sounds, the canceller must have removed proofERLE
// once, or, in a noisy room, as much as is possible there minus proofNoise: a filter that has only
// begun to adapt does well at moments.
const (
	proofERLE  = 25 // dB
	proofNoise = 6  // dB
)

// duplex returns a function that reports whether people are listened to while the speaker sounds.
// With auto they are only while the canceller leaves nothing of the echo that could be taken for a
// person. What is left while an utterance is open does not count, because it may be that person.
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

// scored is a spotter that has a score for each of its words.
type scored interface {
	Names() []string
	Scores(dst []float32) []float32 // appends one for each name, 0 to 1
}

// scoredNames are the names of the words for which scores returns values.
func (e *FrontEnd) scoredNames() []string {
	var names []string
	for _, s := range e.spotters {
		if s, ok := s.(scored); ok {
			names = append(names, s.Names()...)
		}
	}
	return names
}

// scores appends the score of every wake word that has one. It belongs to the goroutine that
// pushes frames, and allocates only if dst has no room.
func (e *FrontEnd) scores(dst []float32) []float32 {
	for _, s := range e.spotters {
		if s, ok := s.(scored); ok {
			dst = s.Scores(dst)
		}
	}
	return dst
}
