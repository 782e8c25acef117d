package dialogue

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/audio/cue"
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
		if turn.Route != "intent" || turn.Outcome != "answered" || turn.Answer != "It is done." || turn.WokenBy != "phrase" {
			t.Errorf("turn %+v", turn)
		}
		if turn.Transcript != "do tea" {
			t.Errorf("transcript %q still has the wake phrase, or too little", turn.Transcript)
		}
		if diff := cmp.Diff([]string{"It is done."}, r.spoken.said); diff != "" {
			t.Error(diff)
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
		time.Sleep(r.opt.FollowUp + time.Second)
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
	with(t, func(r *rig) { r.opt.Wake = WakeButton }, func(t *testing.T, r *rig) {
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
		if turn := r.turn(); turn.Answer != sayNotUnderstood {
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
		if turn := r.turn(); turn.Answer != sayEarsGone {
			t.Errorf("turn %+v", turn)
		}
		if len(r.heard) != 1 || r.heard[0] == nil {
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

func TestFailedToolIsSaid(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do broken")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Reason != "failed" || turn.Answer != "That did not work." {
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
	with(t, func(r *rig) { r.opt.Thinker = nil }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Answer != sayNoThinker {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestThinkerThatIsGoneIsSaidAndKeepsWhatItSaid(t *testing.T) {
	with(t, func(r *rig) {
		r.mind.sentences, r.mind.err = []string{"One two."}, errors.New("gone")
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		turn := r.turn()
		if turn.Outcome != "failed" || turn.Answer != "One two. "+SayThinkerGone {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestThinkerWithoutWordsIsNotSilence(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Answer != SayNothing {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestBargeInCutsAndKeepsWhatWasHeard(t *testing.T) {
	with(t, func(r *rig) {
		r.opt.FullDuplex = true
		r.mind.sentences = []string{"one two three four five six seven eight nine ten."}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		for r.state() != event.Speaking {
			time.Sleep(10 * time.Millisecond)
		}
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
		for r.state() != event.Speaking {
			time.Sleep(10 * time.Millisecond)
		}
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestNewQuestionSupersedesTheOldAnswer(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences, r.mind.pause = []string{"old answer."}, 3*time.Second }, func(t *testing.T, r *rig) {
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

func TestStopSilencesAndDropsWhatWaits(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{strings.Repeat("word ", 100)} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		for r.state() != event.Speaking {
			time.Sleep(10 * time.Millisecond)
		}
		if err := r.d.Say(t.Context(), "later"); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(time.Minute)
		r.none("turn")
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestAskedTextIsAnsweredAloudAndReturned(t *testing.T) {
	with(t, func(r *rig) { r.opt.Transcripts = false }, func(t *testing.T, r *rig) {
		turn, err := r.d.Ask(t.Context(), "  do\ttea ")
		if err != nil || turn.Answer != "It is done." || turn.Source != "text" {
			t.Errorf("turn %+v, %v", turn, err)
		}
		if len(r.spoken.said) != 1 {
			t.Errorf("said %q", r.spoken.said)
		}
		if published := r.turn(); published.Answer != "" || published.Transcript != "" {
			t.Errorf("words were published although transcripts are off: %+v", published)
		}
	})
}

func TestTextFromOutsideIsBounded(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for text, want := range map[string]error{
			"": ErrEmpty, " \n": ErrEmpty, strings.Repeat("a", MaxText+1): ErrTooLong, "\xff": ErrText,
		} {
			if err := r.d.Say(t.Context(), text); !errors.Is(err, want) {
				t.Errorf("Say(%.10q): %v, want %v", text, err, want)
			}
			if _, err := r.d.Ask(t.Context(), text); !errors.Is(err, want) {
				t.Errorf("Ask(%.10q): %v, want %v", text, err, want)
			}
		}
		for i := range maxWaiting + 1 {
			if err := r.d.Say(t.Context(), "word"); err != nil {
				t.Fatalf("announcement %d: %v", i, err)
			}
		}
		if err := r.d.Say(t.Context(), "word"); !errors.Is(err, ErrBusy) {
			t.Errorf("too many announcements: %v", err)
		}
	})
}

func TestAnnouncementWaitsForTheTurn(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if err := r.d.Ring(t.Context(), "The egg timer is done."); err != nil {
			t.Fatal(err)
		}
		first, second := r.turn(), r.turn()
		if first.Source != "voice" || second.Source != "announcement" || second.Answer != "The egg timer is done." {
			t.Errorf("first %+v, second %+v", first, second)
		}
	})
}

func TestMutedMicrophoneIsClosedAndNothingIsHeard(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if s := r.state(); s != event.Muted || !r.muted {
			t.Errorf("state %s, capture closed %v", s, r.muted)
		}
		r.say(1, "hey hearth do tea")
		if r.ears.opens != 0 {
			t.Error("the recogniser was opened")
		}
		if err := r.d.Listen(t.Context()); !errors.Is(err, ErrMuted) {
			t.Errorf("Listen: %v", err)
		}
		if turn, err := r.d.Ask(t.Context(), "do tea"); err != nil || turn.Outcome != "answered" {
			t.Errorf("a muted box does not answer text: %+v, %v", turn, err)
		}
		if s := r.state(); s != event.Muted {
			t.Errorf("state %s after the answer", s)
		}
	})
}

func TestDeafBoxIsFaultedAndAnswersText(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SetMicrophone(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if s := r.state(); s != event.Faulted {
			t.Errorf("state %s", s)
		}
		if turn, err := r.d.Ask(t.Context(), "do tea"); err != nil || turn.Outcome != "answered" {
			t.Errorf("turn %+v, %v", turn, err)
		}
		if err := r.d.SetMicrophone(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestDiscardedNoiseAfterBargeInLeavesNoUtterance(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.speak(1)
		r.silence(1, vad.Discard, vad.Short)
		r.none("turn")
		if _, err := r.d.Ask(t.Context(), "do tea"); err != nil {
			t.Errorf("Ask after noise: %v", err)
		}
	})
}

func TestNobodyIsCutOffWhileSpeaking(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.speak(1)
		if _, err := r.d.Ask(t.Context(), "do tea"); !errors.Is(err, ErrBusy) {
			t.Errorf("Ask: %v", err)
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

func TestVolumeIsBoundedAndKept(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SetVolume(t.Context(), 101); !errors.Is(err, ErrVolume) {
			t.Error(err)
		}
		now, err := r.d.StepVolume(t.Context(), 50)
		if err != nil || now != 100 {
			t.Errorf("volume %d, %v", now, err)
		}
		if diff := cmp.Diff([]int{100}, r.saved); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSessionsBeginAnewAfterAnHour(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		sessions := make([]uint64, 0, 3)
		for _, pause := range []time.Duration{0, time.Minute, sessionIdle + time.Minute} {
			time.Sleep(pause)
			turn, err := r.d.Ask(t.Context(), "do tea")
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

func TestStopInTheMiddleOfATurnEndsEverything(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do slow")
		r.stop()
		<-r.ended
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		if err := r.d.Say(context.Background(), "late"); !errors.Is(err, ErrStopped) {
			t.Errorf("Say after the end: %v", err)
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
			if _, err := r.d.Ask(t.Context(), text); err != nil {
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

func TestEveryStateIsReachableOnlyByLegalMoves(t *testing.T) {
	for from, list := range moves {
		for _, to := range list {
			if from == to || !legal(from, to) || to == event.Starting {
				t.Errorf("%s → %s", from, to)
			}
		}
	}
	if legal(event.Muted, event.Listening) || legal(event.Faulted, event.Listening) {
		t.Error("a box that cannot hear may listen")
	}
}

func TestStopKeepsTheTimersThatNobodyHasHeard(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{strings.Repeat("word ", 100)} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if err := r.d.Say(t.Context(), "message"); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Ring(t.Context(), "The egg timer is done."); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Answer != "The egg timer is done." {
			t.Errorf("turn %+v", turn)
		}
		r.none("turn")
	})
}

func TestFailureIsHeardAsAnEarconBeforeItsSentence(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		earcon := len(r.opt.Voice.samples(cue.Failed, rigRate)) * 1000 / rigRate
		r.say(1, "hey hearth do broken")
		failed := r.turn()
		r.say(2, "hey hearth do tea")
		done := r.turn()
		if late := int(failed.Stages.FirstSound - done.Stages.FirstSound); late < earcon-20 || late > earcon+20 {
			t.Errorf("the sentence came %d ms later than without an earcon, want %d", late, earcon)
		}
	})
}
