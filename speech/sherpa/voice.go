package sherpa

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

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

// Speak makes the speech of a sentence.
func (v *Voice) Speak(words string, speaker int) ([]int16, error) {
	var t texts
	defer t.keep()
	made := v.l.speak(v.handle, t.c(words), &generation{Silence: 0.2, Speed: 1, Speaker: int32(speaker)}, 0, 0)
	if made == nil {
		return nil, errors.New("speak: the library made no speech")
	}
	defer v.l.audioFree(made)
	if made.N < 0 || made.N > maxSpeech {
		return nil, fmt.Errorf("speak: the library made %d samples", made.N)
	}
	out := make([]int16, made.N)
	for i, s := range unsafe.Slice(made.Samples, made.N) {
		out[i] = int16(max(-math.MaxInt16, min(math.MaxInt16, s*math.MaxInt16)))
	}
	return out, nil
}

// maxSpeech bounds what is taken for one sentence, in samples: five minutes at the highest rate.
const maxSpeech = 300 * 48000
