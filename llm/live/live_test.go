package live

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/llm/realtime"
	"hearthd/rigs/llmtest"
)

// answers says something when a person has spoken.
func answers(text string) func(llmtest.LiveTurn) llmtest.LiveAnswer {
	return func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		if !turn.Heard {
			return llmtest.LiveAnswer{}
		}
		return llmtest.LiveAnswer{Text: text, Heard: "What is bread?"}
	}
}

const bread = "Bread is baked dough."

func TestRequestIsAnsweredAndTheAnswerEnds(t *testing.T) {
	live(t, answers(bread), nil, func(r *rig) {
		turn := r.asks()
		begun := time.Now()
		h := r.hear(turn, 0)
		if h.err != nil || h.text != bread || h.person != "What is bread?" {
			t.Errorf("%+v", h)
		}
		// With what belongs to its sound behind it. It began while the person was still silent.
		if want := time.Duration(len(bread)) * 50 * time.Millisecond; h.audio < want || h.audio > want+300*time.Millisecond {
			t.Errorf("%v of sound, want %v", h.audio, want)
		}
		if took := time.Since(begun); took > h.audio+lasts(pause) {
			t.Errorf("%v for %v", took, h.audio)
		}
		start := r.sent("session.start")
		if len(start) != 1 || len(r.server.Events()) == 0 {
			t.Fatalf("%d starts", len(start))
		}
		if s := start[0]["session"].(map[string]any); s["model"] != "gpt-live-1" || s["instructions"] != "Be short." ||
			s["store"] != false || s["delegation"].(map[string]any)["type"] != "client" {
			t.Errorf("%v", s)
		}
	})
}

func TestAnswerThatEndsBeforeTheRecogniserDoesIsHeard(t *testing.T) {
	live(t, answers("Yes."), nil, func(r *rig) {
		turn := r.open()
		r.says(turn)
		time.Sleep(5 * time.Second)
		if err := turn.Commit(); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if h := r.hear(turn, 0); h.err != nil || h.text != "Yes." || h.audio < 200*time.Millisecond ||
			time.Since(begun) > time.Second {
			t.Errorf("%+v after %v", h, time.Since(begun))
		}
	})
}

// It hears a pause, says that it listens, and the person goes on.
func TestWhatIsSaidWhileThePersonSpeaksIsNoAnswer(t *testing.T) {
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		if turn.N == 1 {
			return llmtest.LiveAnswer{Text: "mm-hm", Deaf: true}
		}
		return llmtest.LiveAnswer{Text: "Yes.", Heard: "What is bread?"}
	}, nil, func(r *rig) {
		turn := r.open()
		r.says(turn) // which contains a pause
		r.says(turn)
		r.says(turn)
		if err := turn.Commit(); err != nil {
			t.Fatal(err)
		}
		if h := r.hear(turn, 0); h.err != nil || h.text != "Yes." {
			t.Errorf("%+v", h)
		}
	})
}

func TestEventsThatAreNotExpectedAreBorne(t *testing.T) {
	for name, how := range map[string]llmtest.LiveAnswer{
		"unknown": {Text: "Yes.", Extra: []map[string]any{{"type": "session.dreams", "delta": 7}}},
		"decision": {Text: "Yes.", Extra: []map[string]any{{"type": "decision.event", "event": map[string]any{}},
			{"type": "session.delegation.created", "delegation": map[string]any{"id": "d", "target": "responses"}}}},
		"an error of no command": {Refuse: "content_filter"}, // the rest of the answer is silent
	} {
		t.Run(name, func(t *testing.T) {
			live(t, func(llmtest.LiveTurn) llmtest.LiveAnswer { return how }, nil, func(r *rig) {
				if h := r.hear(r.asks(), 0); h.err != nil || h.text != how.Text {
					t.Errorf("%+v", h)
				}
				if _, open := r.server.Sessions(); open != 1 {
					t.Error("the session is over")
				}
			})
		})
	}
}

// A recogniser may take a while until the request is committed: by then the answer is there.
func TestServiceHearsThatThePersonIsSilent(t *testing.T) {
	live(t, answers("Yes."), nil, func(r *rig) {
		turn := r.open()
		for range 7 {
			time.Sleep(100 * time.Millisecond)
			if err := turn.Write(speech(100*time.Millisecond, true)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(1200 * time.Millisecond)
		if err := turn.Commit(); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		for d, err := range turn.Answer(r.Context(), rigLimit, rigLimit) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Audio != nil && time.Since(begun) > tick {
				t.Errorf("the first sound came after %v", time.Since(begun))
			}
			if d.Audio != nil {
				break
			}
		}
	})
}

func TestNothingIsSentBetweenTheTurns(t *testing.T) {
	live(t, answers("Yes."), nil, func(r *rig) {
		synctest.Wait()
		r.client.Prepare()
		time.Sleep(time.Second)
		if all, _ := r.server.Sessions(); all != 1 || len(r.server.Events()) != 1 {
			t.Errorf("%d sessions, %d events before the turn", all, len(r.server.Events()))
		}
		turn := r.asks()
		r.hear(turn, 0)
		turn.Cut(time.Hour)
		n := len(r.sent("session.input_audio.append"))
		time.Sleep(5 * time.Second)
		if m := len(r.sent("session.input_audio.append")); m != n {
			t.Errorf("%d pieces of audio after the turn", m-n)
		}
		r.closes() // it is idle
		if n := len(r.sent("session.close")); n != 1 {
			t.Errorf("%d goodbyes", n)
		}
	})
}

// consults hands everything over, and says what it is told.
func consults(filler string, how llmtest.LiveAnswer) func(llmtest.LiveTurn) llmtest.LiveAnswer {
	return func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		switch {
		case turn.Heard:
			how.Text, how.Delegates = filler, max(how.Delegates, 1)
			return how
		case len(turn.Commentary) > 0:
			return llmtest.LiveAnswer{Text: turn.Commentary[0]}
		}
		return llmtest.LiveAnswer{}
	}
}

func TestDelegationIsACallAndItsResultIsSpoken(t *testing.T) {
	for name, how := range map[string]llmtest.LiveAnswer{
		"with the words":           {Heard: "How high is it?"},
		"before the words":         {Heard: "How high is it?", Hasty: true},
		"twice for the same words": {Heard: "How high is it?", Delegates: 2},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, consults("Let me see.", how), nil, func(r *rig) {
				r.call = func(llm.ToolCall) string {
					time.Sleep(3 * time.Second) // longer than the pauses of an answer
					return "330 metres."
				}
				h := r.hear(r.asks(), 0)
				if h.err != nil || h.text != "Let me see. 330 metres." || len(h.calls) != 1 ||
					h.calls[0].Name != "route_to_thinker" || string(h.calls[0].Arguments) != `{"query":"How high is it?"}` {
					t.Errorf("%+v", h)
				}
				said := r.sent("session.commentary.append")
				if len(said) != 1 || said[0]["delegation_id"] != h.calls[0].ID {
					t.Errorf("%v", said)
				}
				if known := r.added("session.thinking.append"); len(known) != max(how.Delegates, 1)-1 {
					t.Errorf("%q", known)
				}
			})
		})
	}
}

func TestLongResultIsAddedInPieces(t *testing.T) {
	long := strings.Repeat("Zwölf Brötchen, bitte. ", 60)
	var told string
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		if len(turn.Commentary) > 0 {
			told = turn.Commentary[0]
			return llmtest.LiveAnswer{Text: "So many."}
		}
		return consults("Well.", llmtest.LiveAnswer{Heard: "Which?"})(turn)
	}, nil, func(r *rig) {
		r.call = func(llm.ToolCall) string { return long }
		if h := r.hear(r.asks(), 0); h.err != nil || h.text != "Well. So many." {
			t.Errorf("%+v", h)
		}
		if told != strings.TrimSpace(long) {
			t.Errorf("told %q", told)
		}
	})
}

func TestWordsThatDoNotComeAreAskedFor(t *testing.T) {
	live(t, consults("", llmtest.LiveAnswer{}), nil, func(r *rig) {
		if h := r.hear(r.asks(), 0); h.err != nil || h.text != toldUnheard || len(h.calls) != 0 {
			t.Errorf("%+v", h)
		}
	})
}

func TestSilenceIsAnAnswer(t *testing.T) {
	live(t, answers(""), nil, func(r *rig) {
		if h := r.hear(r.asks(), 0); h.err != nil || h.text != "" || h.audio != 0 {
			t.Errorf("%+v", h)
		}
	})
}

func TestResultThatIsNotSpokenIsAFailure(t *testing.T) {
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer {
		if turn.Heard {
			return llmtest.LiveAnswer{Heard: "How high?", Delegates: 1}
		}
		return llmtest.LiveAnswer{}
	}, nil, func(r *rig) {
		r.call = func(llm.ToolCall) string { return "330 metres." }
		if h := r.hear(r.asks(), 0); h.err == nil {
			t.Errorf("%+v", h)
		}
	})
}

func TestWhatWasNotMeantForTheServiceEndsTheSession(t *testing.T) {
	live(t, answers("Yes."), nil, func(r *rig) {
		turn := r.open()
		r.says(turn)
		turn.Cut(0) // the house has done it
		begun := time.Now()
		if r.closes(); time.Since(begun) > rigIdle/2 {
			t.Error("the service still knows it")
		}
		if h := r.hear(r.asks(), 0); h.err != nil || h.text != "Yes." {
			t.Errorf("%+v", h)
		}
	})
}

func TestWhatWasSaidBeforeIsKnown(t *testing.T) {
	live(t, answers("Yes."), func(r *rig) {
		for range 30 {
			r.persona.History = append(r.persona.History, llm.Message{Role: llm.User, Content: "hi"},
				llm.Message{Role: llm.Assistant, Content: "hello"}, llm.Message{Role: llm.ToolRole, Content: "x"})
		}
	}, func(r *rig) {
		r.hear(r.asks(), 0)
		r.client.Note([]llm.Message{{Role: llm.User, Content: "ten minutes"}, {Role: llm.Assistant, Content: "Sure."}})
		if known := r.added(toKnow); !slices.Equal(known, []string{"The person said to the house: ten minutes",
			"The house answered: Sure."}) {
			t.Errorf("%q", known)
		}
		input := r.sent("session.start")[0]["session"].(map[string]any)["input"].([]any)
		if len(input) != maxHistory || input[maxHistory-1].(map[string]any)["role"] != "assistant" {
			t.Errorf("%v", input)
		}
	})
}

// Its instructions cannot be changed.
func TestSessionIsReplacedWhenThePersonaChanges(t *testing.T) {
	live(t, answers("Yes."), nil, func(r *rig) {
		r.hear(r.asks(), 0)
		r.hear(r.asks(), 0)
		r.mu.Lock()
		r.persona.Instructions = "Her name is Ada."
		r.mu.Unlock()
		if h := r.hear(r.asks(), 0); h.err != nil || h.text != "Yes." {
			t.Errorf("%+v", h)
		}
		if starts := r.sent("session.start"); len(starts) != 2 ||
			starts[1]["session"].(map[string]any)["instructions"] != "Her name is Ada." {
			t.Errorf("%v", starts)
		}
	})
}

func TestRemarkIsSpoken(t *testing.T) {
	live(t, func(turn llmtest.LiveTurn) llmtest.LiveAnswer { return llmtest.LiveAnswer{Text: "Goodbye."} }, nil,
		func(r *rig) {
			turn := r.open()
			if err := turn.Remark("Say goodbye."); err != nil {
				t.Fatal(err)
			}
			if h := r.hear(turn, 0); h.err != nil || h.text != "Goodbye." {
				t.Errorf("%+v", h)
			}
		})
}

// What it bills is what is paid, and what it cannot say any more is counted by the clock.
func TestMinutesArePaid(t *testing.T) {
	live(t, answers(bread), nil, func(r *rig) {
		turn := r.asks()
		h := r.hear(turn, 0)
		turn.Cut(time.Hour)
		if spent := r.money(); h.cost <= 0 || math.Abs(spent-h.cost) > 1e-9 {
			t.Errorf("spent %v, and the turn %v", spent, h.cost)
		}
		r.closes()
		seconds := 0.0
		for _, e := range r.sent("session.input_audio.append") {
			seconds += float64(len(e["audio"].(string))) * 3 / 4 / 2 / rate
		}
		if spent := r.money(); spent < seconds/60*rigPrice-1e-9 || spent > (seconds+1)/60*rigPrice {
			t.Errorf("spent %v for %v s", spent, seconds)
		}
	})
	live(t, answers(bread), nil, func(r *rig) {
		r.hear(r.asks(), 0)
		time.Sleep(5 * time.Second)
		r.server.Drop()
		r.closes()
		if spent := r.money(); spent < 8.0/60*rigPrice {
			t.Errorf("spent %v", spent)
		}
	})
}

func TestServiceThatHearsTheEndIsBelieved(t *testing.T) {
	live(t, answers("Yes."), func(r *rig) { r.opt.Detection = "semantic_vad" }, func(r *rig) {
		turn := r.open()
		begun, ended := turn.Speech()
		for range 7 {
			time.Sleep(tick)
			if err := turn.Write(speech(tick, true)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		select {
		case <-ended:
			t.Error("it hears an end while the person speaks")
		default:
		}
		r.says(turn)
		for _, c := range []<-chan struct{}{begun, ended} {
			select {
			case <-c:
			case <-time.After(time.Second):
				t.Fatal("it hears nothing")
			}
		}
		if err := turn.Commit(); err != nil {
			t.Fatal(err)
		}
		if h := r.hear(turn, 0); h.err != nil || h.text != "Yes." || h.person != "What is bread?" {
			t.Errorf("%+v", h)
		}
	})
}

func TestFailureEndsTheTurnWithAnError(t *testing.T) {
	for name, how := range map[string]llmtest.LiveAnswer{
		"lost": {Lose: true}, "in the middle": {LoseIn: true, Text: bread}, "expired": {Close: "expired"},
		"content": {Close: "content"}, "silent about it": {Close: "new_reason"},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, func(llmtest.LiveTurn) llmtest.LiveAnswer { return how }, nil, func(r *rig) {
				turn := r.open()
				err := r.utters(turn)
				if err == nil {
					err = turn.Commit()
				}
				if err == nil {
					err = r.hear(turn, 0).err
				}
				if err == nil {
					t.Error("no error")
				}
			})
		})
	}
}

func TestRefusalsAtTheStartAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		how  func(*llmtest.Live)
		want error
	}{
		"key":   {func(s *llmtest.Live) { s.WantKey("other") }, realtime.ErrKey},
		"limit": {func(s *llmtest.Live) { s.Refuse(429) }, realtime.ErrLimit},
		"model": {func(s *llmtest.Live) { s.Gone(llmtest.RealtimeGoneEvent, "The model `gpt-live-1` does not exist") }, llm.ErrModel},
		"lost":  {func(s *llmtest.Live) { s.LoseAt(llmtest.RealtimeAtUpdate) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			live(t, answers("Yes."), func(r *rig) { c.how(r.server) }, func(r *rig) {
				_, err := r.client.Open(r.Context())
				if err == nil || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("%v", err)
				}
				if r.client.Available() {
					t.Error("it is available")
				}
			})
		})
	}
}
