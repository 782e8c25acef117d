package dialogue

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
)

// sounds waits until something is heard, and says when that was.
func (r *rig) sounds() time.Time {
	r.t.Helper()
	for range 1000 {
		time.Sleep(rigPeriod)
		synctest.Wait()
		if r.loud.Load() > 0 {
			return time.Now()
		}
	}
	r.t.Fatal("nothing is heard")
	return time.Time{}
}

func TestAnnouncementBeginsAtItsMoment(t *testing.T) {
	for _, chime := range []bool{false, true} {
		with(t, func(r *rig) { r.spoken.delay = 700 * time.Millisecond }, func(t *testing.T, r *rig) {
			at := time.Now().Add(1500 * time.Millisecond)
			if err := r.d.AnnounceAt(t.Context(), "Dinner is ready. Come down.", chime, false, at); err != nil {
				t.Fatal(err)
			}
			if late := r.sounds().Sub(at); late < 0 || late > 2*rigPeriod {
				t.Errorf("chime %v: heard %v after its moment", chime, late)
			}
			if turn := r.turn(); turn.Outcome != "answered" || turn.Answer != "Dinner is ready. Come down." {
				t.Errorf("turn %+v", turn)
			}
		})
	}
}

func TestAnnouncementThatIsReadyTooLateBeginsAtOnce(t *testing.T) {
	with(t, func(r *rig) { r.spoken.delay = 3 * time.Second }, func(t *testing.T, r *rig) {
		begun := time.Now()
		if err := r.d.AnnounceAt(t.Context(), "Dinner is ready.", false, false, begun.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if took := r.sounds().Sub(begun); took < 3*time.Second || took > 3*time.Second+2*rigPeriod {
			t.Errorf("heard after %v", took)
		}
		r.turn()
	})
}

func TestStopBeforeTheMomentOfAnAnnouncementDropsIt(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.AnnounceAt(t.Context(), "Dinner is ready.", false, false,
			time.Now().Add(2*time.Second)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" || turn.Answer != "" {
			t.Errorf("turn %+v", turn)
		}
		r.none("turn")
	})
}

func TestAnnouncementThatNobodyHasHeardSurvivesAWakeWord(t *testing.T) {
	with(t, wakeWords, func(t *testing.T, r *rig) {
		if err := r.d.AnnounceAt(t.Context(), "Dinner is ready.", false, false,
			time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		r.spot(1, "jarvis")
		r.say(1, "do tea")
		if turn := r.turn(); turn.Source != "announcement" || turn.Outcome != "interrupted" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Source != "voice" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Source != "announcement" || turn.Outcome != "answered" || r.state() == event.Faulted {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestAnnouncementThatIsPutOffStillWaitsForTheOtherBoxes(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		at := time.Now().Add(20 * time.Second)
		if err := r.d.AnnounceAt(t.Context(), "Dinner is ready.", false, false, at); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ask(t.Context(), "do tea"); err != nil {
			t.Fatal(err)
		}
		r.turn() // it was cut before it began
		r.turn()
		if turn := r.turn(); turn.Answer != "Dinner is ready." || time.Now().Before(at) {
			t.Errorf("%v before its moment: %+v", time.Until(at), turn)
		}
	})
}
