package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/audio/device"
	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/health"
	"hearthd/daemon/listen"
	"hearthd/vad"
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
	// Sense is what listens; nil: what the configuration names, without which there are
	// no ears.
	Sense *sense
	// Tap may put something between the segmenter and its detector; nil: nothing.
	Tap func(vad.Detector) vad.Detector
}

// newEars builds every stage that c names, but for wake words that cannot be
// heard, which it leaves out.
func newEars(c *config.Config, o earsOptions) (*ears, error) {
	l := &c.Listen
	if o.Sense == nil {
		o.Sense = newSense(l, builtIn)
		if o.Sense.detector == nil {
			return nil, fmt.Errorf("build ears: %w", cmp.Or(o.Sense.blind, errNoDetector))
		}
	}
	spotters, unheard := openWords(c.Wake.Words, o.StateDir)
	spotters = append(spotters, o.Servers...)
	levels := newLevels()
	f := listen.FrontOptions{Monitor: levels, Spotters: spotters, Emit: o.Emit, Detected: o.Detected}
	guard, err := segmenter(&f, segmenting(l), &o)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
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
	e := &ears{
		front: front, canceller: canceller, leveller: leveller, levels: levels, spotters: spotters, unheard: unheard, instead: o.Sense.instead,
		frame: audio.FrameSamples, fullDuplex: func() bool { return false },
	}
	if guard != nil {
		e.frame, e.fullDuplex = guard.FrameSamples(), duplex(c.Audio.AEC, canceller, front.Open)
	}
	return e, nil
}

// segmenter puts into f what cuts utterances out of the stream. The guard is nil where
// no detector listens.
func segmenter(f *listen.FrontOptions, set vad.Options, o *earsOptions) (*listen.Guard, error) {
	if o.Sense.detector == nil {
		m, err := vad.NewManual(set)
		f.Segmenter = m
		return nil, err
	}
	detector := o.Sense.detector
	if o.Tap != nil {
		detector = o.Tap(detector)
	}
	guard := listen.NewGuard(detector)
	s, err := vad.New(set, guard)
	f.Segmenter = s
	return guard, err
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

// buildEars joins the microphone to the dialogue.
func (d *Daemon) buildEars(voice *dialogue.Voice) error {
	d.keeper = &wordKeeper{
		dir: filepath.Join(d.opt.StateDir, wordsDir), state: d.opt.StateDir, words: d.cfg.Wake.Words,
		recorder: newRecorder(), muted: d.muted.Load, anew: func() { d.listener.Anew() },
	}
	servers := d.buildWakeServers()
	d.servers = servers.parts
	ears, err := newEars(d.cfg, earsOptions{
		StateDir: d.opt.StateDir, Emit: d.deliver, Detected: d.detected, Servers: servers.spotters, Sense: d.sense,
	})
	if err != nil {
		return err
	}
	if len(ears.unheard) > 0 {
		d.conditions.Set("wake", health.Warning, wordsText(ears.unheard))
	}
	if text := d.sense.text(d.cfg.Choices() != nil); text != "" {
		d.conditions.Set("detector", health.Warning, text)
	}
	d.meter = &meter{ears: ears, speaks: voice.Speaking}
	o := listen.Options{
		Source: d.capture, Front: ears.front, Speaking: voice.Speaking, FullDuplex: ears.fullDuplex, Look: d.look,
		IsGap: func(err error) bool { return errors.Is(err, device.ErrGap) },
	}
	if ears.canceller != nil {
		o.Far = d.mixer.Reference()
	}
	d.listener, err = listen.New(o)
	return err
}

// look is shown each frame that the front end has had.
func (d *Daemon) look(f *audio.Frame, held bool) {
	r := d.meter.ears.front.Reading()
	d.loudness.Push(r.Level - r.Floor)
	d.meter.look(f, held)
}

// deliver gives a signal of the segmenter to the dialogue, unless a wake word is
// being enrolled.
func (d *Daemon) deliver(s *vad.Signal) {
	if !d.keeper.recorder.take(s) {
		d.dialogue.Deliver(s)
	}
}

// detected is deliver for wake words.
func (d *Daemon) detected(w wake.Detection) (opens bool) {
	return d.heeds(w.Name) && d.dialogue.Detect(w)
}

// heeds reports whether a wake word is for the dialogue: one that stops always is, for
// something may ring.
func (d *Daemon) heeds(word string) bool {
	stops := func(s config.WakeWord) bool { return s.Kind == "stop" && s.Called() == word }
	if slices.ContainsFunc(d.cfg.Wake.Words, stops) {
		return true
	}
	return !d.keeper.recorder.recording() && d.manners.heeds(word)
}
