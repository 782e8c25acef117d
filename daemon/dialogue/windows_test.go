package dialogue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/vad"
)

func TestMicrophoneLostInATurnOpensNoFollowUp(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		if err := r.d.SetMicrophone(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		r.turn()
		r.say(2, "do coffee") // the loop hears the microphone before it hears that it is back
		if s := r.state(); s != event.Faulted {
			t.Errorf("state %s", s)
		}
		if err := r.d.SetMicrophone(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		r.say(3, "do cocoa")
		r.none("turn")
	})
}

func TestMuteInATurnOpensNoFollowUp(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		for _, muted := range []bool{true, false} {
			if err := r.d.SetMuted(t.Context(), muted); err != nil {
				t.Fatal(err)
			}
			if muted {
				r.turn()
			}
		}
		r.say(2, "do coffee")
		r.none("turn")
	})
}

func TestNoiseInAFollowUpWindowEndsListening(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.speak(2)
		if s := r.state(); s != event.Listening {
			t.Fatalf("state %s", s)
		}
		r.silence(2, vad.Discard, vad.Short)
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
		r.say(3, "do coffee")
		if turn := r.turn(); turn.WokenBy != "follow_up" {
			t.Errorf("the noise closed the window: %+v", turn)
		}
	})
}

func TestNoiseLeavesThePersonBeforeItListenedTo(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: 3 * time.Second}
		r.say(1, "hey hearth do tea")
		r.turn()
		synctest.Wait()
		r.ears.slow[2] = 3 * time.Second
		r.say(2, "do coffee")
		r.speak(3)
		r.silence(3, vad.Discard, vad.Short)
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s while an utterance is being recognised", s)
		}
		r.turn()
	})
}

func TestMutedBoxDoesNotShowThatItListensWhileItAnnounces(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.d.Announce(t.Context(), "later", false, false); err != nil {
			t.Fatal(err)
		}
		if err := r.d.SetMuted(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		for {
			e := r.next("state").(*event.StateChanged)
			if e.From != event.Listening {
				continue
			}
			if e.To != event.Muted {
				t.Errorf("%s → %s", e.From, e.To)
			}
			break
		}
		if turn := r.turn(); turn.Answer != "later" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestTextRequestClosesTheWindowOfAButton(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ask(t.Context(), "do tea"); err != nil {
			t.Fatal(err)
		}
		r.say(1, "do coffee")
		if e := r.next("ignored").(*event.Ignored); e.Reason != "not_addressed" {
			t.Errorf("reason %q", e.Reason)
		}
	})
}

func TestUtteranceWhoseEndIsLostIsGivenUp(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.speak(1)
		if turn := r.turn(); turn.Answer != said("dialogue.ears_gone") {
			t.Errorf("turn %+v", turn)
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}

func TestRecogniserThatDoesNotOpenIsGivenUp(t *testing.T) {
	with(t, func(r *rig) { r.ears.hang = true }, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.say(1, "do tea")
		if turn := r.turn(); turn.Answer != said("dialogue.ears_gone") {
			t.Errorf("turn %+v", turn)
		}
		if len(r.heard) != 1 || !errors.Is(r.heard[0], errBehind) {
			t.Errorf("recogniser's state: %v", r.heard)
		}
	})
}

func TestSignalsThatAreLostGiveUpTheirUtterance(t *testing.T) {
	var release chan struct{}
	with(t, func(r *rig) {
		release = make(chan struct{})
		r.chosen.save = func(context.Context, int) error { <-release; return nil }
	}, func(t *testing.T, r *rig) {
		done := make(chan error, 1)
		go func() { done <- r.d.SetVolume(t.Context(), 50) }()
		synctest.Wait() // the loop waits for the disk
		for n := uint64(1); n <= 5; n++ {
			r.say(n, "hey hearth do tea")
		}
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		for {
			select {
			case e := <-r.sub.C():
				if turn, ok := e.(*event.Turn); ok && turn.Outcome != "answered" && turn.Outcome != "superseded" {
					t.Errorf("turn %+v", turn)
				}
				continue
			default:
			}
			break
		}
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
		r.say(9, "hey hearth do tea")
		if turn := r.turn(); turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestOlderUtteranceDoesNotSupersedeANewerOne(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: 5 * time.Second}
		r.say(1, "hey hearth do tea")
		r.say(2, "hey hearth do coffee")
		if turn := r.turn(); turn.Intent != "coffee" || turn.Outcome != "answered" {
			t.Errorf("turn %+v", turn)
		}
		time.Sleep(time.Minute)
		r.none("turn")
	})
}

func TestUtteranceThatNobodyCouldHearIsSeen(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: 5 * time.Second, 2: 5 * time.Second}
		r.say(1, "one")
		r.say(2, "two")
		r.say(3, "hey hearth do tea")
		if e := r.next("ignored").(*event.Ignored); e.Utterance != 3 || e.Reason != "recogniser_failed" {
			t.Errorf("ignored %+v", e)
		}
	})
}

func TestWakePhraseDoesNotCoverWhatWasSaidBeforeIt(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: 5 * time.Second}
		r.say(1, "do coffee")
		r.say(2, "hey hearth")
		r.none("turn")
	})
}

func TestWakePhraseCoversWhatIsSaidWhileItIsRecognised(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.ears.slow = map[uint64]time.Duration{1: time.Second}
		r.say(1, "hey hearth")
		r.ears.will(2, "do tea", nil)
		r.speak(2)
		time.Sleep(2 * time.Second)
		if s := r.state(); s != event.Listening {
			t.Errorf("state %s", s)
		}
		r.silence(2, vad.End, vad.Silence)
		if turn := r.turn(); turn.WokenBy != "phrase" || turn.Intent != "tea" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestLostSignalsDoNotLeaveTheBoxListening(t *testing.T) {
	var release chan struct{}
	with(t, func(r *rig) {
		release = make(chan struct{})
		r.chosen.save = func(context.Context, int) error { <-release; return nil }
	}, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(listenWindow - time.Second)
		r.speak(1)
		time.Sleep(2 * time.Second) // the window has ended, the person goes on
		done := make(chan error, 1)
		go func() { done <- r.d.SetVolume(t.Context(), 50) }()
		synctest.Wait() // the loop waits for the disk
		for range 6 {
			r.speak(1)
		}
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if s := r.state(); s != event.Idle {
			t.Errorf("state %s", s)
		}
	})
}
