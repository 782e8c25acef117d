package dialogue

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/refusal"
)

func TestStopSilencesAndDropsWhatWaits(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{strings.Repeat("word ", 100)} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		r.speaks()
		if err := r.d.Announce(t.Context(), "later", false, false); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !r.mixer.Earcon().Sounding() {
			t.Error("no earcon says that it was heard")
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

func TestStopKeepsTheTimersThatNobodyHasHeard(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{strings.Repeat("word ", 100)} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if err := r.d.Announce(t.Context(), "message", false, false); err != nil {
			t.Fatal(err)
		}
		r.tell(3)
		if err := r.d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		if turn := r.turn(); turn.Answer != "Timers [3] are done." {
			t.Errorf("turn %+v", turn)
		}
		r.none("turn")
	})
}

func TestAskedTextIsAnsweredAloudAndReturned(t *testing.T) {
	with(t, func(r *rig) { r.opt.Transcripts = false }, func(t *testing.T, r *rig) {
		turn, err := r.ask(t.Context(), "  do\ttea ")
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
			"": errEmpty, " \n": errEmpty, strings.Repeat("a", maxText+1): errTooLong, "\xff": errText,
		} {
			if err := r.d.Announce(t.Context(), text, false, false); !errors.Is(err, want) {
				t.Errorf("Say(%.10q): %v, want %v", text, err, want)
			}
			if _, err := r.ask(t.Context(), text); !errors.Is(err, want) {
				t.Errorf("Ask(%.10q): %v, want %v", text, err, want)
			}
		}
		for i := range maxWaiting + 1 {
			if err := r.d.Announce(t.Context(), "word", false, false); err != nil {
				t.Fatalf("announcement %d: %v", i, err)
			}
		}
		if err := r.d.Announce(t.Context(), "word", false, false); !errors.Is(err, errBusy) {
			t.Errorf("too many announcements: %v", err)
		}
	})
}

func TestAnnouncementWaitsForTheTurn(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.tell(3)
		first, second := r.turn(), r.turn()
		if first.Source != "voice" || second.Source != "announcement" || second.Answer != "Timers [3] are done." {
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
		if err := r.d.Listen(t.Context()); !errors.Is(err, errMuted) {
			t.Errorf("Listen: %v", err)
		}
		if turn, err := r.ask(t.Context(), "do tea"); err != nil || turn.Outcome != "answered" {
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
		if turn, err := r.ask(t.Context(), "do tea"); err != nil || turn.Outcome != "answered" {
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

func TestNobodyIsCutOffWhileSpeaking(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.speak(1)
		if _, err := r.ask(t.Context(), "do tea"); !errors.Is(err, errBusy) {
			t.Errorf("Ask: %v", err)
		}
	})
}

func TestVolumeIsBoundedAndKept(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.SetVolume(t.Context(), 101); !errors.Is(err, errVolume) {
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

func TestStopInTheMiddleOfATurnEndsEverything(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do slow")
		r.stop()
		<-r.ended
		if turn := r.turn(); turn.Outcome != "stopped" {
			t.Errorf("turn %+v", turn)
		}
		if err := r.d.Announce(context.Background(), "late", false, false); !errors.Is(err, errStopped) ||
			!errors.Is(err, refusal.ErrUnbegun) {
			t.Errorf("Say after the end: %v", err)
		}
	})
}

// What was answered in writing is read as a whole, though nobody hears the end of it.
func TestAWrittenAnswerIsWholeWhereItsSoundIsCut(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		answered := make(chan *event.Turn)
		go func() {
			turn, err := r.d.AskAs(context.Background(), "", "do tea", "")
			if err != nil {
				t.Error(err)
			}
			answered <- turn
		}()
		r.speaks()
		r.stop()
		if turn := <-answered; turn == nil || turn.Outcome != "stopped" || turn.Answer != "It is done." {
			t.Errorf("%+v", turn)
		}
	})
}
