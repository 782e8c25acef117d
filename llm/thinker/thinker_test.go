package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
)

// model answers the n-th request as it says.
type model struct {
	answer func(ctx context.Context, n int, yield func(llm.Delta, error) bool)

	mu       sync.Mutex
	requests []llm.Request
}

func (m *model) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		m.requests = append(m.requests, req)
		n := len(m.requests)
		m.mu.Unlock()
		m.answer(ctx, n, yield)
	}
}

// answers is a model that gives one answer after the other, and the last one
// again and again.
func answers(as ...[]llm.Delta) *model {
	return &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		for _, d := range as[min(n, len(as))-1] {
			if !yield(d, nil) {
				return
			}
		}
	}}
}

func text(tokens ...string) []llm.Delta {
	var ds []llm.Delta
	for _, t := range tokens {
		ds = append(ds, llm.Delta{Text: t})
	}
	return append(ds, llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: len(tokens)}})
}

func calls(args ...string) []llm.Delta {
	var ds []llm.Delta
	for i, a := range args {
		ds = append(ds, llm.Delta{Call: &llm.ToolCall{ID: fmt.Sprint("id", i, a), Name: "timer", Arguments: json.RawMessage(a)}})
	}
	return append(ds, llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: 5}})
}

// box runs every call with run, and counts.
type box struct {
	run func(ctx context.Context, c llm.ToolCall) string

	mu  sync.Mutex
	ran []string
}

func (b *box) Specs() []llm.ToolSpec {
	return []llm.ToolSpec{{Name: "timer", Description: "sets a timer", Parameters: json.RawMessage(`{"type":"object"}`)}}
}

func (b *box) Run(ctx context.Context, c llm.ToolCall) string {
	b.mu.Lock()
	b.ran = append(b.ran, string(c.Arguments))
	b.mu.Unlock()
	if b.run == nil {
		return "The timer is set."
	}
	return b.run(ctx, c)
}

func newThinker(t testing.TB, m *model, b *box) *Thinker {
	t.Helper()
	th, err := New(Options{Chat: m, Tools: b, Location: time.UTC, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// think ranges to the end. Calls stand in angle brackets.
func think(ctx context.Context, th *Thinker, question string) (said []string, usage *llm.Usage, err error) {
	for d, e := range th.Think(ctx, question) {
		switch {
		case e != nil:
			err = e
		case d.Call != nil:
			said = append(said, "<"+string(d.Call.Arguments)+">")
		case d.Usage != nil:
			usage = d.Usage
		default:
			said = append(said, d.Text)
		}
	}
	return said, usage, err
}

// history is the conversation in short.
func history(th *Thinker) []string {
	th.mu.Lock()
	defer th.mu.Unlock()
	var out []string
	for _, m := range th.conv.messages() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s%s", m.Role, m.Content, strings.Repeat(" +call", len(m.Calls)))))
	}
	return out
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func stopOf(t *testing.T, err error) Stop {
	t.Helper()
	var stop *StopError
	if !errors.As(err, &stop) {
		t.Fatalf("error %v is no StopError", err)
	}
	return stop.Stop
}

func TestAnswerIsSpokenSentenceBySentence(t *testing.T) {
	th := newThinker(t, answers(text("Eight", " minutes", ". For", " **soft**", " ones six.")), &box{})
	said, usage, err := think(t.Context(), th, "How long do eggs take?")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"Eight minutes.", "For soft ones six."}, said)
	equal(t, &llm.Usage{PromptTokens: 10, OutputTokens: 5}, usage)
	equal(t, []string{"user: How long do eggs take?", "assistant: Eight minutes. For soft ones six."}, history(th))
}

func TestToolsRunAndTheModelAnswers(t *testing.T) {
	m, b := answers(append([]llm.Delta{{Text: "One moment."}}, calls(`{"m":1}`, `{"m":2}`)...), text("Both are set.")), &box{}
	th := newThinker(t, m, b)
	said, usage, err := think(t.Context(), th, "two timers")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"One moment.", `<{"m":1}>`, `<{"m":2}>`, "Both are set."}, said)
	equal(t, &llm.Usage{PromptTokens: 20, OutputTokens: 6}, usage)
	equal(t, []string{
		"user: two timers", "assistant: One moment. +call +call", "tool: The timer is set.", "tool: The timer is set.",
		"assistant: Both are set.",
	}, history(th))
	check(t, m.requests[1].Messages[1:], defaultMaxTokens)
}

func TestCallsOfOneStepRunAtTheSameTime(t *testing.T) {
	var together sync.WaitGroup
	together.Add(2)
	b := &box{run: func(context.Context, llm.ToolCall) string {
		together.Done()
		together.Wait() // for ever, if one ran after the other
		return "Set."
	}}
	th := newThinker(t, answers(calls(`{"m":1}`, `{"m":2}`), text("Done.")), b)
	if _, _, err := think(t.Context(), th, "two timers"); err != nil {
		t.Fatal(err)
	}
}

func TestPromptKeepsItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := answers(text("Yes."))
		th := newThinker(t, m, &box{})
		for _, q := range []string{"first", "second"} {
			if _, _, err := think(t.Context(), th, q); err != nil {
				t.Fatal(err)
			}
			time.Sleep(90 * time.Second)
		}
		first, second := m.requests[0].Messages, m.requests[1].Messages
		equal(t, first[0], second[0])
		equal(t, "[Saturday, 1 January 2000, 00:00]\nfirst", first[1].Content)
		equal(t, "first", second[1].Content)
		equal(t, "[Saturday, 1 January 2000, 00:01]\nsecond", second[3].Content)
		equal(t, m.requests[0].Tools, m.requests[1].Tools)
	})
}

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
	for d, err := range th.Think(ctx, "count") {
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
	equal(t, []string{"user: timers", "assistant:  +call +call", "tool: That was cancelled.", "tool: That was cancelled."}, history(th))
}

func TestToStopRangingEndsTheTurnAnywhere(t *testing.T) {
	for at := 1; at <= 4; at++ {
		b := &box{}
		th := newThinker(t, answers(append([]llm.Delta{{Text: "Wait."}}, calls(`{"m":1}`, `{"m":2}`)...), text("Set.")), b)
		n := 0
		for range th.Think(t.Context(), "timers") {
			if n++; n == at {
				break
			}
		}
		check(t, th.conv.messages(), defaultMaxTokens)
		if ran := len(b.ran); at < 4 && ran != 0 {
			t.Errorf("stopped at %d: %d tools ran", at, ran)
		}
	}
}

func TestHistoryHoldsWhatWasHeard(t *testing.T) {
	th := newThinker(t, answers(
		append([]llm.Delta{{Text: "Let me see. "}}, calls(`{"m":1}`)...),
		text("It is set. Enjoy. Bye."), text("Fine.")), &box{})
	for d := range th.Think(t.Context(), "timer") {
		if d.Text == "Enjoy." {
			break
		}
	}
	th.Heard("Let me see. It is")
	equal(t, []string{"user: timer", "assistant:  +call", "tool: The timer is set.", "assistant: Let me see. It is"}, history(th))
}

func TestLateTurnCannotSpeakOrWrite(t *testing.T) {
	for name, overtake := range map[string]func(*Thinker){
		"heard":  func(th *Thinker) { th.Heard("One.") },
		"note":   func(th *Thinker) { th.Note("stop", "Stopped.") },
		"forget": (*Thinker).Forget,
	} {
		t.Run(name, func(t *testing.T) {
			th := newThinker(t, answers(text("One. Two. Three.")), &box{})
			var said []string
			var last error
			for d, err := range th.Think(t.Context(), "count") {
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

func TestNoteAndForget(t *testing.T) {
	m := answers(text("You set one."))
	th := newThinker(t, m, &box{})
	th.Heard("nothing was said yet")
	th.Note("set a timer", "Five minutes, starting now.")
	if _, _, err := think(t.Context(), th, "what did I do?"); err != nil {
		t.Fatal(err)
	}
	equal(t, llm.Message{Role: llm.Assistant, Content: "Five minutes, starting now."}, m.requests[0].Messages[2])
	th.Forget()
	if history(th) != nil {
		t.Error(history(th))
	}
}

func TestTurnsMayOvertakeEachOtherFromOtherGoroutines(t *testing.T) {
	b := &box{}
	th := newThinker(t, answers(append([]llm.Delta{{Text: "Wait. "}}, calls(`{"m":1}`)...), text("It is set. Good.")), b)
	var turns sync.WaitGroup
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		turns.Go(func() {
			for range th.Think(ctx, strings.Repeat("question ", i)) {
			}
		})
		switch i % 4 {
		case 0:
			th.Heard("Wait.")
		case 1:
			th.Note("stop", "Stopped.")
		case 2:
			th.Forget()
		}
		cancel()
	}
	turns.Wait()
	check(t, th.conv.messages(), defaultMaxTokens)
}

func TestHugeToolResultStillFits(t *testing.T) {
	b := &box{run: func(context.Context, llm.ToolCall) string { return strings.Repeat("news ", 100_000) }}
	m := answers(calls(`{"m":1}`, `{"m":2}`), text("Much happened."))
	th := newThinker(t, m, b)
	if _, _, err := think(t.Context(), th, "news"); err != nil {
		t.Fatal(err)
	}
	check(t, m.requests[1].Messages[1:], defaultMaxTokens)
}

func TestNewRefusesBadOptions(t *testing.T) {
	good := Options{Chat: answers(nil), Tools: &box{}, Log: slog.New(slog.DiscardHandler)}
	for name, spoil := range map[string]func(*Options){
		"no model":      func(o *Options) { o.Chat = nil },
		"no tools":      func(o *Options) { o.Tools = nil },
		"no logger":     func(o *Options) { o.Log = nil },
		"tiny prompt":   func(o *Options) { o.MaxTokens = 10 },
		"negative size": func(o *Options) { o.MaxTokens = -1 },
	} {
		o := good
		spoil(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// BenchmarkFirstSentence is the time that the thinker adds between the first
// token of the model and the first sentence: the model is instant.
func BenchmarkFirstSentence(b *testing.B) {
	var first time.Time
	tokens := strings.SplitAfter("Eight minutes for a hard boiled egg, and six minutes for a soft one. Enjoy!", " ")
	m := &model{answer: func(_ context.Context, _ int, yield func(llm.Delta, error) bool) {
		first = time.Now()
		for _, t := range tokens {
			if !yield(llm.Delta{Text: t}, nil) {
				return
			}
		}
	}}
	th := newThinker(b, m, &box{})
	for range maxMessages {
		th.Note("How long do eggs take, roughly?", "Eight minutes for a hard one, six for a soft one.")
	}
	var total time.Duration
	n := 0
	for b.Loop() {
		for range th.Think(b.Context(), "How long do eggs take?") {
			total += time.Since(first)
			n++
			break
		}
	}
	b.ReportMetric(float64(total.Microseconds())/float64(n), "µs/first-sentence")
}
