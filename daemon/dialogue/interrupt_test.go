package dialogue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

func TestSentenceWithoutSoundIsNotAmongWhatWasHeard(t *testing.T) {
	with(t, func(r *rig) {
		r.duplex = true
		r.mind.sentences = []string{"one two.", " ", "three four five six."}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(355 * time.Millisecond) // in the middle of the fourth word
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Answer != "one two. three …" {
			t.Errorf("turn %+v", turn)
		}
	})
}

// A sentence that is longer than what may be queued has no known length yet.
func TestLongSentenceThatIsCutEarlyIsNotRememberedTooFar(t *testing.T) {
	with(t, func(r *rig) {
		r.duplex = true
		r.mind.sentences = []string{strings.Repeat("word ", 90) + "end."}
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(2 * time.Second)
		r.speak(2)
		if n := len(strings.Fields(r.turn().Answer)); n < 2 || n > 21 {
			t.Errorf("%d words of 20 are remembered", n)
		}
	})
}

func TestAnswerThatGoesOnAfterAToolCanBeInterrupted(t *testing.T) {
	with(t, func(r *rig) {
		r.duplex = true
		r.mind.sentences = []string{"one two.", "do tea", "three four five six."}
		r.mind.pause = 100 * time.Millisecond
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(350 * time.Millisecond)
		if s := r.state(); s != event.Speaking {
			t.Errorf("state %s while the second sentence is spoken", s)
		}
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "interrupted" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestAnswerCanBeInterruptedWhileAToolRuns(t *testing.T) {
	with(t, func(r *rig) {
		r.duplex = true
		r.mind.sentences, r.mind.pause = []string{"one two three four.", "do slow"}, 100*time.Millisecond
	}, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(350 * time.Millisecond)
		r.speak(2)
		if turn := r.turn(); turn.Outcome != "interrupted" || turn.Answer != "one two …" {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestStateShowsToolsUntilTheLastOneEnds(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences = []string{"do tea slow", "done."} }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		time.Sleep(time.Second)
		if s := r.state(); s != event.ToolCalling {
			t.Errorf("state %s while a tool runs", s)
		}
		r.turn()
	})
}

func TestTurnThatTakesTooLongIsHeard(t *testing.T) {
	with(t, func(r *rig) { r.mind.sentences, r.mind.pause = []string{"late."}, time.Hour }, func(t *testing.T, r *rig) {
		r.say(1, "hey hearth why")
		if turn := r.turn(); turn.Outcome != "failed" || turn.Reason != "turn_limit" {
			t.Errorf("turn %+v", turn)
		}
		if !r.mixer.Earcon().Sounding() {
			t.Error("silence")
		}
	})
}

func TestAskReturnsTheDocumentThatIsPublished(t *testing.T) {
	for _, transcripts := range []bool{true, false} {
		with(t, func(r *rig) { r.opt.Transcripts = transcripts }, func(t *testing.T, r *rig) {
			turn, err := r.ask(t.Context(), "do tea")
			if err != nil {
				t.Fatal(err)
			}
			if published := r.turn(); turn.Header != published.Header || turn.Type != "turn" || turn.Answer == "" {
				t.Errorf("asked %+v, published %+v", turn, published)
			}
		})
	}
}

func TestEndedTimersGoBeforeMessagesAndAreNeverRefused(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		for range maxWaiting + 1 {
			if err := r.d.Announce(t.Context(), "word", false, false); err != nil {
				t.Fatal(err)
			}
		}
		r.tell(3)
		r.tell(4)
		var answers []string
		for range 3 {
			answers = append(answers, r.turn().Answer)
		}
		if want := []string{"word", "Timers [3 4] are done.", "word"}; !slices.Equal(answers, want) {
			t.Errorf("said %q, want %q", answers, want)
		}
	})
}

func TestNoDiskKeepsTheLoopWaiting(t *testing.T) {
	var unbounded []string
	check := func(ctx context.Context, what string) error {
		if _, ok := ctx.Deadline(); !ok {
			unbounded = append(unbounded, what)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	with(t, func(r *rig) {
		r.chosen.mute = func(ctx context.Context, _ bool) error { return check(ctx, "muted") }
		r.chosen.save = func(ctx context.Context, _ int) error { return check(ctx, "volume") }
	}, func(t *testing.T, r *rig) {
		if err := r.d.SetMuted(t.Context(), true); !errors.Is(err, context.DeadlineExceeded) || !r.muted {
			t.Errorf("SetMuted: %v, closed %v", err, r.muted)
		}
		if err := r.d.SetVolume(t.Context(), 10); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("SetVolume: %v", err)
		}
		if unbounded != nil {
			t.Errorf("saved without a deadline: %s", strings.Join(unbounded, ", "))
		}
		synctest.Wait()
	})
}

func TestAnnouncementThatWasSupersededIsSaidAgain(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		r.tell(3)
		if _, err := r.ask(t.Context(), "do tea"); err != nil {
			t.Fatal(err)
		}
		var outcomes []string
		for range 3 {
			turn := r.turn()
			outcomes = append(outcomes, turn.Source+" "+turn.Outcome)
		}
		want := []string{"announcement superseded", "text answered", "announcement answered"}
		if !slices.Equal(outcomes, want) {
			t.Errorf("%q, want %q", outcomes, want)
		}
	})
}

func TestWhoWaitsForASpeechThatIsCutKnowsWhy(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		v := r.opt.Voice
		s := v.Begin()
		if err := s.Say(t.Context(), "one two three four", func() {}); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancelCause(t.Context())
		waited := make(chan error, 1)
		go func() {
			err := s.Drain(context.Background())
			waited <- errors.Join(err, context.Cause(ctx))
		}()
		time.Sleep(200 * time.Millisecond)
		v.Cut(func() {
			time.Sleep(100 * time.Millisecond) // it is slow, and nobody is told before
			end(answer.ErrInterrupted)
		})
		if err := <-waited; !errors.Is(err, answer.ErrInterrupted) {
			t.Errorf("%v", err)
		}
	})
}
