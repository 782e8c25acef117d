package engines

import (
	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/vad"
)

// Ears is what a configuration says of ears. Wake words without a path are looked for
// below folder state.
func Ears(c *config.Config, state string) ears.Setup {
	s := ears.Setup{State: state, AEC: c.Audio.AEC, AutoGain: c.Listen.AutoGain, Segment: Segmenting(&c.Listen),
		Detector: c.Listen.Detector, Silero: c.Listen.Silero}
	for _, w := range c.Wake.Words {
		word := ears.Word{Model: w.Model, Server: w.Server, Name: w.Called(), Stop: w.Kind == "stop", Route: w.Route, Cutoff: w.Cutoff}
		if word.Route == "any" {
			word.Route = ""
		}
		s.Words = append(s.Words, word)
	}
	return s
}

// Segmenting is how a configuration cuts speech out of the stream.
func Segmenting(l *config.Listen) vad.Options {
	v := vad.DefaultOptions()
	v.Threshold, v.Release = float32(l.Threshold), float32(l.Release)
	v.PreRoll, v.MinSpeech, v.EndSilence, v.MaxUtterance = l.PreRoll, l.MinSpeech, l.EndSilence, l.MaxUtterance
	return v
}

// CheckEars names every wake word that cannot be heard, and the detector if it cannot be
// had. Words without a path are looked for below folder state.
func CheckEars(c *config.Config, state string) []error {
	setup := Ears(c, state)
	return ears.Check(&setup)
}
