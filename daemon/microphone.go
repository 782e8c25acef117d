package daemon

import (
	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/ears"
	"hearthd/vad"
)

// Ears is what a configuration says of ears. Wake words without a path are looked for
// below folder state.
func Ears(c *config.Config, state string) ears.Setup {
	s := ears.Setup{State: state, AEC: c.Audio.AEC, AutoGain: c.Listen.AutoGain, Segment: segmenting(&c.Listen),
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

// segmenting is how a configuration cuts speech out of the stream.
func segmenting(l *config.Listen) vad.Options {
	v := vad.DefaultOptions()
	v.Threshold, v.Release = float32(l.Threshold), float32(l.Release)
	v.PreRoll, v.MinSpeech, v.EndSilence, v.MaxUtterance = l.PreRoll, l.MinSpeech, l.EndSilence, l.MaxUtterance
	return v
}

// spottedWords are the wake words as the dialogue knows them.
func spottedWords(list []ears.Word) []dialogue.Word {
	var out []dialogue.Word
	for _, w := range list {
		out = append(out, dialogue.Word{Name: w.Name, Stop: w.Stop, Route: w.Route})
	}
	return out
}
