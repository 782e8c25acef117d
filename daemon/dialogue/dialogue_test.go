package dialogue

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/vad"
)

// with runs a test in a bubble with a machine that is stopped at its end.
func with(t *testing.T, change func(*rig), test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, change)
		test(t, r)
		r.close()
	})
}

func TestIntentIsDoneAndAnswered(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		turn := r.turn()
		if turn.Route != "intent" || turn.Outcome != "answered" || turn.Answer != "It is done." ||
			turn.WokenBy != "phrase" {
			t.Errorf("turn %+v", turn)
		}
		if turn.Transcript != "do tea" {
			t.Errorf("transcript %q still has the wake phrase, or too little", turn.Transcript)
		}
		if diff := cmp.Diff([]string{"It is done."}, r.spoken.said); diff != "" {
			t.Error(diff)
		}
		if turn.HeardBy != "ears" {
			t.Errorf("heard by %q", turn.HeardBy)
		}
		if turn.Stages.Endpoint != 700 || turn.Stages.FirstSound < 700 {
			t.Errorf("stages %+v", turn.Stages)
		}
		if diff := cmp.Diff([]string{"do tea / It is done."}, r.mind.notes); diff != "" {
			t.Errorf("the thinker does not know of the turn: %s", diff)
		}
		synctest.Wait()
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestStatesFollowTheTurn(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		var states []event.State
		for len(states) < 7 {
			states = append(states, r.next("state").(*event.StateChanged).To)
		}
		want := []event.State{
			event.Idle, event.Listening, event.Thinking, event.ToolCalling, event.Thinking, event.Speaking, event.Idle,
		}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSpeechWithoutTheWakePhraseIsIgnored(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "do tea")
		if e := r.next("ignored").(*event.Ignored); e.Reason != "not_addressed" {
			t.Errorf("reason %q", e.Reason)
		}
		r.none("turn")
		if len(r.hands.calls) != 0 {
			t.Error("a tool ran")
		}
	})
}

func TestFollowUpNeedsNoWakePhraseAndEnds(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.say(2, "do coffee")
		if turn := r.turn(); turn.WokenBy != "follow_up" || turn.Intent != "coffee" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(r.opt.Wake.FollowUp + time.Second)
		r.say(3, "do cocoa")
		r.none("turn")
	})
}

func TestFollowUpWindowHearsNothingAndStaysQuiet(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.say(2, "")
		r.none("turn")
		if len(r.spoken.said) != 1 {
			t.Errorf("said %q", r.spoken.said)
		}
	})
}

func TestWakePhraseAloneOpensAWindow(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth")
		synctest.Wait()
		if s := r.state(); s != event.Listening {
			t.Fatalf("state %s", s)
		}
		r.say(2, "do tea")
		if turn := r.turn(); turn.WokenBy != "phrase" || turn.Intent != "tea" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWindowOfAButtonClosesByItself(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := r.state(); s != event.Listening {
			t.Fatalf("state %s", s)
		}
		time.Sleep(listenWindow + time.Second)
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestButtonWithoutPhraseEngineHearsNothingElse(t *testing.T) {
	with(t, func(r *rig) { r.opt.Wake.Engine = WakeButton }, func(t *testing.T, r *rig) {
		r.say(1, "do tea")
		if r.ears.opens != 0 {
			t.Error("speech went to the recogniser although no button was pressed")
		}
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(2, "do tea")
		if turn := r.turn(); turn.WokenBy != "button" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWhatTheButtonDidNotUnderstandIsSaid(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "")
		if turn := r.turn(); turn.Answer != said("dialogue.not_understood") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestBrokenRecogniserIsHeardAfterAButton(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.openErr = errors.New("gone")
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "do tea")
		if turn := r.turn(); turn.Answer != said("dialogue.ears_gone") {
			t.Errorf("turn %+v", turn)
		}
		if len(r.heard) == 0 || r.heard[0] == nil {
			t.Errorf("recogniser's state: %v", r.heard)
		}
	})
}

func TestBrokenRecogniserIsHeardOnceAMinuteWithoutAButton(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.openErr = errors.New("gone")
		for i, want := range []bool{true, false, true} {
			if i == 2 {
				time.Sleep(complaintPause)
			}
			r.say(uint64(i+1), "hey hearth do tea")
			if got := r.mixer.Earcon().Sounding(); got != want {
				t.Errorf("utterance %d: earcon %v, want %v", i+1, got, want)
			}
			time.Sleep(time.Second)
		}
		r.none("turn")
	})
}

func TestBargeInCutsAndKeepsWhatWasHeard(t *testing.T) {
	with(t, func(r *rig) {
		r.duplex = true
		r.mind.sentences = []string{"one two three four five six seven eight nine ten."}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		r.speaks()
		time.Sleep(355 * time.Millisecond) // in the middle of the fourth word
		r.speak(2)
		cut := r.next("barge_in").(*event.BargeIn)
		if cut.PlayedMS < 320 || cut.PlayedMS > 380 {
			t.Errorf("played %d ms of the answer, want about 355", cut.PlayedMS)
		}
		turn := r.turn()
		if turn.Outcome != "interrupted" || turn.Answer != "one two three …" {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]string{"one two three …"}, r.mind.heards); diff != "" {
			t.Errorf("history: %s", diff)
		}
		r.ears.will(2, "do tea", nil)
		r.silence(2, vad.End, vad.Silence)
		if next := r.turn(); next.WokenBy != "barge_in" || next.Turn != turn.Turn+1 {
			t.Errorf("next turn %+v", next)
		}
	})
}

func TestHalfDuplexSpeechDoesNotCut(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"one two three four five."} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		r.speaks()
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestNewQuestionSupersedesTheOldAnswer(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences, r.mind.pause = []string{"old answer."}, 3*time.Second },
		func(t *testing.T, r *rig) {
			r.say(1, "hey hearth why")
			r.say(2, "hey hearth do tea")
			first, second := r.turn(), r.turn()
			if first.Outcome != "superseded" || first.Answer != "" || second.Outcome != "answered" {
				t.Errorf("first %+v, second %+v", first, second)
			}
			if got := strings.Join(r.spoken.said, " "); strings.Contains(got, "old") {
				t.Errorf("the stale answer was spoken: %q", got)
			}
		})
}

func TestDiscardedNoiseAfterBargeInLeavesNoUtterance(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.speak(1)
		r.silence(1, vad.Discard, vad.Short)
		r.none("turn")
		if _, err := r.ask(t.Context(), "do tea"); err != nil {
			t.Errorf("Ask after noise: %v", err)
		}
	})
}
