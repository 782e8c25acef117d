package realtime

import (
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
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
	note := []llm.Message{{Role: llm.User, Content: "ten minutes for the eggs"},
		{Role: llm.Assistant, Content: "Ten minutes."}}
	r.client.Note(note) // there is no session yet, and it will come with the history
	r.speak(r.open(), time.Second)
	r.client.Note(note)
	if n := len(r.await("conversation.item.create", 2)); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestSessionIsEnded(t *testing.T) {
	r := newRig(t, says("hi"))
	turn := r.open()
	r.speak(turn, time.Second)
	r.hear(turn)
	r.client.End()
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
	onCable(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "wait",
				Calls: []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{}"}}}
		}
		return llmtest.RealtimeAnswer{Text: "so", Halfway: make(chan struct{})}
	}, func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		var h heard
		begun := time.Now()
		for d, err := range turn.Answer(r.Context(), patience, patience) {
			h.add(d, err)
			if d.Call != nil {
				time.AfterFunc(3*patience, func() { turn.Result("a", "there") })
			}
		}
		turn.Cut(0)
		if took := time.Since(begun); !errors.Is(h.err, errSlow) || h.text != "wait s" || took != 4*patience {
			r.Errorf("%+v after %v", h, took)
		}
	})
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
	if _, err := r.client.Open(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("%v", err)
	}
	r.closed()
}

func TestOldSessionIsReplacedByOneThatKnowsWhatWasSaid(t *testing.T) {
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		a := llmtest.RealtimeAnswer{Text: "hi"}
		if turn.N == 3 {
			a.Halfway = make(chan struct{})
		}
		return a
	})
	first := r.open()
	r.speak(first, time.Second)
	r.hear(first)
	first.s.begun = time.Now().Add(-recycle - time.Second)
	over := r.open()
	if over.s != first.s {
		t.Error("a session was replaced while its answer was heard, and not yet history")
	}
	over.Cut(0)
	r.mu.Lock()
	r.history = []llm.Message{{Role: llm.User, Content: "hello"}, {Role: llm.Assistant, Content: "hi"}}
	r.mu.Unlock()
	second := r.open()
	r.speak(second, time.Second)
	if h := r.hear(second); h.text != "hi" || second.s == first.s {
		t.Errorf("%+v, the same session: %t", h, second.s == first.s)
	}
	if n := len(r.sent("conversation.item.create")); n != 2 {
		t.Errorf("the new session was told %d messages", n)
	}
	second.Cut(time.Hour)
	second.s.begun = time.Now().Add(-recycle - time.Second)
	third := r.open()
	r.speak(third, time.Second)
	third.s.begun = time.Now().Add(-recycle - time.Second)
	if fourth := r.open(); fourth.s != third.s {
		t.Error("a session was replaced while it answers")
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("some turns", func(t *testing.T) {
		r := newRig(t, says("one two three"))
		for i := range 10 {
			turn := r.open()
			r.speak(turn, time.Second)
			for range turn.Answer(t.Context(), limit, limit) {
				break
			}
			switch {
			case i%2 == 0:
				turn.Cut(0)
			case i == 5:
				r.server.Drop()
				<-turn.s.ended
			}
		}
	})
	for end := time.Now().Add(limit); runtime.NumGoroutine() > before; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// A turn that another has taken over before its Commit is no answer that has ended well.
func TestTurnThatAnotherTookOverFails(t *testing.T) {
	r := newRig(t, says("hi"))
	first := r.open()
	for range 50 {
		if err := first.Write(make([]int16, 320)); err != nil {
			t.Fatal(err)
		}
	}
	second := r.open()
	err := first.Commit()
	n := 0
	for _, e := range first.Answer(t.Context(), limit, limit) {
		n++
		if e != nil {
			err = e
		}
	}
	if err == nil {
		t.Errorf("the turn that was taken over was committed and answered with %d deltas and no error", n)
	}
	second.Cut(0)
}

// An answer that the service breaks off is not whole.
func TestAnswerThatTheServiceCutsShortIsNotWhole(t *testing.T) {
	o := &Options{verdict: func(error) {}}
	s := &Session{opt: o, out: make(chan outgoing, 10)}
	l := newLoop(s)
	turn := &Turn{s: s, more: make(chan struct{}, 1)}
	l.begin(turn)
	l.want(&create{turn: turn})
	l.event(&incoming{Type: "response.created", Response: answer{ID: "r"}})
	l.event(&incoming{Type: "response.output_audio.delta", ResponseID: "r", ItemID: "i", Delta: "AAAA"})
	l.event(&incoming{Type: "response.done", Response: answer{ID: "r", Status: "incomplete"}})
	if turn.over && turn.err == nil {
		t.Error("it is whole")
	}
}

// An error about something else than the response that is awaited.
func TestErrorAboutATruncationFailsNoTurn(t *testing.T) {
	o := &Options{verdict: func(error) {}}
	s := &Session{opt: o, out: make(chan outgoing, 10), log: slog.New(slog.DiscardHandler)}
	l := newLoop(s)
	old := &Turn{s: s, more: make(chan struct{}, 1), spoken: []spoken{{"i", 0, rate}}}
	l.begin(old)
	turn := &Turn{s: s, more: make(chan struct{}, 1)}
	l.begin(turn)
	l.cut(old, 100)
	l.want(&create{turn: turn})
	var sent []outgoing
	for len(s.out) > 0 {
		sent = append(sent, <-s.out)
	}
	cut := sent[0]
	e := &incoming{Type: "error"}
	e.Error.Event = cut.Event
	e.Error.Type, e.Error.Code = "invalid_request_error", "item_truncate_invalid_item_id"
	l.event(e)
	if turn.over {
		t.Errorf("the next turn ends with %v", turn.err)
	}
}

// Nothing of what a person said has arrived, so there is nothing to answer.
func TestNoResponseIsAskedForAfterACommitThatWasRefused(t *testing.T) {
	o := &Options{verdict: func(error) {}}
	s := &Session{opt: o, out: make(chan outgoing, 10), log: slog.New(slog.DiscardHandler)}
	l := newLoop(s)
	old := &Turn{s: s, more: make(chan struct{}, 1)}
	l.begin(old)
	l.want(&create{turn: old})
	l.created("r")
	turn := &Turn{s: s, more: make(chan struct{}, 1)}
	l.begin(turn)
	l.commits = append(l.commits, turn)
	l.want(&create{turn: turn}) // waits for the end of r, which was cancelled
	refused := &incoming{Type: "error"}
	refused.Error.Event, refused.Error.Code = eventCommit, "input_audio_buffer_commit_empty"
	l.event(refused)
	for len(s.out) > 0 {
		<-s.out
	}
	l.event(&incoming{Type: "response.done", Response: answer{ID: "r", Status: "cancelled"}})
	for len(s.out) > 0 {
		if e := <-s.out; e.Type == "response.create" {
			t.Errorf("the turn has failed with %v, and sends %s", turn.err, e.Type)
		}
	}
}
