package hearing

import (
	"time"

	"hearthd/rigs/hearing/bed"
)

// Turns is what became of sentences that were said one by one.
type Turns struct {
	Said   int
	Found  int // at least one utterance holds something of it
	Whole  int // one utterance holds all of it and nothing of another sentence
	End    Times
	False  int // utterances in which nobody spoke
	Capped int // utterances that only their greatest length ended
	Length time.Duration
}

// FalsePerHour is the rate of utterances that nobody said.
func (t Turns) FalsePerHour() float64 { return perHour(t.False, t.Length) }

// Add joins o to t.
func (t *Turns) Add(o Turns) {
	t.Said, t.Found, t.Whole = t.Said+o.Said, t.Found+o.Found, t.Whole+o.Whole
	t.False, t.Capped, t.Length = t.False+o.False, t.Capped+o.Capped, t.Length+o.Length
	t.End = append(t.End, o.End...)
}

// margin is how much of a sentence an utterance may miss at either end; the
// pre-roll, which is not counted, holds more.
const margin = 100 * time.Millisecond

// Follow takes ears over a track. An end is late by the time from the end of the
// sentence to the decision that it has ended.
func Follow(e Ears, track *bed.Track) (Turns, error) {
	h, err := listen(e, track.Samples, nil)
	if err != nil {
		return Turns{}, err
	}
	t := Turns{Said: len(track.Turns), Length: h.length}
	for _, said := range track.Turns {
		var in []*utterance
		for i := range h.utterances {
			if u := &h.utterances[i]; u.kept && u.overlaps(said) {
				in = append(in, u)
			}
		}
		if len(in) == 0 {
			continue
		}
		t.Found++
		u := in[len(in)-1]
		t.End = append(t.End, u.end-span(said.To))
		if len(in) == 1 && u.began <= span(said.From)+margin && u.speech >= span(said.To)-margin && sentences(u, track) == 1 {
			t.Whole++
		}
	}
	for i := range h.utterances {
		u := &h.utterances[i]
		if u.kept && sentences(u, track) == 0 {
			t.False++
		}
		if u.reason == "cap" {
			t.Capped++
		}
	}
	return t, nil
}

// sentences is how many sentences an utterance holds something of.
func sentences(u *utterance, track *bed.Track) int {
	n := 0
	for _, t := range track.Turns {
		if u.overlaps(t) {
			n++
		}
	}
	return n
}
