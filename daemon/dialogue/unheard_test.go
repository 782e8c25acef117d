package dialogue

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/refusal"
)

func TestWhatNobodyStoppedIsToldBehindTheNextAnswer(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		r.ringEnds("limit", 3)
		r.turn()
		synctest.Wait()
		r.say(1, "hey hearth do several") // a question is followed by nothing
		if turn := r.turn(); turn.Answer != "Which one?" {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
		for n, want := range []string{"It is done. Timers [3] rang, mute false.", "It is done."} {
			r.say(uint64(n+2), "hey hearth do tea")
			if turn := r.turn(); turn.Answer != want {
				t.Errorf("%+v", turn)
			}
			synctest.Wait()
		}
	})
}

func TestWhatRingsWithoutASpeakerIsToldOnceThereIsOne(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.mixer.SetRate(0)
		r.ring(3)
		r.ringEnds("limit", 3)
		r.turn()
		synctest.Wait()
		if err := r.d.Announce(t.Context(), "the tea is ready", true, true); !errors.Is(err, refusal.Speaker) {
			t.Errorf("nobody hears it: %v", err)
		}
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.mixer.SetRate(rigRate)
		r.say(2, "hey hearth do tea")
		if turn := r.turn(); turn.Answer != "It is done. Timers [3] rang, mute true." {
			t.Errorf("%+v", turn)
		}
		synctest.Wait()
	})
}

// What ended while the box was off is told once; without a speaker nobody is told.
func TestWhatIsToldOnceIsKeptWhereNobodyHearsIt(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.mixer.SetRate(0)
		if err := r.d.Ring(t.Context(), nil, []int64{4}); err != nil {
			t.Fatal(err)
		}
		r.turn()
		synctest.Wait()
		time.Sleep(time.Second)
		if turn, err := r.ask(t.Context(), "do tea"); err != nil || turn.Answer != "It is done. Timers [4] rang, mute true." {
			t.Errorf("%+v, %v", turn, err) // in writing it is read
		}
		if r.unheard != "" {
			t.Errorf("it was told: %q", r.unheard)
		}
	})
}
