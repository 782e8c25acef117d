package dialogue

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
)

func (r *rig) ring(ids ...int64) {
	r.t.Helper()
	if err := r.d.Ring(r.t.Context(), ids, nil); err != nil {
		r.t.Fatal(err)
	}
}

// tell lets it be said once that these ended.
func (r *rig) tell(ids ...int64) {
	r.t.Helper()
	if err := r.d.Ring(r.t.Context(), nil, ids); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) saidNext(want string) {
	r.t.Helper()
	if got := r.next("said").(*event.Said).Text; got != want {
		r.t.Errorf("said %q, want %q", got, want)
	}
}

func (r *rig) ringEnds(reason string, ids ...int64) {
	r.t.Helper()
	if e := r.next("ring_ended").(*event.RingEnded); e.Reason != reason || !slices.Equal(e.Timers, ids) {
		r.t.Errorf("%+v, want %v %s", e, ids, reason)
	}
	synctest.Wait()
	if n := len(r.rang) - len(ids); n < 0 || !slices.Equal(r.rang[n:], ids) {
		r.t.Errorf("ended %v, want %v", r.rang, ids)
	}
}

func TestRingingGoesOnAndRisesUntilItIsStopped(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		var volumes []int
		for range 6 {
			r.saidNext("Timers [3] are done.")
			volumes = append(volumes, r.mixer.Volume())
		}
		if want := []int{48, 56, 64, 72, 80, 80}; !slices.Equal(volumes, want) {
			t.Errorf("volumes %v, want %v", volumes, want)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ringEnds("stopped", 3)
		if turn := r.turn(); turn.Source != "announcement" || turn.Answer == "" || turn.Outcome != "stopped" ||
			turn.Stages.FirstSound > 2000 {
			t.Errorf("%+v", turn)
		}
		time.Sleep(time.Minute)
		r.none("said")
		if v := r.mixer.Volume(); v != 70 || r.state() != event.Idle {
			t.Errorf("volume %d, state %s", v, r.state())
		}
	})
}

func TestRingingGivesUpAtItsLimit(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		r.ringEnds("limit", 3)
		turn := r.turn()
		if turn.Outcome != "answered" || turn.Stages.Total < 120_000 || turn.Stages.Total > 130_000 {
			t.Errorf("%+v", turn)
		}
	})
}

func TestWhatIsToldOnceDoesNotRing(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.tell(3)
		r.saidNext("Timers [3] are done.")
		r.ringEnds("told", 3)
		if turn := r.turn(); turn.Outcome != "answered" || turn.Stages.Total > 3000 {
			t.Errorf("%+v", turn)
		}
		if err := r.d.Ring(t.Context(), []int64{4}, []int64{5}); err != nil {
			t.Fatal(err)
		}
		r.saidNext("Timers [4 5] are done.")
		r.ringEnds("told", 5)
		r.saidNext("Timers [4] are done.")
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ringEnds("stopped", 4)
	})
}

func TestWhatEndsMeanwhileRingsTogether(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		r.saidNext("Timers [3] are done.")
		r.ring(4, 5)
		r.saidNext("Timers [3 4 5] are done.")
		gone, err := r.d.Silence(t.Context(), []int64{3, 4, 9})
		if err != nil || !slices.Equal(gone, []int64{3, 4}) {
			t.Errorf("silenced %v, %v", gone, err)
		}
		r.ringEnds("silenced", 3, 4)
		r.saidNext("Timers [5] are done.")
		if gone, err := r.d.Silence(t.Context(), nil); err != nil || !slices.Equal(gone, []int64{5}) {
			t.Errorf("silenced %v, %v", gone, err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("%+v", turn)
		}
		if gone, err := r.d.Silence(t.Context(), nil); err != nil || gone != nil {
			t.Errorf("silenced %v, %v", gone, err)
		}
	})
}

func TestRingingWaitsForAnAnswerAndGoesOnAfterATurn(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"one two three"} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		r.ring(3)
		if turn := r.turn(); turn.Source != "voice" || turn.Outcome != "answered" {
			t.Errorf("%+v", turn)
		}
		r.next("said")
		r.saidNext("Timers [3] are done.")
		time.Sleep(time.Second) // the pause in which one is heard
		r.say(2, "hey hearth do tea")
		if turn := r.turn(); turn.Outcome != "superseded" {
			t.Errorf("%+v", turn)
		}
		if turn := r.turn(); turn.Source != "voice" || turn.Outcome != "answered" {
			t.Errorf("%+v", turn)
		}
		r.saidNext("Timers [3] are done.")
	})
}

func TestWhileItRingsStopNeedsNoWakeWord(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		r.saidNext("Timers [3] are done.")
		r.say(1, "do tea")
		if e := r.next("ignored").(*event.Ignored); e.Reason != "not_addressed" {
			t.Errorf("%+v", e)
		}
		r.say(2, "do speaker_stop")
		if e := r.next("woken").(*event.Woken); e.By != "ringing" {
			t.Errorf("%+v", e)
		}
		if turn := r.turn(); turn.Outcome != "superseded" {
			t.Errorf("%+v", turn)
		}
		if turn := r.turn(); turn.WokenBy != "ringing" {
			t.Errorf("%+v", turn)
		}
		if err := r.d.Hush(t.Context()); err != nil { // as the tool does
			t.Fatal(err)
		}
		r.ringEnds("stopped", 3)
	})
}

func TestButtonEndsWhatRingsAndOpensNothing(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ring(3)
		r.saidNext("Timers [3] are done.")
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ringEnds("stopped", 3)
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestButtonEndsWhatRingsThoughTheMicrophoneIsClosed(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		r.ring(3)
		r.saidNext("Timers [3] are done.")
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.ringEnds("stopped", 3)
		if err := r.d.Listen(t.Context()); !errors.Is(err, errMuted) {
			t.Errorf("error %v", err)
		}
	})
}

func TestUrgentAnnouncementsPassAndQuietHoursHoldTheRest(t *testing.T) {
	with(t, func(r *rig) {
		r.mind.sentences = []string{"one two three"}
		r.chosen.quiet = func() (string, bool) { return "7 AM", r.duplex }
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		for _, a := range []struct {
			text   string
			urgent bool
		}{{"the washing is done", false}, {"the door is open", false}, {"smoke", true}, {"water", true}} {
			if err := r.d.Announce(t.Context(), a.text, true, a.urgent); err != nil {
				t.Fatal(err)
			}
		}
		r.turn()
		for _, want := range []string{"smoke", "water", "the washing is done", "the door is open"} {
			if turn := r.turn(); turn.Answer != want {
				t.Errorf("%q, want %q", turn.Answer, want)
			}
		}
		r.duplex = true // at night
		if err := r.d.Announce(t.Context(), "the washing is done", true, false); !errors.Is(err, errQuiet) ||
			err.Error() != string(errQuiet)+"; they end at 7 AM" {
			t.Errorf("error %v", err)
		}
		if err := r.d.Announce(t.Context(), "smoke", true, true); err != nil {
			t.Error(err)
		}
		r.ring(3)
	})
}

// Alarms that were set a few minutes apart, by somebody who sleeps well.
func TestLastOfManyRingsAsLongAsTheFirst(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		const apart = 80 * time.Second
		var ids []int64
		for id := range int64(6) {
			ids = append(ids, id)
			r.ring(id)
			time.Sleep(apart)
		}
		joined := time.Now().Add(-apart)
		r.ringEnds("limit", ids...)
		if d := time.Since(joined); d < r.ans.Ringing.Limit {
			t.Errorf("the last one rang for %v", d)
		}
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("%+v", turn)
		}
	})
}

// What rings when hearthd ends rings on after it has begun again, whichever of the turn
// and the loop ends first.
func TestWhatRingsAtTheEndIsNotTakenForOver(t *testing.T) {
	for range 20 {
		with(t, func(r *rig) {
			r.chosen.save = func(context.Context, int) error {
				r.stop()
				time.Sleep(time.Second) // until the turn waits for the loop
				return nil
			}
		}, func(t *testing.T, r *rig) {
			r.ring(3)
			r.saidNext("Timers [3] are done.")
			if err := r.d.SetVolume(t.Context(), 50); err != nil {
				t.Error(err)
			}
			<-r.ended
			if len(r.rang) > 0 {
				t.Errorf("%v will not ring on", r.rang)
			}
		})
	}
}
