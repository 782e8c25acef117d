package daemon

import (
	"fmt"

	"hearthd/config"
	"hearthd/daemon/listen"
	"hearthd/vad"
	"hearthd/vad/harmonic"
	"hearthd/vad/wake"
)

// ears is the front end that a configuration asks for: the daemon's own, and the
// one that Hear takes over a recording.
type ears struct {
	front *listen.Front
	// fullDuplex reports whether the echo that is left may be listened through. It
	// belongs to the goroutine that pushes frames.
	fullDuplex func() bool
}

// earsOptions are what the front end tells, beside the configuration.
type earsOptions struct {
	Emit     func(*vad.Signal)
	Detected func(wake.Detection) (opens bool)
	// Tap may put something between the segmenter and its detector; nil: nothing.
	Tap func(vad.Detector) vad.Detector
}

// newEars builds every stage that c names.
func newEars(c *config.Config, o earsOptions) (*ears, error) {
	l := &c.Listen
	v := vad.DefaultOptions()
	v.Threshold, v.Release = float32(l.Threshold), float32(l.Release)
	v.PreRoll, v.MinSpeech, v.EndSilence, v.MaxUtterance = l.PreRoll, l.MinSpeech, l.EndSilence, l.MaxUtterance
	var detector vad.Detector = harmonic.New()
	if o.Tap != nil {
		detector = o.Tap(detector)
	}
	segmenter, err := vad.New(v, detector)
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	front, err := listen.NewFront(listen.FrontOptions{Segmenter: segmenter, Emit: o.Emit, Detected: o.Detected})
	if err != nil {
		return nil, fmt.Errorf("build ears: %w", err)
	}
	device := c.Audio.AEC == "device"
	return &ears{front: front, fullDuplex: func() bool { return device }}, nil
}
