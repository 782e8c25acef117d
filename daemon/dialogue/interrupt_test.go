package dialogue

import (
	"testing"
	"time"
)

func TestSentenceWithoutSoundIsNotAmongWhatWasHeard(t *testing.T) {
	with(t, func(r *rig) {
		r.opt.FullDuplex = true
		r.mind.sentences = []string{"one two.", " ", "three four five six."}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(355 * time.Millisecond) // in the middle of the fourth word
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Answer != "one two. three …" {
			t.Errorf("turn %+v", turn)
		}
	})
}
