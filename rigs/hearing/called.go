package hearing

import (
	"time"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

// Scene is what a microphone hears while people call.
type Scene struct {
	Name  string
	Under func(samples int) []float64 // what sounds beside them, full scale 1; nil: nothing
	Far   []int16                     // what the speaker plays meanwhile, as long as the scene; nil: nothing
	// Response is the way from a person to the microphone, Level how loud they are there in dBFS.
	Response []float64
	Level    float64
}

// callEvery is the sound before each call, in seconds.
const callEvery = 3

// hear takes ears over the scene while said is said, one after the other, again from its
// begin if the speaker plays for longer. The turns are where they are.
func (s *Scene) hear(e Ears, said []bed.Speech) (heard, []bed.Turn, error) {
	var calls []bed.Interruption
	at := 10 * audio.Rate // until the delay of the echo and the level are known
	for i := 0; i < len(said) || s.Far != nil; i++ {
		one := said[i%len(said)]
		if s.Far != nil && at+len(one.Sound)+callEvery*audio.Rate > len(s.Far) {
			break
		}
		calls = append(calls, bed.Interruption{At: at, Speech: one})
		at += (len(one.Sound) + callEvery*audio.Rate) / bed.Hop * bed.Hop
	}
	near := make([]float64, at)
	if s.Far != nil {
		near = make([]float64, len(s.Far))
	}
	if s.Under != nil {
		near = s.Under(len(near))
	}
	turns := bed.Over(near, calls, s.Response, s.Level)
	h, err := listen(e, bed.Microphone(near, -68, 1), s.Far)
	return h, turns, err
}

// Call lets each of said be the wake word name in the scene, and tells which were heard,
// again from the begin if the speaker plays for longer, and how often another word was.
func Call(e Ears, name string, said []bed.Speech, s *Scene) (found []bool, others int, err error) {
	h, turns, err := s.hear(e, said)
	found = make([]bool, len(turns))
	for i, t := range turns {
		for _, w := range h.words {
			switch {
			case w.decided <= span(t.From) || w.decided >= span(t.To)+time.Second:
			case w.name == name:
				found[i] = true
			default:
				others++
			}
		}
	}
	return found, others, err
}

// Begin lets people speak in the scene, and tells who was noticed while they spoke, and who
// was so for long enough to cut an answer.
func Begin(e Ears, said []bed.Speech, s *Scene) (noticed, cut []bool, err error) {
	h, turns, err := s.hear(e, said)
	noticed, cut = make([]bool, len(turns)), make([]bool, len(turns))
	for i, t := range turns {
		for _, u := range h.utterances {
			if u.onset > span(t.From) && u.onset < span(t.To) || u.overlaps(t) && u.onset < span(t.To) {
				noticed[i] = true
				cut[i] = cut[i] || u.sustained
			}
		}
	}
	return noticed, cut, err
}

// Nobody takes ears over the scene in which nobody speaks.
func Nobody(e Ears, s *Scene, samples int) (Alone, error) {
	h, err := listen(e, bed.Microphone(s.Under(samples), -68, 1), s.Far)
	return alone(h, func(time.Duration) bool { return true }), err
}

// Count is how many are true.
func Count(list []bool) (n int) {
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}
