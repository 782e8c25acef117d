package dialogue

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio/cue"
)

func TestFailedToolIsSaid(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do broken")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Reason != "failed" ||
			turn.Answer != "That did not work." {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestThinkerAnswersWhatNoIntentCovers(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"One two.", "Three four."} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		turn := r.turn()
		if turn.Route != "local" || turn.Answer != "One two. Three four." || turn.PromptTokens != 10 {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestFirstSentenceIsSpokenWhileTheSecondIsWritten(t *testing.T) {
	with(t, func(r *rig) {
		r.mind.sentences, r.mind.pause = []string{"One two.", "Three four."}, 5*time.Second
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		turn := r.turn()
		if turn.Stages.FirstSound > 7000 || turn.Stages.Total < 10000 {
			t.Errorf("stages %+v", turn.Stages)
		}
	})
}

func TestWithoutAThinkerOneSentenceSaysSo(t *testing.T) {
	with(t, func(r *rig) { r.ans.Thinker = nil }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Answer != said("dialogue.no_thinker") {
			t.Errorf("turn %+v", turn)
		}
		// Said once more it must not seem that the wish to hear it failed.
		if again, _ := r.ans.Tools.Said(""); again != "I said: "+said("dialogue.no_thinker") {
			t.Errorf("said again: %q", again)
		}
	})
}

func TestThinkerThatIsGoneIsSaidAndKeepsWhatItSaid(t *testing.T) {
	with(t, func(r *rig) {
		r.mind.sentences, r.mind.err = []string{"One two."}, errors.New("gone")
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		turn := r.turn()
		if turn.Outcome != "failed" || turn.Answer != "One two. "+said("dialogue.thinker_gone") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestThinkerWithoutWordsIsNotSilence(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Answer != said("dialogue.nothing") {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestVoiceThatFailsIsReplaced(t *testing.T) {
	with(t, func(r *rig) { r.spoken.err = errMouth }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]string{"It is done."}, r.spoken.fb.said); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailureIsHeardAsAnEarconBeforeItsSentence(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		earcon := len(cue.New(rigRate).Samples(cue.Failed)) * 1000 / rigRate
		r.say(1, "hey hearth do broken")
		failed := r.turn()
		r.say(2, "hey hearth do tea")
		done := r.turn()
		if late := int(failed.Stages.FirstSound - done.Stages.FirstSound); late < earcon-20 || late > earcon+20 {
			t.Errorf("the sentence came %d ms later than without an earcon, want %d", late, earcon)
		}
	})
}
func TestSessionsBeginAnewAfterAnHour(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		sessions := make([]uint64, 0, 3)
		for _, pause := range []time.Duration{0, time.Minute, sessionIdle + time.Minute} {
			time.Sleep(pause)
			turn, err := r.ask(t.Context(), "do tea")
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, turn.Session)
		}
		if diff := cmp.Diff([]uint64{1, 1, 3}, sessions); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHundredTurnsLeaveNoGoroutine(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"One two."} }, func(t *testing.T, r *rig) {
		before := 0
		for i := range 100 {
			text := "do tea"
			if i%2 == 1 {
				text = "why"
			}
			if _, err := r.ask(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if i == 1 {
				before = runtime.NumGoroutine()
			}
		}
		// A leak is one for each turn or each second one; the runtime may count one
		// that is just ending.
		if after := runtime.NumGoroutine(); after > before+10 {
			t.Errorf("%d goroutines after 100 turns, %d before", after, before)
		}
	})
}
