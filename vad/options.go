package vad

import (
	"fmt"
	"time"
)

// Options sets a Segmenter. Onset and Hangover are times here, because the
// frames of detectors differ in length; they are counted in whole detector
// frames, rounded up.
type Options struct {
	Threshold    float32       // probability that starts speech
	Release      float32       // probability below which speech pauses
	Onset        time.Duration // speech without a break that starts an utterance
	Hangover     time.Duration // break that the gate tolerates in it
	PreRoll      time.Duration // audio kept from before the first voiced frame
	MinSpeech    time.Duration // less voice than this is no utterance
	EndSilence   time.Duration // silence that ends an utterance
	Pause        time.Duration // silence in it that is reported
	Sustain      time.Duration // voice that makes it more than a cough
	MaxUtterance time.Duration // longest utterance, pre-roll included
	MaxWoken     time.Duration // longest utterance directly after a wake word
}

// DefaultOptions suits commands of one sentence in a kitchen. The hysteresis 0.5/0.35 is the one
// that Silero's authors ship. The onset is longer than the 20 to 40 ms of a knock, the hangover
// covers the closure of a plosive (50–150 ms), the pause is longer than those within a word, and a
// cough or an "mm-hm" has less than 300 ms of voice. Nine seconds hold a command, and bound how
// long a television is listened to that is as loud as the person who said the wake word.
func DefaultOptions() Options {
	return Options{
		Threshold: 0.5, Release: 0.35,
		Onset: 60 * time.Millisecond, Hangover: 160 * time.Millisecond,
		PreRoll: 400 * time.Millisecond, MinSpeech: 250 * time.Millisecond,
		EndSilence: 700 * time.Millisecond, MaxUtterance: 15 * time.Second,
		Pause: 200 * time.Millisecond, Sustain: 300 * time.Millisecond,
		MaxWoken: 9 * time.Second,
	}
}

// check looks at what concerns several parts.
func (o *Options) check() error {
	switch {
	case o.Hangover >= o.EndSilence:
		return fmt.Errorf("gate hangover %v: want less than the end silence %v", o.Hangover, o.EndSilence)
	case o.Pause <= o.Hangover || o.Sustain <= 0:
		return fmt.Errorf("pause %v, sustained voice %v: want more than the gate hangover %v, and more than 0",
			o.Pause, o.Sustain, o.Hangover)
	case o.MaxWoken <= o.MinSpeech+o.EndSilence:
		return fmt.Errorf("longest utterance %v after a wake word: want more than minimum speech and end silence, %v",
			o.MaxWoken, o.MinSpeech+o.EndSilence)
	case o.PreRoll+o.Onset >= o.MaxUtterance:
		return fmt.Errorf("pre-roll %v: want less than the longest utterance %v", o.PreRoll, o.MaxUtterance)
	}
	return nil
}
