package realtime

import (
	"errors"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/llmtest"
)

func TestSessionIsToldOnlyWhatHasChangedBetweenTurns(t *testing.T) {
	r := newRig(t, says("hi"))
	for i, want := range []int{1, 1, 2, 3, 3} {
		r.mu.Lock()
		switch i {
		case 2:
			r.persona.Instructions = "Her name is Ada."
		case 3:
			r.persona.Tools = nil
		}
		r.mu.Unlock()
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); h.err != nil {
			t.Fatal(h.err)
		}
		if n := len(r.sent("session.update")); n != want {
			t.Errorf("turn %d: %d updates, want %d", i, n, want)
		}
	}
	changed := r.sent("session.update")[1]["session"].(map[string]any)
	if changed["instructions"] != "Her name is Ada." || changed["audio"] != nil {
		t.Errorf("%v", changed)
	}
	if all, _ := r.server.Sessions(); all != 1 {
		t.Errorf("%d sessions", all)
	}
}

func TestSessionIsToldWhatWasSaidWithoutIt(t *testing.T) {
	r := newRig(t, says("hi"))
	note := []llm.Message{{Role: llm.User, Content: "ten minutes for the eggs"}, {Role: llm.Assistant, Content: "Ten minutes."}}
	r.client.Note(note) // there is no session yet, and it will come with the history
	r.speak(r.open(), time.Second)
	r.client.Note(note)
	if n := len(r.await("conversation.item.create", 2)); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestForgottenSessionIsEnded(t *testing.T) {
	r := newRig(t, says("hi"))
	turn := r.open()
	r.speak(turn, time.Second)
	r.hear(turn)
	r.client.Forget()
	r.closed()
	if again := r.open(); again.s == turn.s {
		t.Error("the session goes on")
	}
}

func TestErrorOfATurnThatIsOverDoesNotEndTheNext(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Refuse: "server_error", Hold: hold}
		}
		return llmtest.RealtimeAnswer{Text: "new"}
	})
	r.speak(r.open(), time.Second)
	r.await("response.create", 1)
	second := r.open()
	r.speak(second, time.Second)
	r.await("input_audio_buffer.commit", 2)
	close(hold)
	if h := r.hear(second); h.text != "new" || h.err != nil {
		t.Errorf("%+v", h)
	}
}

func TestTurnIsTruncatedThoughTheNextHasBegun(t *testing.T) {
	r := newRig(t, says("one two three"))
	first := r.open()
	r.speak(first, time.Second)
	r.hear(first)
	r.open()
	first.Cut(200 * time.Millisecond)
	first.Cut(0)
	if cuts := r.await("conversation.item.truncate", 1); len(cuts) != 1 || cuts[0]["audio_end_ms"] != 200.0 {
		t.Errorf("%v", cuts)
	}
}

func TestAnswerThatStopsInTheMiddleIsSlowButNotWhileAToolRuns(t *testing.T) {
	const patience = 100 * time.Millisecond
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "wait", Calls: []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{}"}}}
		}
		return llmtest.RealtimeAnswer{Text: "so", Halfway: make(chan struct{})}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	var h heard
	begun := time.Now()
	for d, err := range turn.Answer(t.Context(), patience, patience) {
		h.add(d, err)
		if d.Call != nil {
			time.AfterFunc(3*patience, func() { turn.Result("a", "there") })
		}
	}
	turn.Cut(0)
	if took := time.Since(begun); !errors.Is(h.err, ErrSlow) || h.text != "wait s" || took < 4*patience {
		t.Errorf("%+v after %v", h, took)
	}
}

func TestServiceThatFailsTurnAfterTurnIsLeftAlone(t *testing.T) {
	fail := "server_error"
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "hi", Fail: fail}
	})
	turns := func() (n int) {
		for ; n < 10 && r.client.Available(); n++ {
			turn := r.open()
			r.speak(turn, time.Second)
			if h := r.hear(turn); h.err == nil {
				t.Fatal("it did not fail")
			}
			r.settle()
		}
		return n
	}
	if n := turns(); n != maxFaults {
		t.Errorf("left alone after %d turns", n)
	}
	if _, err := r.client.Open(t.Context()); !errors.Is(err, ErrAway) {
		t.Errorf("%v", err)
	}
	r.closed()
}
