package realtime

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

func says(text string) func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	return func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return llmtest.RealtimeAnswer{Text: text} }
}

func TestSpeechIsAnswered(t *testing.T) {
	var got llmtest.RealtimeTurn
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		got = turn
		return llmtest.RealtimeAnswer{Text: "hello", Heard: "Hi there."}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	h := r.hear(turn)
	if h.err != nil || h.text != "hello" || h.person != "Hi there." || h.audio != 5*rate/20 {
		t.Errorf("%+v", h)
	}
	if got.Audio < rate-rate/50 || got.Audio > rate+rate/50 {
		t.Errorf("the server heard %d samples of one second", got.Audio)
	}
	if want := (100*32+50*64)/1e6 + 0.006/60; math.Abs(r.spent-want) > 1e-9 || math.Abs(h.cost-want) > 1e-9 {
		t.Errorf("spent %v, the turn %v, want %v", r.spent, h.cost, want)
	}
}

func TestTranscriptIsPaidByTokensOrByTime(t *testing.T) {
	const answer = (100*32 + 50*64) / 1e6
	for _, c := range []struct {
		usage map[string]any
		want  float64
	}{
		{map[string]any{"type": "duration", "seconds": 90}, 0.009},
		{map[string]any{"type": "tokens", "total_tokens": 1200, "input_tokens": 1000, "output_tokens": 200,
			"input_token_details": map[string]any{"text_tokens": 0, "audio_tokens": 1000}}, 0.00225},
		{map[string]any{"type": "duration", "seconds": -1e9}, 0}, // nothing is ever given back
	} {
		r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
			return llmtest.RealtimeAnswer{Text: "yes", Heard: "Is it?", Written: c.usage}
		})
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); math.Abs(h.cost-answer-c.want) > 1e-9 || h.person != "Is it?" {
			t.Errorf("%v: %+v, want %v more than the answer's %v", c.usage, h, c.want, answer)
		}
	}
}

func TestTooLittleSpeechIsNotCommitted(t *testing.T) {
	r := newRig(t, says("what"))
	turn := r.open()
	for range 12 {
		if err := turn.Write(make([]int16, 320)); err != nil {
			t.Fatal(err)
		}
	}
	if err := turn.Commit(); !errors.Is(err, errTooShort) {
		t.Errorf("240 ms: %v", err)
	}
	turn.Cut(0)
	r.await("input_audio_buffer.clear", 1)
	if n := len(r.sent("input_audio_buffer.commit")); n != 0 {
		t.Errorf("%d commits", n)
	}
}

func TestToolCallsRunTogetherAndAreAnsweredOnce(t *testing.T) {
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "let me see",
				Calls: []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{}"},
					{ID: "b", Name: "look", Arguments: "{"}}}
		}
		slices.Sort(turn.Outputs)
		return llmtest.RealtimeAnswer{Text: strings.Join(turn.Outputs, "+")}
	})
	var both sync.WaitGroup
	both.Add(2)
	r.call = func(call llm.ToolCall) string {
		both.Done()
		both.Wait()
		return "saw " + call.ID
	}
	turn := r.open()
	r.speak(turn, time.Second)
	h := r.hear(turn)
	if h.err != nil || h.text != "let me see saw a+saw b" || len(h.calls) != 2 {
		t.Errorf("%+v", h)
	}
	if ids := r.outputs(); !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("outputs %v", ids)
	}
}

func TestCutCancelsTruncatesAndDropsWhatComesLate(t *testing.T) {
	half, over := make(chan struct{}), make(chan string, 1)
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "one two three", Halfway: half, Late: true,
				OnDone: func(s string) { over <- s }}
		}
		return llmtest.RealtimeAnswer{Text: "new"}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	var h heard
	for d, err := range turn.Answer(t.Context(), limit, limit) {
		h.add(d, err)
		if h.audio > 0 {
			break
		}
	}
	turn.Cut(30 * time.Millisecond)
	if status := <-over; status != "cancelled" {
		t.Errorf("the response is %s", status)
	}
	cuts := r.await("conversation.item.truncate", 1)
	if ms := cuts[0]["audio_end_ms"]; ms != 30.0 {
		t.Errorf("truncated at %v ms", ms)
	}
	next := r.open()
	r.speak(next, time.Second)
	if h := r.hear(next); h.text != "new" || h.err != nil {
		t.Errorf("%+v", h)
	}
	if n := len(r.sent("response.cancel")); n != 1 {
		t.Errorf("%d cancels", n)
	}
}

func TestCutOfAFinishedAnswerTruncatesAndCancelsNothing(t *testing.T) {
	r := newRig(t, says("one two three"))
	turn := r.open()
	r.speak(turn, time.Second)
	h := r.hear(turn)
	if h.audio != 13*rate/20 {
		t.Fatalf("%+v", h)
	}
	turn.Cut(200 * time.Millisecond)
	if ms := r.await("conversation.item.truncate", 1)[0]["audio_end_ms"]; ms != 200.0 {
		t.Errorf("truncated at %v ms", ms)
	}
	if n := len(r.sent("response.cancel")); n != 0 {
		t.Errorf("%d cancels", n)
	}
}

func TestCallOfAnOldTurnIsAnsweredOnceAndNothingFollows(t *testing.T) {
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Calls: []llmtest.RealtimeCall{{ID: "slow", Name: "look", Arguments: "{}"}}}
		}
		return llmtest.RealtimeAnswer{Text: "second"}
	})
	first := r.open()
	r.speak(first, time.Second)
	for d := range first.Answer(t.Context(), limit, limit) {
		if d.Call != nil {
			break
		}
	}
	second := r.open()
	first.Result("slow", "late")
	r.speak(second, time.Second)
	if h := r.hear(second); h.text != "second" || h.err != nil {
		t.Errorf("%+v", h)
	}
	if ids := r.outputs(); !slices.Equal(ids, []string{"slow"}) {
		t.Errorf("outputs %v", ids)
	}
	if n := len(r.sent("response.create")); n != 2 {
		t.Errorf("%d responses were asked for", n)
	}
}

func TestNextResponseWaitsForTheEndOfTheOneThatRuns(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "old", Hold: hold}
		}
		return llmtest.RealtimeAnswer{Text: "new"}
	})
	first := r.open()
	r.speak(first, time.Second)
	r.await("response.create", 1)
	second := r.open() // cuts the first before its response has begun
	r.speak(second, time.Second)
	r.await("input_audio_buffer.commit", 2)
	if n := len(r.sent("response.create")); n != 1 {
		t.Errorf("%d responses at once", n)
	}
	close(hold)
	if h := r.hear(second); h.text != "new" || h.err != nil {
		t.Errorf("%+v", h)
	}
	if h := r.hear(first); h.text != "" || h.err != nil {
		t.Errorf("of the turn that was cut: %+v", h)
	}
}

// As a server is that somebody else wrote (see llmtest/oracle).
func TestServerWithoutIDsAndItemsIsUnderstood(t *testing.T) {
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.Outputs == nil {
			return llmtest.RealtimeAnswer{Bare: true,
				Calls: []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{}"}}}
		}
		return llmtest.RealtimeAnswer{Bare: true, Text: turn.Outputs[0]}
	})
	r.call = func(call llm.ToolCall) string { return "rain" }
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.err != nil || h.text != "rain" || h.audio == 0 || len(h.calls) != 1 {
		t.Errorf("%+v", h)
	}
}

func TestCallOfAResponseThatFailsIsNotRun(t *testing.T) {
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Fail: "server_error", Bare: true,
			Calls: []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{"}}}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.err == nil || len(h.calls) != 0 {
		t.Errorf("%+v", h)
	}
}

func TestToolsWithoutEndAreEnded(t *testing.T) {
	n := 0
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		n++
		return llmtest.RealtimeAnswer{Calls: []llmtest.RealtimeCall{{ID: "c" + strings.Repeat("i", n), Name: "look",
			Arguments: "{}"}}}
	})
	r.call = func(llm.ToolCall) string { return "more" }
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); !errors.Is(h.err, errRounds) {
		t.Errorf("%+v", h)
	}
	r.await("conversation.item.create", maxRounds)
	if ids := r.outputs(); len(ids) != maxRounds {
		t.Errorf("%d outputs of %d calls", len(ids), n)
	}
}

func TestStormOfCallsIsAnsweredWithoutRunningAllOfThem(t *testing.T) {
	storm := make([]llmtest.RealtimeCall, 40)
	for i := range storm {
		storm[i] = llmtest.RealtimeCall{ID: "c" + strings.Repeat("i", i), Name: "look", Arguments: "{}"}
	}
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Calls: storm}
		}
		return llmtest.RealtimeAnswer{Text: "done"}
	})
	r.call = func(llm.ToolCall) string { return "ok" }
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.text != "done" || len(h.calls) != maxCalls {
		t.Errorf("%d calls, %+v", len(h.calls), h.err)
	}
	if n := len(r.outputs()); n != len(storm) {
		t.Errorf("%d outputs of %d calls", n, len(storm))
	}
}

func TestRemarkStaysOutOfTheConversation(t *testing.T) {
	r := newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if !turn.Aside || turn.Told != "Ask whether there is more." {
			t.Errorf("%+v", turn)
		}
		return llmtest.RealtimeAnswer{Text: "anything else"}
	})
	turn := r.open()
	if err := turn.Remark("Ask whether there is more."); err != nil {
		t.Fatal(err)
	}
	if h := r.hear(turn); h.text != "anything else" {
		t.Errorf("%+v", h)
	}
	turn.Cut(0)
	r.client.End()
	r.closed()
	if n := len(r.sent("conversation.item.truncate")); n != 0 {
		t.Errorf("%d truncations of what is in no conversation", n)
	}
}

func TestUnknownEventsArePassedOver(t *testing.T) {
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "yes",
			Extra: []map[string]any{{"type": "response.hologram.delta", "delta": []int{1}}, {"type": "new.thing"}}}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.text != "yes" || h.err != nil {
		t.Errorf("%+v", h)
	}
}
