package realtime

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

func TestConnectionIsLostInEachPhaseAndTheTurnIsTold(t *testing.T) {
	for _, c := range []struct {
		name  string
		phase llmtest.RealtimePhase
	}{
		{"dial", llmtest.RealtimeAtDial}, {"update", llmtest.RealtimeAtUpdate}, {"audio", llmtest.RealtimeAtAudio},
		{"commit", llmtest.RealtimeAtCommit}, {"create", llmtest.RealtimeAtCreate},
		{"created", llmtest.RealtimeAtCreated},
		{"speech", llmtest.RealtimeAtSpeech},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				return llmtest.RealtimeAnswer{Text: "hello", Lose: c.phase}
			})
			r.server.LoseAt(c.phase)
			turn, err := r.client.Open(t.Context())
			if err != nil {
				if c.phase > llmtest.RealtimeAtUpdate {
					t.Fatal(err)
				}
				if r.client.Available() {
					t.Error("a service that does not answer is available")
				}
				return
			}
			for range 50 {
				if err = turn.Write(make([]int16, 320)); err != nil {
					break
				}
			}
			if err == nil {
				err = turn.Commit()
			}
			if err == nil {
				err = r.hear(turn).err
			}
			if !errors.Is(err, errLost) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNextTurnComesInANewSessionThatKnowsWhatWasSaid(t *testing.T) {
	lose := llmtest.RealtimeAtSpeech
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		defer func() { lose = llmtest.RealtimeNever }()
		return llmtest.RealtimeAnswer{Text: "hello", Lose: lose}
	})
	first := r.open()
	r.speak(first, time.Second)
	if h := r.hear(first); !errors.Is(h.err, errLost) {
		t.Fatalf("%+v", h)
	}
	r.mu.Lock()
	r.history = []llm.Message{{Role: llm.User, Content: "hi"}, {Role: llm.Assistant, Content: "hel …"},
		{Role: llm.ToolRole, Content: "x", CallID: "y"}}
	r.mu.Unlock()
	second := r.open()
	r.speak(second, time.Second)
	if h := r.hear(second); h.err != nil || h.text != "hello" {
		t.Errorf("%+v", h)
	}
	if all, _ := r.server.Sessions(); all != 2 {
		t.Errorf("%d sessions", all)
	}
	if n := len(r.sent("conversation.item.create")); n != 2 {
		t.Errorf("the new session was told %d messages", n)
	}
}

func TestRefusalsHaveTheirReasonAndNoKey(t *testing.T) {
	for _, c := range []struct {
		status int
		want   error
	}{{401, ErrKey}, {403, ErrKey}, {429, ErrLimit}, {402, ErrLimit}, {500, nil}} {
		r := newRig(t, says("never"))
		r.server.Refuse(c.status)
		_, err := r.client.Open(t.Context())
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("status %d: %v", c.status, err)
		}
		if strings.Contains(err.Error(), "sesame") {
			t.Errorf("the key is in %q", err)
		}
		if _, err := r.client.Open(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("status %d, the next turn: %v", c.status, err)
		}
	}
}

func TestResponseThatFailsTellsWhy(t *testing.T) {
	for code, want := range map[string]error{"insufficient_quota": ErrLimit, "server_error": nil} {
		for _, how := range []llmtest.RealtimeAnswer{{Fail: code}, {Refuse: code}} {
			r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return how })
			turn := r.open()
			r.speak(turn, time.Second)
			h := r.hear(turn)
			if h.err == nil || want != nil && !errors.Is(h.err, want) {
				t.Errorf("%s: %+v", code, h)
			}
		}
	}
}

func TestServiceThatDoesNotBeginIsSlow(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "x", Hold: hold}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	for _, err := range turn.Answer(t.Context(), 10*time.Millisecond, 10*time.Millisecond) {
		if !errors.Is(err, errSlow) {
			t.Errorf("%v", err)
		}
	}
	turn.Cut(0)
	close(hold)
	r.await("response.cancel", 1)
}

func TestIdleSessionIsClosed(t *testing.T) {
	onCable(t, says("hi"), func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); h.err != nil {
			r.Fatal(h.err)
		}
		turn.Cut(time.Hour) // all of it was heard
		time.Sleep(rigIdle - time.Second)
		if _, open := r.server.Sessions(); open != 1 {
			r.Errorf("%d sessions while it may be kept", open)
		}
		time.Sleep(2 * time.Second)
		r.closed()
	})
}

func TestNewRefusesURLs(t *testing.T) {
	for _, u := range []string{"", "ftp://x/v1", "https://", "https://me:secret@host/v1", "://"} {
		if _, err := endpoint(u, "m"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", u, err)
		}
	}
	for from, want := range map[string]string{
		"https://api.openai.com/v1":     "wss://api.openai.com/v1/realtime?model=m",
		"http://127.0.0.1:8000/v1/":     "ws://127.0.0.1:8000/v1/realtime?model=m",
		"wss://host/openai/realtime":    "wss://host/openai/realtime?model=m",
		"https://host/v1?api-version=1": "wss://host/v1/realtime?api-version=1&model=m",
	} {
		if got, err := endpoint(from, "m"); err != nil || got.String() != want {
			t.Errorf("%s: %q, %v", from, got, err)
		}
	}
}
