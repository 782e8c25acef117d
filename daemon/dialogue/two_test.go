package dialogue

import (
	"testing"
	"testing/synctest"
)

func TestBothRequestsOfASentenceAreDoneAndWhatNeedsAYesIsAskedLast(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		turn, err := r.ask(t.Context(), "do tea and do broken")
		if err != nil || turn.Intent != "tea+broken" || turn.Answer != "It is done. That did not work." ||
			turn.Outcome != "failed" {
			t.Errorf("turn %+v, %v", turn, err)
		}
		turn, err = r.ask(t.Context(), "do door and do tea")
		if err != nil || turn.Answer != "It is done. Open the door?" || !turn.Asks {
			t.Errorf("turn %+v, %v", turn, err)
		}
		synctest.Wait()
		if turn, err = r.d.AskAs(t.Context(), "", "yes", turn.Question); err != nil ||
			turn.Answer != "The door is open." {
			t.Errorf("turn %+v, %v", turn, err)
		}
		turn, err = r.ask(t.Context(), "do tea and do stocks") // which is not offered
		if err != nil || turn.Route != "local" {
			t.Errorf("turn %+v, %v", turn, err)
		}
	})
}
