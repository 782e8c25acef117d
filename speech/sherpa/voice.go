package sherpa

import (
	"errors"
	"fmt"
	"math"

	"hearthd/speech/model"
)

// Voice is a loaded model that speaks.
type Voice struct {
	l      *Library
	handle uintptr
	rate   int
}

// Voice loads a model.
func (l *Library) Voice(m *model.Manifest, threads int) (*Voice, error) {
	var t texts
	defer t.keep()
	c := &voiceConfig{Sentences: 1, Silence: 0.2, Model: voiceModel{Threads: int32(threads), Provider: t.c("cpu")}}
	file := func(what string) text { return t.c(m.Path(what)) }
	switch m.Kind {
	case model.Piper:
		c.Model.Piper = piper{file("model"), file("lexicon"), file("tokens"), file("data"), 0.667, 0.8, 1, nil}
	case model.Kokoro:
		c.Model.Kokoro = kokoro{file("model"), file("voices"), file("tokens"), file("data"), 1, nil, file("lexicon"), nil}
	case model.Kitten:
		c.Model.Kitten = kitten{file("model"), file("voices"), file("tokens"), file("data"), 1}
	default:
		return nil, fmt.Errorf("load model %s: a %s does not speak", m.Name, m.Kind)
	}
	v := &Voice{l: l, handle: l.createVoice(c)}
	if v.handle == 0 {
		return nil, fmt.Errorf("load model %s: %w", m.Name, errModel)
	}
	v.rate = int(l.voiceRate(v.handle))
	return v, nil
}

// Rate is that of the samples, per second.
func (v *Voice) Rate() int { return v.rate }

// Close unloads the model. No Speak may be running.
func (v *Voice) Close() { v.l.destroyVoice(v.handle) }

// Speak makes the speech of words, and gives it to take sentence by sentence until that returns false.
// The samples belong to take.
func (v *Voice) Speak(words string, speaker int, take func([]int16) bool) error {
	var t texts
	defer t.keep()
	wanted := true
	call := v.l.begin(func(samples []float32) bool {
		wanted = wanted && take(s16(samples))
		return wanted
	})
	defer v.l.end(call)
	made := v.l.speak(v.handle, t.c(words), &generation{Silence: 0.2, Speed: 1, Speaker: int32(speaker)}, v.l.made, call)
	if made == 0 {
		return errors.New("speak: the library made no speech")
	}
	v.l.audioFree(made) // all of it went to take already
	return nil
}

func s16(samples []float32) []int16 {
	out := make([]int16, len(samples))
	for i, v := range samples {
		out[i] = int16(max(-math.MaxInt16, min(math.MaxInt16, v*math.MaxInt16)))
	}
	return out
}
