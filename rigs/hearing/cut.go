package hearing

import (
	"time"

	"hearthd/audio"
	"hearthd/rigs/hearing/bed"
)

const (
	before  = 2 * audio.Rate         // samples before a sentence that is cut out
	after   = 5 * audio.Rate         // and behind it: over a noise an utterance may go on for as long
	preRoll = 400 * time.Millisecond // that the segmenter keeps
	peeked  = 200 * time.Millisecond // of a pause, after which the recogniser is asked
)

// Cut gives what a recogniser gets of said in the scene: each utterance of the front end that
// holds something of it.
func (s *Scene) Cut(e Ears, said bed.Speech) ([][]int16, error) {
	n := (before + after + len(said.Sound) + len(s.Response)) / bed.Hop * bed.Hop
	near := make([]float64, n)
	if s.Under != nil {
		near = s.Under(n)
	}
	turn := bed.Over(near, []bed.Interruption{{At: before, Speech: said}}, s.Response, s.Level)[0]
	mic := bed.Microphone(near, -68, 1)
	h, err := listen(e, mic, nil)
	if err != nil {
		return nil, err
	}
	var cut [][]int16
	for i := range h.utterances {
		if u := &h.utterances[i]; u.kept && u.overlaps(turn) {
			from, to := audio.Samples(u.began-preRoll), audio.Samples(u.speech+peeked)
			cut = append(cut, mic[max(0, from):min(int(to), len(mic))])
		}
	}
	return cut, nil
}
