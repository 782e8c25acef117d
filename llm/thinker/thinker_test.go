package thinker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools/phrase"
)

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
	m, b := answers(append([]llm.Delta{{Text: "One moment."}}, calls(`{"m":1}`, `{"m":2}`)...), text("Both are set.")),
		&box{}
	th := newThinker(t, m, b)
	said, usage, err := think(t.Context(), th, "two timers")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"One moment.", `<{"m":1}>`, `<{"m":2}>`, "Both are set."}, said)
	equal(t, &llm.Usage{PromptTokens: 20, OutputTokens: 6, Calls: 2}, usage)
	equal(t, []string{
		"user: two timers", "assistant: One moment. +call +call", `tool: The timer is set. {"m":1}`,
		`tool: The timer is set. {"m":2}`,
		"assistant: Both are set.",
	}, history(th))
	check(t, m.requests[1].Messages[1:], defaultMaxTokens)
}

func TestIndependentCallsOfOneStepRunAtTheSameTime(t *testing.T) {
	var together sync.WaitGroup
	together.Add(4)
	b := &box{reads: []string{"time_now", "time_after"}, acts: []string{"timer_set", "list_add"},
		run: func(context.Context, llm.ToolCall) string {
			together.Done()
			together.Wait() // for ever, if one ran after the other
			return "Set."
		}}
	th := newThinker(t, answers(call("time_now", "time_after", "timer_set", "list_add"), text("Done.")), b)
	if _, _, err := think(t.Context(), th, "tea and milk"); err != nil {
		t.Fatal(err)
	}
}

func TestCallsThatDependOnEachOtherRunInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		note := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, text)
		}
		b := &box{reads: []string{"timer_left"}, acts: []string{"timer_cancel", "timer_set"},
			run: func(_ context.Context, c llm.ToolCall) string {
				note(c.Name)
				if c.Name != "timer_left" {
					time.Sleep(time.Second)
				}
				note("done")
				return c.Name
			}}
		th := newThinker(t, answers(call("timer_cancel", "timer_set", "timer_left"), text("Done.")), b)
		if _, _, err := think(t.Context(), th, "another timer instead"); err != nil {
			t.Fatal(err)
		}
		equal(t, []string{"timer_cancel", "done", "timer_set", "done", "timer_left", "done"}, got)
		equal(t, []string{
			"user: another timer instead", "assistant:  +call +call +call", "tool: timer_cancel", "tool: timer_set",
			"tool: timer_left", "assistant: Done.",
		}, history(th))
	})
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

func TestHistoryHoldsWhatWasHeard(t *testing.T) {
	th := newThinker(t, answers(
		append([]llm.Delta{{Text: "Let me see. "}}, calls(`{"m":1}`)...),
		text("It is set. Enjoy. Bye."), text("Fine.")), &box{})
	for d := range th.Think(t.Context(), llm.Ask{Text: "timer"}) {
		if d.Text == "Enjoy." {
			break
		}
	}
	th.Heard("Let me see. It is")
	equal(t, []string{"user: timer", "assistant:  +call", `tool: The timer is set. {"m":1}`,
		"assistant: Let me see. It is"}, history(th))
}

func TestNoteAndForget(t *testing.T) {
	m := answers(text("You set one."))
	th := newThinker(t, m, &box{})
	th.Heard("nothing was said yet")
	th.Note(llm.Ask{Text: "set a timer"}, "Five minutes, starting now.")
	if _, _, err := think(t.Context(), th, "what did I do?"); err != nil {
		t.Fatal(err)
	}
	equal(t, llm.Message{Role: llm.Assistant, Content: "Five minutes, starting now."}, m.requests[0].Messages[2])
	th.Forget()
	if history(th) != nil {
		t.Error(history(th))
	}
}

func TestEachRequestKeepsHowItCame(t *testing.T) {
	m := answers(text("Yes."))
	th := newThinker(t, m, &box{})
	for _, mode := range []llm.Mode{llm.Voice, llm.Typed} {
		for _, err := range th.Think(t.Context(), llm.Ask{Text: "hello", Mode: mode}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	th.Note(llm.Ask{Text: "set a timer", Mode: llm.Voice}, "It is set.")
	var modes []llm.Mode
	for _, m := range th.History() {
		if m.Role == llm.User {
			modes = append(modes, m.Mode)
		}
	}
	equal(t, []llm.Mode{llm.Voice, llm.Typed, llm.Voice}, modes)
	if n := len(m.request(1).Messages); n != 4 {
		t.Errorf("what was written is told %d messages: it shares the conversation with what was spoken", n)
	}
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
	good := Options{Book: phrase.English(), Chat: answers(nil), Tools: &box{}, Log: slog.New(slog.DiscardHandler)}
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
	for range defaultMaxMessages {
		th.Note(llm.Ask{Text: "How long do eggs take, roughly?"}, "Eight minutes for a hard one, six for a soft one.")
	}
	var total time.Duration
	n := 0
	for b.Loop() {
		for range th.Think(b.Context(), llm.Ask{Text: "How long do eggs take?"}) {
			total += time.Since(first)
			n++
			break
		}
	}
	b.ReportMetric(float64(total.Microseconds())/float64(n), "µs/first-sentence")
}
