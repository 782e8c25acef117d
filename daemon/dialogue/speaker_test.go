package dialogue

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/audio"
)

// knower knows whose voice it is after a while.
type knower struct {
	takes time.Duration

	mu    sync.Mutex
	who   string
	asked []int // frames of each question
}

func (k *knower) Who(ctx context.Context, samples []int16) string {
	k.mu.Lock()
	k.asked = append(k.asked, len(samples)/audio.FrameSamples)
	who := k.who
	k.mu.Unlock()
	select {
	case <-time.After(k.takes):
		return who
	case <-ctx.Done():
		return ""
	}
}

func (k *knower) is(who string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.who = who
}

// wanted is for whom the calls were made.
func (h *hands) wanted() (who []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.whom {
		name := a.Person
		if a.ByVoice {
			name += " by voice"
		}
		who = append(who, name)
	}
	return who
}

func TestPersonOfASpokenRequestIsWhoseVoiceItIsUnlessThatIsKnownTooLate(t *testing.T) {
	for takes, want := range map[time.Duration]string{0: "anna by voice", time.Hour: " by voice"} {
		k := &knower{who: "anna", takes: takes}
		with(t, func(r *rig) { r.opt.Voices = k }, func(t *testing.T, r *rig) {
			begun := time.Now()
			r.say(1, "hey hearth do tea")
			r.turn()
			if got := r.hands.wanted(); !slices.Equal(got, []string{want}) {
				t.Errorf("after %v asked for %q, want %q", takes, got, want)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("the turn took %v", took)
			}
			if len(k.asked) != 1 || k.asked[0] == 0 {
				t.Errorf("asked of %v frames", k.asked)
			}
			if _, err := r.d.AskAs(t.Context(), "", "do tea", ""); err != nil {
				t.Fatal(err)
			}
			if got := r.hands.wanted(); got[len(got)-1] != "" {
				t.Errorf("in writing asked for %q", got)
			}
		})
	}
}

func TestNobodyIsLookedForInWhatIsNoRequest(t *testing.T) {
	k := &knower{who: "anna"}
	s := &tapes{off: true}
	with(t, func(r *rig) { r.opt.Voices, r.opt.Recordings = k, s }, func(t *testing.T, r *rig) {
		r.say(1, "we do tea at home")
		r.next("ignored")
		if len(k.asked) > 0 {
			t.Errorf("asked of %v frames", k.asked)
		}
		r.say(2, "hey hearth do tea")
		r.turn()
		if len(k.asked) != 1 || len(s.kept) > 0 {
			t.Errorf("asked of %v frames, %d are kept", k.asked, len(s.kept))
		}
	})
}

// TestYesCountsWhoeverSoundsAndIsForWhoHasAsked shows that a voice neither gives nor takes a permission.
func TestYesCountsWhoeverSoundsAndIsForWhoHasAsked(t *testing.T) {
	for _, yes := range []string{"anna", "ben", ""} {
		k := &knower{who: "anna"}
		with(t, func(r *rig) { r.opt.Voices = k }, func(t *testing.T, r *rig) {
			r.say(1, "hey hearth do door")
			if turn := r.turn(); !turn.Asks {
				t.Errorf("a voice that is known is not asked: %+v", turn)
			}
			synctest.Wait()
			k.is(yes)
			r.say(2, "yes")
			r.turn()
			r.isOpen("door")
			if got := r.hands.wanted(); got[len(got)-1] != "anna by voice" {
				t.Errorf("%q says yes: %q", yes, got)
			}
		})
	}
}
