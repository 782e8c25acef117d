package thinker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
)

func TestTenthStepMustAnswer(t *testing.T) {
	m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		if n == maxSteps {
			yield(llm.Delta{Text: "I know enough."}, nil)
			return
		}
		yield(calls(fmt.Sprintf(`{"m":%d}`, n))[0], nil)
	}}
	b := &box{}
	th := newThinker(t, m, b)
	said, _, err := think(t.Context(), th, "go on")
	if err != nil || said[len(said)-1] != "I know enough." || len(b.ran) != maxSteps-1 {
		t.Fatalf("said %q, %d calls, error %v", said, len(b.ran), err)
	}
	if len(m.requests[maxSteps-2].Tools) == 0 || len(m.requests[maxSteps-1].Tools) != 0 {
		t.Error("the last step, and only that, offers no tools")
	}
	check(t, m.requests[maxSteps-1].Messages[1:], defaultMaxTokens)
}

func TestThirdIdenticalCallIsNotRun(t *testing.T) {
	b := &box{}
	m := answers(calls(`{"a":1,"b":2}`), calls(`{"b":2, "a":1}`), calls(`{"a":1,"b":2}`), text("It is set."))
	th := newThinker(t, m, b)
	said, _, err := think(t.Context(), th, "timer")
	if err != nil || len(b.ran) != 2 || said[len(said)-1] != "It is set." || len(m.requests) != 4 {
		t.Fatalf("said %q, ran %q, error %v", said, b.ran, err)
	}
	if len(m.requests[3].Tools) != 0 {
		t.Error("tools are offered after the third call")
	}
	check(t, m.requests[3].Messages[1:], defaultMaxTokens)
}

func TestModelThatOnlyCallsEndsWithTheToolsOwnWords(t *testing.T) {
	b := &box{run: func(context.Context, llm.ToolCall) string { return "The timer is set. {\"id\": 7}" }}
	th := newThinker(t, answers(calls(`{"m":1}`), nil), b)
	said, _, err := think(t.Context(), th, "timer")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{`<{"m":1}>`, "The timer is set."}, said)
}

func TestModelThatOnlyRepeatsItselfEndsWithTheToolsOwnWords(t *testing.T) {
	b := &box{run: func(context.Context, llm.ToolCall) string { return "The oven is at 180." }}
	th := newThinker(t, answers(calls(`{"m":1}`), calls(`{"m":1}`), calls(`{"m":1}`), nil), b)
	said, _, err := think(t.Context(), th, "timer")
	if err != nil || len(b.ran) != 2 {
		t.Fatalf("%d calls (%v)", len(b.ran), err)
	}
	equal(t, []string{`<{"m":1}>`, `<{"m":1}>`, "The oven is at 180."}, said)
}

func TestNothingToSayIsEmpty(t *testing.T) {
	for name, a := range map[string][]llm.Delta{
		"nothing":          text(),
		"only json":        text(`{"name": "timer", "arg`, `uments": {}}`),
		"only a tool call": text("<tool_call>{}</tool_call>"),
	} {
		t.Run(name, func(t *testing.T) {
			th := newThinker(t, answers(a), &box{})
			said, usage, err := think(t.Context(), th, "hm")
			if stopOf(t, err) != Empty || said != nil || usage != nil || history(th) != nil {
				t.Errorf("said %q, history %q, error %v", said, history(th), err)
			}
		})
	}
}

func TestModelThatSaysNothingIsAskedForWords(t *testing.T) {
	m := answers(text(), text("I cannot open the garage."))
	th := newThinker(t, m, &box{})
	said, _, err := think(t.Context(), th, "open the garage")
	if err != nil || m.asked() != 2 || len(m.request(0).Tools) == 0 || len(m.request(1).Tools) != 0 {
		t.Errorf("%d requests (%v)", m.asked(), err)
	}
	equal(t, []string{"I cannot open the garage."}, said)
}

func TestTooManyCallsAreCut(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`{"m":%d}`, i))
	}
	m, b := answers(calls(many...), text("Phew.")), &box{}
	th := newThinker(t, m, b)
	if _, _, err := think(t.Context(), th, "timers"); err != nil || len(b.ran) != maxCalls {
		t.Fatalf("%d calls, error %v", len(b.ran), err)
	}
	check(t, m.requests[1].Messages[1:], defaultMaxTokens)
}

var errDown = errors.New("model is down")

func TestFailureKeepsItsCauseAndLeavesNoTrace(t *testing.T) {
	m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		if n == 2 {
			yield(llm.Delta{Text: "Well. I "}, nil)
		}
		yield(llm.Delta{}, errDown)
	}}
	th := newThinker(t, m, &box{})
	_, _, err := think(t.Context(), th, "one")
	if stopOf(t, err) != Failed || !errors.Is(err, errDown) || history(th) != nil {
		t.Errorf("error %v, history %q", err, history(th))
	}
	said, _, err := think(t.Context(), th, "two")
	if stopOf(t, err) != Failed || len(said) != 1 {
		t.Errorf("said %q, error %v", said, err)
	}
	equal(t, []string{"user: two", "assistant: Well."}, history(th))
}

// TestWhatToolsFoundIsSpokenWhenTheModelGivesUp has a model that calls a tool and then
// fails, or takes too long.
func TestWhatToolsFoundIsSpokenWhenTheModelGivesUp(t *testing.T) {
	for _, c := range []struct {
		name, result string
		slow         bool
		want         []string
		stop         Stop // of the error; "": there is an answer
	}{
		{"fails", `The timer is set. {"id": 7}`, false, []string{"<{}>", "The timer is set."}, ""},
		{"takes too long", "The timer is set.", true, []string{"<{}>", "The timer is set."}, ""},
		{"fails, and the result is no sentence", `{"id": 7}`, false, []string{"<{}>"}, Failed},
		{"takes too long, and the result is no sentence", `[{"id": 7}]`, true, []string{"<{}>"}, TimeLimit},
		{"fails over a long result", strings.Repeat("One more. ", 50), false,
			append([]string{"<{}>"}, slices.Repeat([]string{"One more."}, maxSpoken)...), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{answer: func(ctx context.Context, n int, yield func(llm.Delta, error) bool) {
					switch {
					case n == 1:
						yield(calls(`{}`)[0], nil)
					case c.slow:
						<-ctx.Done()
						yield(llm.Delta{}, ctx.Err())
					default:
						yield(llm.Delta{}, errDown)
					}
				}}
				var log strings.Builder
				th := newThinker(t, m, &box{run: func(context.Context, llm.ToolCall) string { return c.result }})
				th.opt.Log = slog.New(slog.NewTextHandler(&log, nil))
				said, usage, err := think(t.Context(), th, "timer")
				equal(t, c.want, said)
				if (usage != nil) != (c.stop == "") || c.stop != "" && stopOf(t, err) != c.stop ||
					c.stop == "" && err != nil {
					t.Errorf("usage %+v, error %v", usage, err)
				}
				if cause := map[bool]string{false: errDown.Error(), true: errTimeLimit.Error()}[c.slow]; c.stop == "" &&
					!strings.Contains(log.String(), cause) {
					t.Errorf("the log does not say why: %s", log.String())
				}
				check(t, th.conv.messages(), defaultMaxTokens)
			})
		})
	}
}

func TestTwoMinutesAreTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{answer: func(ctx context.Context, _ int, yield func(llm.Delta, error) bool) {
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
		}}
		th := newThinker(t, m, &box{})
		begun := time.Now()
		_, _, err := think(t.Context(), th, "hm")
		if stopOf(t, err) != TimeLimit || time.Since(begun) != maxThinking {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

func TestCancelWhileSpeakingYieldsNoFurtherSentence(t *testing.T) {
	th := newThinker(t, answers(text("One. Two. Three. Four.")), &box{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said []string
	var last error
	for d, err := range th.Think(ctx, llm.Ask{Text: "count"}) {
		if d.Text != "" {
			said = append(said, d.Text)
		}
		if last = err; len(said) == 2 {
			cancel()
		}
	}
	equal(t, []string{"One.", "Two."}, said)
	if stopOf(t, last) != Cancelled || !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
	equal(t, []string{"user: count", "assistant: One. Two."}, history(th))
}

func TestCancelWhileToolsRunKeepsOneResultPerCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &box{run: func(ctx context.Context, _ llm.ToolCall) string {
		cancel()
		<-ctx.Done()
		return "That was cancelled."
	}}
	th := newThinker(t, answers(calls(`{"m":1}`, `{"m":2}`)), b)
	if _, _, err := think(ctx, th, "timers"); stopOf(t, err) != Cancelled {
		t.Error(err)
	}
	equal(t, []string{"user: timers", "assistant:  +call +call", "tool: That was cancelled.",
		"tool: That was cancelled."}, history(th))
}

func TestToStopRangingEndsTheTurnAnywhere(t *testing.T) {
	for at := 1; at <= 5; at++ {
		b := &box{}
		th := newThinker(t, answers(append([]llm.Delta{{Text: "Wait."}}, calls(`{"m":1}`, `{"m":2}`)...), text("Set.")),
			b)
		n := 0
		for range th.Think(t.Context(), llm.Ask{Text: "timers"}) {
			if n++; n == at {
				break
			}
		}
		check(t, th.conv.messages(), defaultMaxTokens)
		if ran := len(b.ran); (at > 3) != (ran == 2) {
			t.Errorf("stopped at %d: %d tools ran", at, ran)
		}
	}
}

func TestToForgetByAToolIsConfirmed(t *testing.T) {
	b := &box{}
	m := answers(calls(`{"about":"the gift"}`), text("No model may be asked."))
	th := newThinker(t, m, b)
	b.run = func(context.Context, llm.ToolCall) string {
		th.Forget()
		return "Forgotten."
	}
	said, usage, err := think(t.Context(), th, "forget what I said about the gift")
	if err != nil || usage == nil || said[len(said)-1] != "Forgotten." || m.asked() != 1 || history(th) != nil {
		t.Errorf("said %q, history %q, %d requests (%v)", said, history(th), m.asked(), err)
	}
}

func TestLateTurnCannotSpeakOrWrite(t *testing.T) {
	for name, overtake := range map[string]func(*Thinker){
		"heard":  func(th *Thinker) { th.Heard("One.") },
		"note":   func(th *Thinker) { th.Note(llm.Ask{Text: "stop"}, "Stopped.") },
		"forget": (*Thinker).Forget,
	} {
		t.Run(name, func(t *testing.T) {
			th := newThinker(t, answers(text("One. Two. Three.")), &box{})
			var said []string
			var last error
			for d, err := range th.Think(t.Context(), llm.Ask{Text: "count"}) {
				if d.Text != "" {
					said = append(said, d.Text)
					overtake(th)
				}
				last = err
			}
			equal(t, []string{"One."}, said)
			if stopOf(t, last) != Cancelled || strings.Contains(strings.Join(history(th), " "), "Two") {
				t.Errorf("error %v, history %q", last, history(th))
			}
		})
	}
}

func TestTurnsMayOvertakeEachOtherFromOtherGoroutines(t *testing.T) {
	b := &box{}
	th := newThinker(t, answers(append([]llm.Delta{{Text: "Wait. "}}, calls(`{"m":1}`)...), text("It is set. Good.")),
		b)
	var turns sync.WaitGroup
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		turns.Go(func() {
			for range th.Think(ctx, llm.Ask{Text: strings.Repeat("question ", i)}) {
			}
		})
		switch i % 4 {
		case 0:
			th.Heard("Wait.")
		case 1:
			th.Note(llm.Ask{Text: "stop"}, "Stopped.")
		case 2:
			th.Forget()
		}
		cancel()
	}
	turns.Wait()
	check(t, th.conv.messages(), defaultMaxTokens)
}
