package thinker

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

// check fails unless ms is a history that any chat server takes.
func check(t *testing.T, ms []llm.Message, budget int) {
	t.Helper()
	tokens := 0
	var open []llm.ToolCall
	for i, m := range ms {
		tokens += messageSize(m)
		switch {
		case m.Role == llm.ToolRole:
			if len(open) == 0 || open[0].ID != m.CallID || open[0].Name != m.Tool {
				t.Fatalf("message %d: result of %q without its call", i, m.CallID)
			}
			open = open[1:]
		case len(open) > 0:
			t.Fatalf("message %d: call %q has no result", i, open[0].ID)
		case i == 0 && m.Role != llm.User:
			t.Fatalf("history begins with %q", m.Role)
		}
		if m.Role == llm.Assistant {
			open = m.Calls
			if m.Content == "" && len(m.Calls) == 0 {
				t.Fatalf("message %d is empty", i)
			}
		}
		for _, c := range m.Calls {
			if !json.Valid(c.Arguments) {
				t.Fatalf("message %d: arguments %q", i, c.Arguments)
			}
		}
	}
	switch {
	case len(open) > 0:
		t.Fatalf("call %q has no result", open[0].ID)
	case len(ms) > defaultMaxMessages:
		t.Fatalf("%d messages", len(ms))
	case tokens > budget:
		t.Fatalf("%d tokens, budget %d", tokens, budget)
	}
}

// lastTwo names the last two messages, of whose texts nothing but the beginning may
// stay.
func lastTwo(ms []llm.Message) string {
	var b strings.Builder
	for _, m := range ms[max(0, len(ms)-2):] {
		fmt.Fprintf(&b, "%s of %d calls, to %q; ", m.Role, len(m.Calls), m.CallID)
	}
	return b.String()
}

// TestAnyHistoryStaysValidAndBounded trims random histories after every change.
func TestAnyHistoryStaysValidAndBounded(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		words := func(n int) string { return strings.Repeat("wörd ", rnd.IntN(n)) }
		budget := 400 + rnd.IntN(4000)
		th := &Thinker{opt: Options{MaxMessages: minMaxMessages + rnd.IntN(defaultMaxMessages-minMaxMessages+1)}}
		c := conversation{maxMessages: th.opt.MaxMessages}
		c.calibrate(0.5 + 1.5*rnd.Float64())
		ids := 0
		for range 120 {
			switch rnd.IntN(7) {
			case 0, 1:
				c.begin(fmt.Sprintf("request %d %s", ids, words(60)), llm.Voice)
			case 2:
				if ex := c.last(); ex != nil && !ex.closed {
					ex.say(words(200) + "end.")
				}
			case 3, 4:
				ex := c.last()
				if ex == nil || ex.closed {
					continue
				}
				var calls []llm.ToolCall
				var results []tools.Outcome
				for range 1 + rnd.IntN(th.maxCalls()) {
					ids++
					args := fmt.Sprintf(`{"text":%q}`, words(1+rnd.IntN(80)))
					calls = append(calls, llm.ToolCall{ID: fmt.Sprint(ids), Name: "tool",
						Arguments: json.RawMessage(args)})
					results = append(results, tools.Outcome{Result: tools.Result{Text: words(1 + rnd.IntN(900))}})
				}
				ex.called(calls, results)
			case 5:
				if ex := c.last(); ex != nil {
					ex.heard(words(20))
				}
			case 6:
				if ex := c.last(); ex != nil && rnd.IntN(4) == 0 {
					c.drop(ex)
				}
			}
			before := lastTwo(c.messages())
			c.trim(budget)
			check(t, c.messages(), int(float64(budget)/c.scale))
			if n := len(c.messages()); n > c.maxMessages {
				t.Fatalf("%d messages of at most %d", n, c.maxMessages)
			}
			if after := lastTwo(c.messages()); after != before {
				t.Fatalf("the last two messages were %s and are %s", before, after)
			}
		}
	}
}

func TestTrimDropsToolResultsBeforeDialogueAndOnlyAsManyAsNeeded(t *testing.T) {
	c := conversation{maxMessages: defaultMaxMessages}
	big := strings.Repeat("x", 300) // 100 tokens
	for i := range 3 {
		ex := c.begin(fmt.Sprintf("question %d", i), llm.Voice)
		ex.called([]llm.ToolCall{{ID: "a", Name: "t", Arguments: json.RawMessage(`{}`)}},
			[]tools.Outcome{{Result: tools.Result{Text: big}}})
		ex.say("Answer.")
	}
	c.trim(c.tokens() - 50)
	var steps []int
	for _, ex := range c.exchanges {
		steps = append(steps, len(ex.steps))
	}
	if fmt.Sprint(steps) != "[0 1 1]" {
		t.Errorf("steps that are left: %v", steps)
	}
	c.trim(150)
	if len(c.exchanges) == 3 || len(c.last().steps) != 1 {
		t.Errorf("%d exchanges, %d steps in the last", len(c.exchanges), len(c.last().steps))
	}
}

func TestOversizedMessageIsCutWithAMark(t *testing.T) {
	c := conversation{maxMessages: defaultMaxMessages}
	c.begin(strings.Repeat("ö", 50_000), llm.Voice)
	c.trim(1000)
	check(t, c.messages(), 1000)
	if got := c.last().user; !strings.HasSuffix(got, cutMark) || len(got) < 2500 {
		t.Errorf("%d bytes are left: …%q", len(got), got[len(got)-10:])
	}
}

func TestAnHourOfSilenceStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conversation{maxMessages: defaultMaxMessages}
		c.begin("one", llm.Voice)
		time.Sleep(59 * time.Minute)
		c.begin("two", llm.Voice)
		if len(c.exchanges) != 2 {
			t.Errorf("%d exchanges after 59 minutes", len(c.exchanges))
		}
		time.Sleep(61 * time.Minute)
		c.begin("three", llm.Voice)
		if len(c.exchanges) != 1 {
			t.Errorf("%d exchanges after 61 minutes", len(c.exchanges))
		}
	})
}

// TestATurnThatBeginsWhenTheHourEndsIsAnswered: the end of the silence and the request
// come at one moment.
func TestATurnThatBeginsWhenTheHourEndsIsAnswered(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			m := &model{answer: func(_ context.Context, _ int, yield func(llm.Delta, error) bool) {
				time.Sleep(time.Second)
				yield(llm.Delta{Text: "Well."}, nil)
			}}
			th := newThinker(t, m, &box{})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- th.Run(ctx) }()
			for range 2 {
				if _, _, err := think(ctx, th, "how are you"); err != nil {
					t.Error(err)
				}
				time.Sleep(sessionTTL)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
